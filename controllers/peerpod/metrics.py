"""What can be seen of the deletion of VMs from outside."""

from collections import Counter
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client import Counter as CounterMetric
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpods.listing import Indexed
from framework.conditions import find_condition

TERMINATING_INDEX, TERMINATING = "peerpod/terminating", "yes"
VM_DELETED = "VMDeleted"
_OTHER = "other"


class DeletionMetrics:
    """*known* are the names that may be labels: what users write into a PeerPod may be anything."""

    def __init__(self, registry: CollectorRegistry, known: frozenset[str]) -> None:
        self._known = known
        self._deletions = CounterMetric(
            "peerpods_vm_deletions",
            "Attempts to delete a VM, by how they ended",
            ("provider", "outcome"),
            registry=registry,
        )
        self._seconds = Histogram(
            "peerpods_vm_deletion_seconds", "How long attempts took", ("provider",), registry=registry
        )

    def label(self, provider: str) -> str:
        return provider if provider in self._known else _OTHER

    def ended(self, provider: str, outcome: str, seconds: float) -> None:
        self._deletions.labels(self.label(provider), outcome).inc()
        self._seconds.labels(self.label(provider)).observe(seconds)


class TerminatingCollector(Collector):
    """Counted when somebody asks, from what the conditions say."""

    def __init__(self, peer_pods: Indexed[PeerPod], metrics: DeletionMetrics) -> None:
        self._peer_pods = peer_pods
        self._metrics = metrics

    def describe(self) -> Iterable[Metric]:
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        family, seen = self._family(), Counter[tuple[str, str]]()
        for each in self._peer_pods.by_index(TERMINATING_INDEX, TERMINATING):
            condition = find_condition(each.status.conditions, VM_DELETED)
            provider = each.spec.cloud_provider if each.spec else ""
            seen[self._metrics.label(provider), condition.reason if condition else ""] += 1
        for labels in sorted(seen):
            family.add_metric(labels, seen[labels])
        return [family]

    def _family(self) -> GaugeMetricFamily:
        what = "PeerPods that wait for their VM to be deleted, by what the condition says"
        return GaugeMetricFamily("peerpods_terminating", what, labels=("provider", "reason"))
