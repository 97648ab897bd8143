"""One thing that was said, once."""

from datetime import datetime
from typing import Literal, get_args

import msgspec

from apis.meta import KubeObject
from framework.events.reference import Reference
from framework.events.text import LONGEST_WORD, public_note, shortened

EventType = Literal["Normal", "Warning"]
_TYPES = frozenset(get_args(EventType))
# The first event of a kind is worth more than all others: object and reason.
Kind = tuple[Reference, str]


class Topic(msgspec.Struct, frozen=True):
    """Events that agree in all of this differ at most in their note."""

    regarding: Reference
    related: Reference | None
    type: EventType
    reason: str
    action: str

    @property
    def kind(self) -> Kind:
        return self.regarding, self.reason


class Occurrence(msgspec.Struct, frozen=True):
    topic: Topic
    note: str
    at: datetime
    regarding_version: str
    related_version: str


def occurrence_of(
    regarding: KubeObject,
    event_type: EventType,
    reason: str,
    note: str,
    *,
    action: str,
    related: KubeObject | None,
    at: datetime,
) -> Occurrence:
    """Raises ValueError or TypeError for what no Event can be made of."""
    if event_type not in _TYPES:
        raise ValueError(f"an event is Normal or Warning, not {event_type!r}")
    if not reason or not action:
        raise ValueError("an event needs a reason and an action")
    topic = Topic(
        Reference.to(regarding),
        Reference.to(related) if related is not None else None,
        event_type,
        shortened(reason, LONGEST_WORD),
        shortened(action, LONGEST_WORD),
    )
    related_version = related.metadata.resource_version if related is not None else ""
    return Occurrence(topic, public_note(note), at, regarding.metadata.resource_version, related_version)
