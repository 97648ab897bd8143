"""What became of the events."""

from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter

from framework.events.write import Written

# Why an event was not sent.
DropReason = Literal["queue_full", "spam", "invalid", "stopped"]
# Why an event was given up although it was sent, or was about to be.
FailReason = Literal["namespace_terminating", "namespace_not_found", "rejected", "retry_limit", "shutdown"]
DROP_REASONS: frozenset[str] = frozenset(get_args(DropReason))


class EventMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"windlass_events_{name}_total", text, ["controller", *labels], registry=registry)

        self.created = counter("created", "Events that the server took")
        self.patched = counter("patched", "Writes of the count of an event that was said again")
        self.dropped = counter("dropped", "Events and repetitions that were not sent", "reason")
        self.failed = counter("failed", "Events and repetitions that were sent in vain", "reason")
        self.lost = counter("lost", "First events of a kind that nobody will see", "reason")


class RecorderMetrics:
    """The numbers of one recorder; counted for nobody if there is no registry."""

    def __init__(self, metrics: EventMetrics | None, controller: str) -> None:
        self._metrics = metrics or EventMetrics(CollectorRegistry())
        self._controller = controller
        # Made at the start: an alert on a rate needs the zero before the first.
        self._written = {
            "created": self._metrics.created.labels(controller),
            "patched": self._metrics.patched.labels(controller),
        }

    def written(self, how: Written) -> None:
        self._written[how].inc()

    def dropped(self, reason: DropReason) -> None:
        self._metrics.dropped.labels(self._controller, reason).inc()

    def given_up(self, reason: DropReason | FailReason, *, is_loss: bool) -> None:
        family = self._metrics.dropped if reason in DROP_REASONS else self._metrics.failed
        family.labels(self._controller, reason).inc()
        if is_loss:
            self._metrics.lost.labels(self._controller, reason).inc()
