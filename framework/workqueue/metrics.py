"""The workqueue metrics, named and labelled as controller-runtime does.

Guarantees: values are exact at the moment of the scrape, also when no worker
is active, and a queue pays for them in plain additions under its own lock.
Not guaranteed: a depth series for each priority; see MAX_PRIORITY_LABELS.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate

import msgspec
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

# Priorities are chosen by users; without a bound each new number would be a new series for good.
MAX_PRIORITY_LABELS = 25
EXCEEDED_CARDINALITY_LIMIT = "exceeded_cardinality_limit"
DURATION_BUCKETS = tuple(float(f"1e{exponent}") for exponent in range(-8, 4))
_BUCKET_LABELS = (*map(floatToGoString, DURATION_BUCKETS), "+Inf")
_LABELS = ("name", "controller")


class Durations:
    """A histogram that is only added to under the lock of its queue."""

    __slots__ = ("_counts", "_sum")

    def __init__(self) -> None:
        self._counts = [0] * (len(DURATION_BUCKETS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(DURATION_BUCKETS, seconds)] += 1
        self._sum += seconds

    def snapshot(self) -> "HistogramSnapshot":
        return HistogramSnapshot(tuple(accumulate(self._counts)), self._sum)


class HistogramSnapshot(msgspec.Struct, frozen=True):
    cumulative_counts: tuple[int, ...]
    sum: float

    def buckets(self) -> list[tuple[str, float]]:
        return list(zip(_BUCKET_LABELS, map(float, self.cumulative_counts), strict=True))


class QueueSnapshot(msgspec.Struct, frozen=True):
    """All numbers of one queue at one moment."""

    depth_by_label: Mapping[str, int]
    adds: int
    retries: int
    queue_durations: HistogramSnapshot
    work_durations: HistogramSnapshot
    # For how long each item now in processing has been there.
    running_seconds: Sequence[float]


class QueueMetrics:
    """The numbers of one queue. Everything here is guarded by the lock of that queue."""

    def __init__(self) -> None:
        self.adds = 0
        self.retries = 0
        self.queue_durations = Durations()
        self.work_durations = Durations()
        # Priority 0 has its series from the start, so that an idle queue is seen as empty and not as missing.
        self._priority_labels: dict[int, str] = {0: "0"}

    def snapshot(self, depth_by_priority: Mapping[int, int], running_seconds: Sequence[float]) -> QueueSnapshot:
        return QueueSnapshot(
            self._depth_by_label(depth_by_priority),
            self.adds,
            self.retries,
            self.queue_durations.snapshot(),
            self.work_durations.snapshot(),
            running_seconds,
        )

    def _depth_by_label(self, depth_by_priority: Mapping[int, int]) -> Mapping[str, int]:
        """The depth for each label ever used, so that a level that ran empty reads zero."""
        depths = dict.fromkeys(self._priority_labels.values(), 0)
        for priority, depth in sorted(depth_by_priority.items(), reverse=True):
            label = self._label_of(priority)
            depths[label] = depths.get(label, 0) + depth
        return depths

    def _label_of(self, priority: int) -> str:
        if priority in self._priority_labels:
            return self._priority_labels[priority]
        if len(self._priority_labels) >= MAX_PRIORITY_LABELS:
            return EXCEEDED_CARDINALITY_LIMIT
        return self._priority_labels.setdefault(priority, str(priority))


class WorkQueueMetrics(Collector):
    """The seven workqueue families of one registry, for all its queues."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._queues: dict[str, Callable[[], QueueSnapshot]] = {}
        registry.register(self)

    def for_queue(self, name: str, look: Callable[[QueueMetrics], QueueSnapshot]) -> QueueMetrics:
        """The numbers that the queue *name* keeps; at each scrape *look* takes that queue's lock and returns them."""
        if name in self._queues:
            raise ValueError(f"there is already a queue named {name!r} in these metrics; give each queue its own name")
        metrics = QueueMetrics()
        self._queues[name] = partial(look, metrics)
        return metrics

    def describe(self) -> Iterable[Metric]:
        return _description()

    def collect(self) -> Iterable[Metric]:
        families = _Families()
        for name, look in tuple(self._queues.items()):
            families.add(name, look())
        return families.all()


@cache
def _description() -> tuple[Metric, ...]:
    return _Families().all()


class _Families:
    def __init__(self) -> None:
        self._depth = GaugeMetricFamily(
            "workqueue_depth", "Items that are ready, by priority", labels=(*_LABELS, "priority")
        )
        self._adds = CounterMetricFamily("workqueue_adds", "Items that became ready", labels=_LABELS)
        self._retries = CounterMetricFamily("workqueue_retries", "Adds with a delay", labels=_LABELS)
        self._queue_duration = HistogramMetricFamily(
            "workqueue_queue_duration_seconds", "From being ready to being taken by a worker", labels=_LABELS
        )
        self._work_duration = HistogramMetricFamily(
            "workqueue_work_duration_seconds", "From being taken by a worker to done", labels=_LABELS
        )
        self._unfinished = GaugeMetricFamily(
            "workqueue_unfinished_work_seconds",
            "Sum over all items in processing of the time since a worker took them",
            labels=_LABELS,
        )
        self._longest = GaugeMetricFamily(
            "workqueue_longest_running_processor_seconds",
            "Time since the item longest in processing was taken",
            labels=_LABELS,
        )

    def all(self) -> tuple[Metric, ...]:
        return (
            self._depth,
            self._adds,
            self._queue_duration,
            self._work_duration,
            self._unfinished,
            self._longest,
            self._retries,
        )

    def add(self, name: str, queue: QueueSnapshot) -> None:
        labels = (name, name)
        for priority, depth in queue.depth_by_label.items():
            self._depth.add_metric((*labels, priority), depth)
        self._adds.add_metric(labels, queue.adds)
        self._retries.add_metric(labels, queue.retries)
        self._queue_duration.add_metric(labels, queue.queue_durations.buckets(), queue.queue_durations.sum)
        self._work_duration.add_metric(labels, queue.work_durations.buckets(), queue.work_durations.sum)
        self._unfinished.add_metric(labels, sum(queue.running_seconds))
        self._longest.add_metric(labels, max(queue.running_seconds, default=0.0))
