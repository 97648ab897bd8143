"""Events about objects, for people who look at them with kubectl.

Guarantees: recording never blocks and never fails a reconcile; the same thing
said again within ten minutes is one event.
Not guaranteed: that an event arrives; what could not be sent is logged.
"""

from framework.events.recorder import EventRecorder

__all__ = ["EventRecorder"]
