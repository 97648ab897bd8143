"""Keeps a local copy of a resource up to date and tells handlers of every change.

Guarantees: handlers see changes of one object in order, with the object before
and after; what vanished while no watch was open is delivered as a deletion; a
failing resource is visible and retried and never stops another; a watch that
has gone silent is noticed within 75 seconds.
Not guaranteed: that a handler which falls far behind sees every intermediate
state; then it sees the first old and the last new object.
"""

from framework.informers.handlers import Handler, HandlerRegistration
from framework.informers.informer import SharedInformer
from framework.informers.metrics import InformerMetrics
from framework.informers.options import InformerOptions
from framework.informers.reflector import Reflector, ReflectorOptions, ReflectorState

__all__ = [
    "Handler",
    "HandlerRegistration",
    "InformerMetrics",
    "InformerOptions",
    "Reflector",
    "ReflectorOptions",
    "ReflectorState",
    "SharedInformer",
]
