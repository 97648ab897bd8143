"""Writes conditions, if they say something new."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from apis.meta import Condition, KubeObject
from framework.client import Client, Kind
from framework.conditions.conditions import changed_conditions

T = TypeVar("T", bound=KubeObject)


def patch_conditions(
    client: Client, obj: T, present: Sequence[Condition], *wanted: Condition, kind: Kind[T] | None = None
) -> T | None:
    """Put *wanted* among the conditions *present* of *obj*; the object as it is then, or None if nothing was written.

    Merged by type, as the server does it for a list that is a map: of two
    controllers each changes its own. The whole list is sent, which is safe
    only because a status that changed since *obj* was read is a Conflict.
    """
    changed = changed_conditions(present, *wanted)
    if changed is None:
        return None
    return client.patch_status(obj, {"conditions": msgspec.to_builtins(changed)}, kind=kind)
