"""Process metrics in a registry."""

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector

from framework.manager.process_metrics import register_process_metrics


def test_a_registry_that_has_process_metrics_already_gets_no_second_ones() -> None:
    registry = CollectorRegistry()
    PlatformCollector(registry)
    GCCollector(registry)
    ProcessCollector(registry=registry)

    register_process_metrics(registry)

    names = [family.name for family in registry.collect()]
    assert len(names) == len(set(names))
