"""The `windlass_cluster_*` metrics: a label value for each cluster that is connected, none for those that left."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from framework.clusters.clusters import Clusters
from framework.clusters.health import ClusterState

# Names of clusters are chosen by users; more than these are connected, but not told apart.
MAX_CLUSTER_LABELS = 250


class ClusterMetrics(Collector):
    """Reads everything from the clusters when it is scraped."""

    def __init__(self, clusters: Clusters, registry: CollectorRegistry) -> None:
        self._clusters = clusters
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        connected = GaugeMetricFamily("windlass_clusters", "Remote clusters that are connected")
        connected.add_metric((), len(self._clusters))
        reachable = GaugeMetricFamily("windlass_cluster_reachable", "1 when the cluster answers", labels=("cluster",))
        under_way = GaugeMetricFamily(
            "windlass_cluster_requests_under_way", "Requests of workers that are under way", labels=("cluster",)
        )
        refused = CounterMetricFamily(
            "windlass_cluster_requests_refused",
            "Requests that were not sent, because the share was taken or the cluster does not answer",
            labels=("cluster", "reason"),
        )
        probes = CounterMetricFamily(
            "windlass_cluster_probes", "Times the cluster was asked whether it answers", labels=("cluster",)
        )
        for cluster in sorted(self._clusters, key=lambda each: each.name)[:MAX_CLUSTER_LABELS]:
            name, guards = cluster.name, cluster.guards
            reachable.add_metric((name,), float(cluster.health.state is ClusterState.REACHABLE))
            under_way.add_metric((name,), sum(guard.under_way for guard in guards))
            refused.add_metric((name, "Busy"), sum(guard.refused_busy for guard in guards))
            refused.add_metric((name, "Unreachable"), sum(guard.refused_unreachable for guard in guards))
            probes.add_metric((name,), cluster.probes)
        return (connected, reachable, under_way, refused, probes)
