"""The metrics of a simulated process, which hardly anybody asks for."""

from collections.abc import Iterator
from contextlib import suppress

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from framework.testing.simulation.scheduler import Stuck


class PlainRegistry(CollectorRegistry):
    """Who registers is not looked at, which costs more than all that is counted in a run."""

    def __init__(self) -> None:
        super().__init__()
        self._collectors: list[Collector] = []

    def register(self, collector: Collector) -> None:
        self._collectors.append(collector)

    def collect(self) -> Iterator[Metric]:
        for collector in self._collectors:
            # What waits for a lock that the dead hold tells nothing.
            with suppress(Stuck):
                yield from list(collector.collect())

    def words(self) -> str:
        """All that a page of these metrics would say, but for the numbers, which are most of it."""
        words: dict[str, None] = {}
        for metric in self.collect():
            words |= dict.fromkeys((metric.name, metric.documentation, metric.unit))
            for sample in metric.samples:
                words |= dict.fromkeys((sample.name, *sample.labels, *sample.labels.values()))
                if sample.exemplar is not None:
                    words |= dict.fromkeys((*sample.exemplar.labels, *sample.exemplar.labels.values()))
        return "\n".join(words)
