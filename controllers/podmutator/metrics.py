"""What the mutator says of itself in numbers."""

from prometheus_client import CollectorRegistry, Counter

RESULTS = ("mutated", "unchanged", "refused", "invalid")


class MutatorMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._reviews = Counter(
            "peerpods_webhook_reviews_total", "Reviews of pods by what became of them", ["result"], registry=registry
        )
        for result in RESULTS:
            self._reviews.labels(result)

    def reviewed(self, result: str) -> None:
        self._reviews.labels(result).inc()
