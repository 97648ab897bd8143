"""The metrics of a running manager, as dashboards and alerts for controller-runtime expect them."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as untyped_parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.controller import Primary

# The package leaves this parser without annotations.
parse_openmetrics: Callable[[str], Iterable[Metric]] = untyped_parse_openmetrics

CONTROLLER = "maps"
INFORMER = ("name", "group", "version", "resource")
QUEUE = ("name", "controller")
# fmt: off
RECONCILE_SECONDS = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5,
    1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
)
QUEUE_SECONDS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000)
CLIENT_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
CLIENT_BYTES = (64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216)
INFORMER_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# fmt: on


class Family(NamedTuple):
    name: str
    type: str
    labels: tuple[str, ...]
    buckets: tuple[float, ...] = ()


TABLE = (
    Family("controller_runtime_reconcile_total", "counter", ("controller", "result")),
    Family("controller_runtime_reconcile_errors_total", "counter", ("controller",)),
    Family("controller_runtime_terminal_reconcile_errors_total", "counter", ("controller",)),
    Family("controller_runtime_reconcile_panics_total", "counter", ("controller",)),
    Family("controller_runtime_reconcile_timeouts_total", "counter", ("controller",)),
    Family("controller_runtime_reconcile_time_seconds", "histogram", ("controller",), RECONCILE_SECONDS),
    Family("controller_runtime_max_concurrent_reconciles", "gauge", ("controller",)),
    Family("controller_runtime_active_workers", "gauge", ("controller",)),
    Family("workqueue_depth", "gauge", (*QUEUE, "priority")),
    Family("workqueue_adds_total", "counter", QUEUE),
    Family("workqueue_queue_duration_seconds", "histogram", QUEUE, QUEUE_SECONDS),
    Family("workqueue_work_duration_seconds", "histogram", QUEUE, QUEUE_SECONDS),
    Family("workqueue_unfinished_work_seconds", "gauge", QUEUE),
    Family("workqueue_longest_running_processor_seconds", "gauge", QUEUE),
    Family("workqueue_retries_total", "counter", QUEUE),
    Family("rest_client_requests_total", "counter", ("code", "method", "host")),
    Family("rest_client_request_duration_seconds", "histogram", ("verb", "host"), CLIENT_SECONDS),
    Family("rest_client_request_size_bytes", "histogram", ("verb", "host"), CLIENT_BYTES),
    Family("rest_client_response_size_bytes", "histogram", ("verb", "host"), CLIENT_BYTES),
    Family("informer_queued_items", "gauge", INFORMER),
    Family("informer_processing_latency_seconds", "histogram", INFORMER, INFORMER_SECONDS),
    Family("informer_store_resource_version", "gauge", INFORMER),
    Family("leader_election_master_status", "gauge", ("name",)),
    Family("leader_election_slowpath_total", "counter", ("name",)),
    Family("process_cpu_seconds_total", "counter", ()),
    Family("process_resident_memory_bytes", "gauge", ()),
    Family("process_start_time_seconds", "gauge", ()),
    Family("process_open_fds", "gauge", ()),
    Family("python_info", "gauge", ("implementation", "major", "minor", "patchlevel", "version")),
    Family("python_gc_collections_total", "counter", ("generation",)),
    Family("windlass_build_info", "gauge", ("version", "python_version")),
)


@pytest.fixture
def manager(managers: Any, recorder: Any, config_map: Any, namespace: str, eventually: Any) -> Any:
    """One that has done some work of its own and leads."""
    config_map("a")
    seen = recorder()
    running = managers.make(metrics_address="127.0.0.1:0", health_address="", lease=Key(namespace, "lease"))
    running.add_controller(CONTROLLER, seen, [Primary(running.informer(ConfigMap))])
    running.start()
    eventually(lambda: seen.has_seen("a"))
    return running


def scrape(manager: Any, page: Any) -> dict[str, Metric]:
    text = page(manager, "/metrics", server="metrics")[1]
    return {_full_name(family): family for family in parse_prometheus(text)}


def _full_name(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


def test_every_family_has_its_name_type_labels_and_buckets(manager: Any, page: Any) -> None:
    found = scrape(manager, page)

    assert [_seen(found, expected) for expected in TABLE] == list(TABLE)


def _seen(found: dict[str, Metric], expected: Family) -> Family | str:
    family = found.get(expected.name)
    if family is None or not family.samples:
        return f"{expected.name} is missing"
    labels = {frozenset(sample.labels) - {"le"} for sample in family.samples}
    buckets = {float(sample.labels["le"]) for sample in family.samples if "le" in sample.labels} - {float("inf")}
    in_order = expected.labels if labels == {frozenset(expected.labels)} else tuple(map(str, labels))
    return Family(expected.name, family.type, in_order, tuple(sorted(buckets)))


def test_no_series_is_there_twice(manager: Any, page: Any) -> None:
    text = page(manager, "/metrics", server="metrics")[1]
    series = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]

    assert len(series) == len(set(series))


def test_every_result_has_its_series_from_the_start(managers: Any, recorder: Any, page: Any) -> None:
    idle = managers.make(metrics_address="127.0.0.1:0", health_address="")
    idle.add_controller(CONTROLLER, recorder(), [])
    idle.start()

    results = scrape(idle, page)["controller_runtime_reconcile_total"].samples

    zeros = {sample.labels["result"]: sample.value for sample in results if sample.name.endswith("_total")}
    assert zeros == {"success": 0, "error": 0, "requeue": 0, "requeue_after": 0}
    errors = scrape(idle, page)["controller_runtime_reconcile_errors_total"].samples
    assert [sample.value for sample in errors] == [0]


def test_name_and_controller_of_a_queue_are_the_same(manager: Any, page: Any) -> None:
    labels = [sample.labels for sample in scrape(manager, page)["workqueue_adds_total"].samples]

    assert labels == [{"name": CONTROLLER, "controller": CONTROLLER}]


def test_the_work_that_was_done_is_counted(manager: Any, page: Any, eventually: Any) -> None:
    def done() -> float | None:
        labels = {"controller": CONTROLLER, "result": "success"}
        value: float | None = manager.registry.get_sample_value("controller_runtime_reconcile_total", labels)
        return value

    eventually(lambda: (done() or 0) >= 1)
    eventually(lambda: manager.registry.get_sample_value("leader_election_master_status", {"name": "lease"}) == 1)
    assert any(sample.value > 0 for sample in scrape(manager, page)["informer_store_resource_version"].samples)


def test_openmetrics_is_spoken_to_who_asks_for_it(manager: Any, page: Any) -> None:
    accept = "application/openmetrics-text; version=1.0.0, text/plain; version=0.0.4; q=0.5"

    _, text = page(manager, "/metrics", server="metrics", accept=accept)

    assert text.endswith("# EOF\n")
    assert "controller_runtime_reconcile" in {family.name for family in parse_openmetrics(text)}


def test_other_paths_are_not_found(manager: Any, page: Any) -> None:
    assert page(manager, "/", server="metrics")[0] == 404
    assert page(manager, "/healthz", server="metrics")[0] == 404
