"""What can be seen of builds from outside."""

from prometheus_client import CollectorRegistry, Counter, Histogram

_BUCKETS = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1280.0)


class BuildMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._builds = Counter("workers_builds", "Builds, by how they ended", ("result",), registry=registry)
        self._seconds = Histogram(
            "workers_build_seconds", "How long builds took that succeeded", buckets=_BUCKETS, registry=registry
        )

    def ended(self, result: str, seconds: float | None = None) -> None:
        self._builds.labels(result).inc()
        if seconds is not None:
            self._seconds.observe(seconds)
