"""Runs one reconciler: sources fill its queue, workers empty it.

Guarantees: workers begin only when every source has delivered its initial
state; one worker per key; whatever a reconcile raises is contained, counted
and retried; a stop waits for the reconciles under way, and leaves no handler
behind at an informer.
Not guaranteed: that a reconcile sees its own last write in the cache; that a
reconcile which never returns is ended: its timeout reaches client calls only.
"""

from framework.controller.controller import Controller, ControllerOptions
from framework.controller.metrics import ControllerMetrics
from framework.controller.predicates import Predicate, generation_changed
from framework.controller.sources import Mapped, Owned, Primary, Source
from framework.controller.turn import Turn

__all__ = [
    "Controller",
    "ControllerMetrics",
    "ControllerOptions",
    "Mapped",
    "Owned",
    "Predicate",
    "Primary",
    "Source",
    "Turn",
    "generation_changed",
]
