"""Runs one reconciler: sources fill its queue, workers empty it.

Guarantees: workers begin only when every source has delivered its initial
state; one worker per key; whatever a reconcile raises is contained, counted
and retried; a stop waits for the reconciles under way, and leaves no handler
behind at an informer; a reconcile sees what its process wrote in the way its
options ask for, and one whose write may or may not have been made is not
repeated before the caches agree with the server about it; one that outlives
its turn can write nothing more, and is made again in the next one.
Not guaranteed: that a reconcile which never returns is ended: its timeout
reaches client calls only.
"""

from framework.controller.cluster_sources import ClusterChanges, EachCluster
from framework.controller.controller import Controller, ControllerOptions
from framework.controller.metrics import ControllerMetrics
from framework.controller.predicates import Predicate, generation_changed
from framework.controller.rights import rights_of
from framework.controller.sources import Mapped, Owned, Primary, Source
from framework.controller.turn import Turn
from framework.journal import current_reasons

__all__ = [
    "ClusterChanges",
    "Controller",
    "ControllerMetrics",
    "ControllerOptions",
    "EachCluster",
    "Mapped",
    "Owned",
    "Predicate",
    "Primary",
    "Source",
    "Turn",
    "current_reasons",
    "generation_changed",
    "rights_of",
]
