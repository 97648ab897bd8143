"""What operators expect of every process: `process_*`, `python_*` and which build it is."""

import platform
from functools import cache

from prometheus_client import CollectorRegistry, Gauge, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.registry import Collector

from framework.version import program_version


def register_process_metrics(registry: CollectorRegistry) -> None:
    """Put them into *registry*, unless it is one that has them already, as prometheus_client's own."""
    names = {metric.name for metric in registry.collect()}
    if "python_info" not in names:
        for collector in _collectors():
            registry.register(collector)
    build = Gauge("windlass_build_info", "1, labelled with what runs", ["version", "python_version"], registry=registry)
    build.labels(program_version(), platform.python_version()).set(1)


@cache
def _collectors() -> tuple[Collector, ...]:
    """Of this process, whichever registry asks them."""
    nobody = CollectorRegistry()
    return PlatformCollector(nobody), GCCollector(nobody), ProcessCollector(registry=nobody)
