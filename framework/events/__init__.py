"""Events about objects, for people who look at them with kubectl.

Guarantees: recording never blocks and never fails a reconcile. What is said
again becomes a series of one Event. The first event of a kind (object and
reason) is never lost without a word: it goes before repetitions, is sent again
with growing waits, and when it must be given up a log line and
`windlass_events_lost_total` say so. Memory is bounded, whatever is said. Notes
hold nothing that looks like a credential.
Not guaranteed: that the count of a series is exact before it is over; that
each of many different notes about one thing is shown.
"""

from framework.events.metrics import EventMetrics
from framework.events.occurrence import EventType
from framework.events.options import EventApiVersion, EventOptions
from framework.events.recorder import EventRecorder

__all__ = ["EventApiVersion", "EventMetrics", "EventOptions", "EventRecorder", "EventType"]
