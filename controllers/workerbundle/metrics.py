"""What can be seen of purges from outside."""

from prometheus_client import CollectorRegistry, Counter


class PurgeMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._purges = Counter(
            "workers_purges", "Images to be deleted, by what became of it", ("result",), registry=registry
        )

    def ended(self, result: str) -> None:
        self._purges.labels(result).inc()
