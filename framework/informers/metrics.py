"""The `informer_*` metrics, named and labelled as component-base's, and what only we can tell."""

from collections.abc import Iterable
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from apis.meta import ResourceType

_LABELS = ("name", "group", "version", "resource")
_LATENCY = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# A gauge is a double: fifteen digits are exact.
_VERSION_DIGITS = 10**15


class HandlerMeasure(Protocol):
    def processed(self, seconds: float) -> None: ...


class _NoMeasure:
    def processed(self, seconds: float) -> None:
        """Nobody counts."""


NO_MEASURE = _NoMeasure()


class MeasuredInformer(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def resource_type(self) -> ResourceType: ...

    @property
    def version(self) -> int: ...

    @property
    def queued(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def has_synced(self) -> bool: ...

    @property
    def pending_own_writes(self) -> int: ...

    @property
    def ignored_events(self) -> int: ...


class InformerMetrics(Collector):
    """Counts failures as they come, and reads the rest from the informers when it is scraped."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._informers: list[MeasuredInformer] = []
        self._latency = Histogram(
            "informer_processing_latency_seconds",
            "From the arrival of the oldest change of a batch to the end of its handling",
            _LABELS,
            buckets=_LATENCY,
            registry=registry,
        )
        self._failures = Counter(
            "windlass_reflector_failures_total",
            "Lists and watches that failed, by reason",
            [*_LABELS, "reason"],
            registry=registry,
        )
        registry.register(self)

    def add(self, informer: MeasuredInformer) -> None:
        self._informers.append(informer)

    def remove(self, informer: MeasuredInformer) -> None:
        self._informers.remove(informer)

    def forget(self, name: str) -> None:
        """Drop the series of an informer that will not come back under its *name*."""
        for family in (self._latency, self._failures):
            family.remove_by_labels({"name": name})

    def failed(self, name: str, resource_type: ResourceType, reason: str) -> None:
        self._failures.labels(*_labels(name, resource_type), reason).inc()

    def handler_measure(self, name: str, resource_type: ResourceType) -> HandlerMeasure:
        return _LatencyMeasure(self._latency.labels(*_labels(name, resource_type)))

    def collect(self) -> Iterable[Metric]:
        queued = GaugeMetricFamily("informer_queued_items", "Changes not yet handled", labels=_LABELS)
        version = GaugeMetricFamily(
            "informer_store_resource_version", "The 15 last digits of the newest version seen", labels=_LABELS
        )
        objects = GaugeMetricFamily("windlass_informer_objects", "Objects in the cache", labels=_LABELS)
        synced = GaugeMetricFamily("windlass_informer_synced", "1 when the initial state is there", labels=_LABELS)
        ignored = CounterMetricFamily(
            "windlass_informer_ignored_events", "Events that were duplicates or came late", labels=_LABELS
        )
        own = GaugeMetricFamily(
            "windlass_informer_pending_own_writes", "Objects written here that the cache has not seen", labels=_LABELS
        )
        for informer in list(self._informers):
            labels = _labels(informer.name, informer.resource_type)
            queued.add_metric(labels, informer.queued)
            version.add_metric(labels, informer.version % _VERSION_DIGITS)
            objects.add_metric(labels, informer.size)
            synced.add_metric(labels, float(informer.has_synced))
            ignored.add_metric(labels, informer.ignored_events)
            own.add_metric(labels, informer.pending_own_writes)
        return (queued, version, objects, synced, ignored, own)


class _LatencyMeasure:
    def __init__(self, histogram: Histogram) -> None:
        self._histogram = histogram

    def processed(self, seconds: float) -> None:
        self._histogram.observe(seconds)


def _labels(name: str, resource_type: ResourceType) -> list[str]:
    gvk = resource_type.gvk
    return [name, gvk.group, gvk.version, resource_type.plural]
