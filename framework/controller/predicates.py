"""Which changes are worth a reconcile."""

from collections.abc import Callable
from typing import Any

from framework.store import Change

Predicate = Callable[[Change[Any]], bool]


def generation_changed(change: Change[Any]) -> bool:
    """Creations, deletions, resyncs, the begin of a deletion, and updates of the spec.

    Not: updates of the status, of labels, annotations or finalizers. Kinds to
    which the server gives no generation (ConfigMap, Secret) pass with every
    update, because nothing tells which of them matter.
    """
    if change.is_resync:
        return True
    old, new = change.old, change.new
    if old is None or new is None or not new.metadata.generation:
        return True
    # A deletion and a creation that nobody looked at in between arrive as one change: the uid differs.
    return _identity(old.metadata) != _identity(new.metadata)


def _identity(metadata: Any) -> tuple[str, int, bool]:
    return metadata.uid, metadata.generation, metadata.is_being_deleted
