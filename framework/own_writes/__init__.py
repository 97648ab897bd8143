"""Shows a process its own writes before its caches have heard of them.

Guarantees: after a write was answered, every read through a lister of this
cluster shows it, or whatever came after it, or waits, or raises; what it made
of an object counts only as long as the cache has not come to its version, so
nothing that anybody else did is hidden for longer than the cache itself would
not know of it; an object that was deleted is hidden by its uid, so a new one
of the same name is not; what a cache is not for (other namespaces, selectors)
does not appear in it. No event is made, and none is swallowed. What is kept is
bounded; a cache that is further behind is not read from.
Not guaranteed: anything about a write whose answer was lost (the next
reconcile of the key waits until the cache agrees with the server); about a
write past the clients of the manager; that a cache of another version of the
same kind shows the write.
"""

from framework.own_writes.echoes import Echoes
from framework.own_writes.overlay import Overlay
from framework.own_writes.own_writes import OwnWrites
from framework.own_writes.reconcile_scope import (
    MODES,
    Mode,
    Passage,
    Reconcile,
    ReconcileScope,
    Write,
    current_reconcile,
)
from framework.own_writes.scope import CacheScope

__all__ = [
    "MODES",
    "CacheScope",
    "Echoes",
    "Mode",
    "Overlay",
    "OwnWrites",
    "Passage",
    "Reconcile",
    "ReconcileScope",
    "Write",
    "current_reconcile",
]
