"""Who is told of events; nobody, if nobody listens."""

from typing import Protocol

from apis.meta import KubeObject
from framework.events import EventType


class Recorder(Protocol):
    """What is needed of an `EventRecorder`."""

    def record(self, about: KubeObject, event_type: EventType, reason: str, note: str, *, action: str) -> None: ...


class RelatingRecorder(Protocol):
    """One who is also told which other object it has to do with."""

    def record(
        self,
        about: KubeObject,
        event_type: EventType,
        reason: str,
        note: str,
        *,
        action: str,
        related: KubeObject | None = None,
    ) -> None: ...


class NoRecorder:
    def record(
        self,
        about: KubeObject,
        event_type: EventType,
        reason: str,
        note: str,
        *,
        action: str,
        related: KubeObject | None = None,
    ) -> None:
        """Nobody listens."""
