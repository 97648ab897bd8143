"""Keeps a local copy of a resource up to date and tells handlers of every change.

Guarantees: handlers see changes of one object in order, with the object before
and after; what vanished while no watch was open is delivered as a deletion; a
failing resource is visible and retried and never stops another; a watch that
has gone silent is noticed within 75 seconds. A kind that is not defined yet is
waited for, and begins within seconds of its definition; one whose definition
was deleted has an empty cache, and handlers were told, once the server proves
it. A version that is no longer served keeps its cache, for the objects live on.
Not guaranteed: that a handler which falls far behind sees every intermediate
state; then it sees the first old and the last new object.
"""

from framework.informers.absence import DEFINITIONS
from framework.informers.handlers import Handler, HandlerRegistration
from framework.informers.informer import SharedInformer
from framework.informers.metrics import InformerMetrics
from framework.informers.options import InformerOptions
from framework.informers.reflector import Reflector, ReflectorOptions, ReflectorState

__all__ = [
    "DEFINITIONS",
    "Handler",
    "HandlerRegistration",
    "InformerMetrics",
    "InformerOptions",
    "Reflector",
    "ReflectorOptions",
    "ReflectorState",
    "SharedInformer",
]
