import pytest
from prometheus_client import CollectorRegistry

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import (
    EXCEEDED_CARDINALITY_LIMIT,
    LOW_PRIORITY,
    MAX_PRIORITY_LABELS,
    ExponentialPerItem,
    WorkQueue,
    WorkQueueMetrics,
)

LABELS = {"name": "pods", "controller": "pods"}


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def queue(time: VirtualTime, registry: CollectorRegistry) -> WorkQueue[str]:
    metrics = WorkQueueMetrics(registry)
    return WorkQueue("pods", time.runtime, time.clock, ExponentialPerItem(base_seconds=1.0), metrics=metrics)


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, LABELS | labels)


def depths(registry: CollectorRegistry) -> dict[str, float]:
    (family,) = (family for family in registry.collect() if family.name == "workqueue_depth")
    return {sample.labels["priority"]: sample.value for sample in family.samples}


def test_the_seven_families_have_the_names_and_types_that_dashboards_know(
    registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    families = {family.name: family.type for family in registry.collect()}

    assert families == {
        "workqueue_depth": "gauge",
        "workqueue_adds": "counter",
        "workqueue_queue_duration_seconds": "histogram",
        "workqueue_work_duration_seconds": "histogram",
        "workqueue_unfinished_work_seconds": "gauge",
        "workqueue_longest_running_processor_seconds": "gauge",
        "workqueue_retries": "counter",
    }
    assert value(registry, "workqueue_adds_total") == 0
    assert value(registry, "workqueue_retries_total") == 0


def test_depth_counts_ready_items_by_priority(registry: CollectorRegistry, queue: WorkQueue[str]) -> None:
    queue.add_many("abc", priority=LOW_PRIORITY)
    queue.add("a")
    queue.add_after("delayed", 10)

    assert depths(registry) == {"0": 1, "-100": 2}


def test_depth_is_right_when_nobody_is_in_get(
    time: VirtualTime, registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    queue.add_after("a", 10)
    before = depths(registry)

    time.advance(10)

    assert (before, depths(registry)) == ({"0": 0}, {"0": 1})
    assert value(registry, "workqueue_adds_total") == 1


def test_depth_of_a_level_that_ran_empty_reads_zero(registry: CollectorRegistry, queue: WorkQueue[str]) -> None:
    queue.add("a", priority=3)
    before = depths(registry)

    queue.get()

    assert (before, depths(registry)) == ({"0": 0, "3": 1}, {"0": 0, "3": 0})


def test_depth_has_a_bounded_number_of_priority_labels(registry: CollectorRegistry, queue: WorkQueue[str]) -> None:
    for priority in range(100):
        queue.add(f"item {priority}", priority=priority)

    first, second = depths(registry), depths(registry)

    assert first == second
    assert len(first) == MAX_PRIORITY_LABELS + 1
    assert first[EXCEEDED_CARDINALITY_LIMIT] == 100 - MAX_PRIORITY_LABELS
    assert sum(first.values()) == 100


def test_adds_count_items_that_became_ready_and_not_duplicates(
    time: VirtualTime, registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    queue.add("a")
    queue.add("a")
    queue.add_after("b", 10)
    before = value(registry, "workqueue_adds_total")

    time.advance(10)

    assert (before, value(registry, "workqueue_adds_total")) == (1, 2)


def test_retries_count_every_add_with_a_delay(registry: CollectorRegistry, queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.add_after("a", 10)
    queue.add_rate_limited("a")
    queue.add_after("a", 0)

    assert value(registry, "workqueue_retries_total") == 2


def test_queue_duration_runs_from_ready_to_get_and_work_duration_from_get_to_done(
    time: VirtualTime, registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    queue.add_after("a", 10)
    time.advance(13)
    queue.get()
    time.advance(200)

    queue.done("a")

    assert value(registry, "workqueue_queue_duration_seconds_sum") == 3
    assert value(registry, "workqueue_queue_duration_seconds_count") == 1
    assert value(registry, "workqueue_work_duration_seconds_sum") == 200
    assert value(registry, "workqueue_work_duration_seconds_bucket", le="100.0") == 0
    assert value(registry, "workqueue_work_duration_seconds_bucket", le="1000.0") == 1


def test_duration_buckets_are_powers_of_ten_with_an_inclusive_upper_bound(
    time: VirtualTime, registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    queue.add("a")
    time.advance(10)
    queue.get()

    (family,) = (family for family in registry.collect() if family.name == "workqueue_queue_duration_seconds")
    buckets = {float(sample.labels["le"]): sample.value for sample in family.samples if "le" in sample.labels}

    assert list(buckets) == pytest.approx([1e-8 * 10**step for step in range(12)] + [float("inf")])
    assert (buckets[1.0], buckets[10.0], buckets[float("inf")]) == (0, 1, 1)


def test_unfinished_work_is_measured_at_the_scrape(
    time: VirtualTime, registry: CollectorRegistry, queue: WorkQueue[str]
) -> None:
    queue.add_many("ab")
    queue.get()
    time.advance(2)
    queue.get()
    time.advance(3)

    assert value(registry, "workqueue_unfinished_work_seconds") == 5 + 3
    assert value(registry, "workqueue_longest_running_processor_seconds") == 5
    queue.done("a")
    assert value(registry, "workqueue_longest_running_processor_seconds") == 3
    queue.done("b")
    assert value(registry, "workqueue_longest_running_processor_seconds") == 0


def test_two_queues_of_one_name_are_refused(time: VirtualTime) -> None:
    metrics = WorkQueueMetrics(CollectorRegistry())
    WorkQueue[str]("pods", time.runtime, time.clock, ExponentialPerItem(), metrics=metrics)

    with pytest.raises(ValueError, match="already a queue named 'pods'"):
        WorkQueue[str]("pods", time.runtime, time.clock, ExponentialPerItem(), metrics=metrics)


def test_queues_of_one_registry_are_told_apart_by_name(time: VirtualTime, registry: CollectorRegistry) -> None:
    metrics = WorkQueueMetrics(registry)
    queues = [
        WorkQueue[str](name, time.runtime, time.clock, ExponentialPerItem(), metrics=metrics)
        for name in ("pods", "nodes")
    ]

    queues[0].add("a")

    assert value(registry, "workqueue_adds_total") == 1
    assert registry.get_sample_value("workqueue_adds_total", {"name": "nodes", "controller": "nodes"}) == 0
