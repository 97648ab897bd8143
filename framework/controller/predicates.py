"""Which changes are worth a reconcile."""

from collections.abc import Callable
from typing import Any

from framework.store import Change

Predicate = Callable[[Change[Any]], bool]


def generation_changed(change: Change[Any]) -> bool:
    """Creations, deletions, resyncs, and updates of more than the status; the begin of a deletion counts."""
    if change.is_resync:
        return True
    old, new = change.old, change.new
    return old is None or new is None or old.metadata.generation != new.metadata.generation
