"""A cache and its handlers, on a scripted server in virtual time."""

from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.informers import InformerMetrics, InformerOptions, SharedInformer
from framework.store import Change, drop_managed_fields
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.informers.scripted import (
    FixedRandom,
    ScriptedServer,
    Watch,
    bookmark,
    client_of,
    line,
    listed,
    obj,
    refused,
)


class Listener:
    def __init__(self, time: VirtualTime, *, seconds: float = 0.0) -> None:
        self._time = time
        self._seconds = seconds
        self.seen: list[str] = []
        self.changes: list[Change[ConfigMap]] = []

    def on_change(self, change: Change[ConfigMap]) -> None:
        self._time.clock.wait(self._seconds)
        self.seen.append(f"{change}{' initial' if change.is_initial else ''}".removeprefix("Change(default/"))
        self.changes.append(change)


class Bench:
    def __init__(self, **options: Any) -> None:
        self.time = VirtualTime()
        self.server = ScriptedServer(self.time)
        self.registry = CollectorRegistry()
        self.metrics = InformerMetrics(self.registry)
        self.informer: SharedInformer[ConfigMap] = self.another(**options)

    def another(self, **options: Any) -> SharedInformer[ConfigMap]:
        return SharedInformer(
            ConfigMap,
            client=client_of(self.server, self.time, FixedRandom()),
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=FixedRandom(),
            options=InformerOptions(**{"use_watch_list": False, **options}),
            metrics=self.metrics,
        )

    def listener(self, *, seconds: float = 0.0, **options: Any) -> Listener:
        listener = Listener(self.time, seconds=seconds)
        self.informer.add_handler(listener, **options)
        return listener

    def start(self) -> None:
        self.informer.start()
        self.time.wait_until_idle()

    def sample(self, name: str, **labels: str) -> float | None:
        ours = {"name": "configmaps", "group": "", "version": "v1", "resource": "configmaps"}
        return self.registry.get_sample_value(name, {**ours, **labels})


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_handlers_see_the_initial_state_and_every_change_with_old_and_new(bench: Bench) -> None:
    events = [line("ADDED", obj("b", 8)), line("MODIFIED", obj("a", 9)), line("DELETED", obj("b", 10))]
    bench.server.will(listed(7, obj("a", 5)), Watch(events))
    listener = bench.listener()

    bench.start()

    assert listener.seen == ["a, None -> 5) initial", "b, None -> 8)", "a, 5 -> 9)", "b, 8 -> None)"]
    old, new = listener.changes[2].old, listener.changes[2].new
    assert old is not None
    assert new is not None
    assert (old.data, new.data) == ({"v": "5"}, {"v": "9"})
    bench.informer.close()


def test_a_late_handler_gets_everything_once_as_initial_and_then_the_changes(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5), obj("b", 6)), Watch([], 2.0), Watch([line("MODIFIED", obj("a", 9))]))
    bench.start()

    listener = bench.listener()
    bench.time.advance(2.0)

    assert sorted(listener.seen[:2]) == ["a, None -> 5) initial", "b, None -> 6) initial"]
    assert listener.seen[2:] == ["a, 5 -> 9)"]
    bench.informer.close()


def test_a_slow_handler_holds_up_neither_another_nor_the_cache(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5)), Watch([line("ADDED", obj("b", 8))]))
    slow, quick = bench.listener(seconds=1000.0), bench.listener()

    bench.start()

    assert slow.seen == []
    assert quick.seen == ["a, None -> 5) initial", "b, None -> 8)"]
    assert len(bench.informer.lister) == 2
    assert bench.informer.queued == 2
    bench.time.advance(2000.0)
    assert slow.seen == quick.seen
    bench.informer.close()


def test_informer_and_handlers_sync_one_by_one(bench: Bench) -> None:
    bench.server.will(refused(403), listed(7, obj("a", 5)))
    slow = bench.informer.add_handler(Listener(bench.time, seconds=5.0))
    quick = bench.informer.add_handler(Listener(bench.time))

    def synced() -> tuple[bool, bool, bool]:
        return bench.informer.has_synced, quick.has_synced, slow.has_synced

    bench.start()
    states = [synced()]
    bench.time.advance(1.0)
    states.append(synced())
    bench.time.advance(5.0)
    states.append(synced())

    assert states == [(False, False, False), (True, True, False), (True, True, True)]
    bench.informer.close()


def test_a_problem_is_one_line_until_it_is_over(bench: Bench) -> None:
    bench.server.will(refused(403, "Forbidden"), listed(7), Watch([], 2.0), refused(500, "InternalError"))
    problems = [bench.informer.problem]

    bench.start()
    problems.append(bench.informer.problem)
    bench.time.advance(1.0)
    problems.append(bench.informer.problem)
    bench.time.advance(2.0)
    problems.append(bench.informer.problem)
    bench.time.advance(2.0)
    problems.append(bench.informer.problem)

    assert problems == ["the informer is not running", "403 Forbidden", None, "500 InternalError", None]
    bench.informer.close()


def test_a_restart_brings_the_cache_up_to_date_by_difference_and_never_back(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5), obj("b", 6)), Watch([line("ADDED", obj("c", 9))]))
    listener = bench.listener()
    bench.start()
    bench.informer.stop()
    stopped = bench.informer.has_synced, len(bench.informer.lister), bench.informer.is_running
    seen_before = len(listener.seen)

    bench.server.will(listed(20, obj("a", 5), obj("b", 15, "other"), obj("d", 12)))
    bench.start()

    assert stopped == (False, 3, False)
    assert bench.server.lists[1].query == {"resourceVersion": "9", "resourceVersionMatch": "NotOlderThan"}
    assert sorted(listener.seen[seen_before:]) == ["b, 6 -> None)", "b, None -> 15)", "c, 9 -> None)", "d, None -> 12)"]
    assert bench.informer.has_synced
    bench.informer.close()


def test_what_a_stopped_reflector_still_brings_is_not_taken(bench: Bench) -> None:
    bench.start()
    (sink,) = bench.informer._sinks
    bench.informer.stop()

    sink.replace({}, 99)
    sink.apply([], 99)
    sink.progress(99)

    assert not bench.informer.has_synced
    assert bench.informer.version != 99
    bench.informer.close()


def test_start_and_stop_may_come_twice(bench: Bench) -> None:
    bench.server.will(listed(7))
    bench.start()
    bench.start()
    requests = len(bench.server.requests)

    bench.informer.stop()
    bench.informer.stop()

    assert requests == 2
    assert bench.informer.problem == "the informer is not running"
    bench.informer.close()


def test_a_resync_shows_every_object_again_and_asks_the_server_nothing(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5)))
    listener = bench.listener(resync_seconds=60.0)
    other = bench.listener()
    bench.start()
    requests = len(bench.server.requests)

    bench.time.advance(120.0)

    assert listener.seen == ["a, None -> 5) initial", "a, 5 -> 5)", "a, 5 -> 5)"]
    assert [change.is_resync for change in listener.changes] == [False, True, True]
    assert other.seen == ["a, None -> 5) initial"]
    assert len(bench.server.requests) == requests
    bench.informer.close()


def test_a_removed_handler_hears_nothing_more_and_leaves_no_task(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5)))
    listener = Listener(bench.time)
    registration = bench.informer.add_handler(listener, name="removed", resync_seconds=60.0)
    bench.start()

    bench.informer.remove_handler(registration)
    bench.informer.remove_handler(registration)
    bench.time.advance(300.0)

    assert listener.seen == ["a, None -> 5) initial"]
    assert bench.time.blocked() == {"reflector-configmaps"}
    bench.informer.close()


def test_close_leaves_no_task(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5)))
    bench.listener(resync_seconds=60.0)
    bench.start()

    bench.informer.close()
    bench.time.wait_until_idle()

    assert bench.time.blocked() == frozenset()


def test_several_namespaces_are_watched_one_by_one_and_each_syncs() -> None:
    bench = Bench(namespaces=("one", "two", "one"))
    listener = bench.listener()
    bench.server.will(listed(7, obj("a", 5, namespace="one")))
    bench.informer.start()

    bench.time.wait_until_idle()

    assert {request.version for request in bench.server.requests} == {"0", "7"}
    assert len(bench.server.lists) == 2
    assert not bench.informer.has_synced
    assert bench.informer.version == 0
    assert listener.seen == ["Change(one/a, None -> 5) initial"]
    bench.informer.close()


def test_a_transform_that_fails_stops_nothing() -> None:
    def fail_on_b(content: dict[str, Any]) -> dict[str, Any]:
        if content["metadata"]["name"] == "b":
            raise KeyError("spec")
        return drop_managed_fields(content)

    bench = Bench(transform=fail_on_b)
    bench.server.will(listed(7, obj("a", 5, managedFields=[{}])), Watch([line("ADDED", obj("b", 8))]))

    bench.start()

    assert bench.informer.problem is None
    assert {entry.key.name: b"managedFields" in entry.raw for entry in bench.informer._store.entries()} == {
        "a": False,
        "b": False,
    }
    bench.informer.close()


def test_an_index_may_come_before_the_start_and_after_the_sync(bench: Bench) -> None:
    bench.server.will(listed(7, obj("a", 5)), Watch([line("ADDED", obj("b", 8))]))
    bench.informer.add_index("early", lambda one: [one.data["v"]])

    bench.start()
    bench.informer.add_index("late", lambda one: [one.data["v"]])

    for index in ("early", "late"):
        assert [one.key for one in bench.informer.lister.by_index(index, "8")] == [Key("default", "b")]
    bench.informer.close()


def test_metrics_say_what_is_queued_cached_and_how_far_it_is() -> None:
    bench = Bench()
    huge = 987_654_321_012_345_678
    late = line("MODIFIED", obj("a", 2))
    events = late + line("ADDED", obj("b", huge + 2))
    bench.server.will(listed(huge, obj("a", 5)), Watch([], 1.0), Watch([events]))
    bench.listener(seconds=2.0)
    bench.start()
    bench.time.advance(1.0)
    before = [bench.sample("informer_queued_items"), bench.sample("informer_processing_latency_seconds_count")]

    bench.time.advance(10.0)

    assert before == [2, 0]
    assert bench.sample("informer_queued_items") == 0
    assert bench.sample("informer_processing_latency_seconds_count") == 2
    assert bench.sample("informer_processing_latency_seconds_bucket", le="2.5") == 1
    assert bench.sample("informer_processing_latency_seconds_sum") == 5.0
    assert bench.sample("informer_store_resource_version") == 654_321_012_345_680
    assert bench.sample("windlass_informer_objects") == 2
    assert bench.sample("windlass_informer_synced") == 1
    assert bench.sample("windlass_informer_ignored_events_total") == 1
    bench.informer.close()
    assert bench.sample("windlass_informer_synced") is None


def test_failures_are_counted_by_reason(bench: Bench) -> None:
    bench.server.will(refused(403, "Forbidden"), refused(403, "Forbidden"), refused(404, "NotFound"))
    bench.start()
    bench.time.advance(3.0)

    assert bench.sample("windlass_reflector_failures_total", reason="Forbidden") == 2
    assert bench.sample("windlass_reflector_failures_total", reason="NotFound") == 1
    bench.informer.close()


def test_a_bookmark_moves_the_version_that_metrics_show(bench: Bench) -> None:
    bench.server.will(listed(7), Watch([bookmark(70)]))

    bench.start()

    assert bench.informer.version == 70
    assert bench.sample("informer_store_resource_version") == 70
    bench.informer.close()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "configmaps"),
        ({"labels": "app=web"}, "configmaps[labels=app=web]"),
        ({"namespaces": ("a", "b"), "metadata_only": True}, "configmaps[namespaces=a,b;metadata_only=true]"),
    ],
)
def test_two_informers_of_a_resource_have_different_names(options: dict[str, Any], name: str) -> None:
    assert Bench(**options).informer.name == name


def test_an_informer_that_starts_over_asks_for_the_newest_state_and_compares_no_versions() -> None:
    bench = Bench()
    bench.server.will(listed(900, obj("a", 800), obj("b", 810)), Watch())
    listener = bench.listener()
    bench.informer.start()
    bench.time.wait_until_idle()
    listener.seen.clear()
    bench.server.will(listed(5, obj("a", 3, uid="other"), obj("c", 4)), Watch())

    bench.informer.start_over()
    bench.time.wait_until_idle()

    assert bench.server.lists[-1].version is None
    assert sorted(listener.seen) == ["a, 800 -> None)", "a, None -> 3)", "b, 810 -> None)", "c, None -> 4)"]
    assert bench.informer.version == 5
    assert bench.server.watches[-1].version == "5"
    bench.informer.close()


def test_an_informer_that_starts_over_has_not_synced_until_it_has_listed() -> None:
    bench = Bench()
    bench.server.will(listed(900, obj("a", 800)), Watch())
    bench.informer.start()
    bench.time.wait_until_idle()
    bench.server.will(refused(503), refused(503), refused(503), refused(503), refused(503), refused(503))

    bench.informer.start_over()
    bench.time.wait_until_idle()

    assert (bench.informer.has_synced, bench.informer.size, bench.informer.version) == (False, 1, 0)
    bench.informer.close(timeout=0)


def test_starting_over_starts_nothing_that_was_not_running() -> None:
    bench = Bench()

    bench.informer.start_over()
    bench.time.wait_until_idle()

    assert bench.server.requests == []


def test_whoever_waits_after_a_failure_can_be_told_not_to() -> None:
    bench = Bench()
    bench.server.will(refused(404), listed(9, obj("a", 8)), Watch())
    bench.informer.start()
    bench.time.wait_until_idle()
    before = bench.informer.has_synced

    bench.informer.retry_now()
    bench.time.wait_until_idle()

    assert (before, bench.informer.has_synced) == (False, True)
    bench.informer.close()


def test_the_series_of_an_informer_that_ended_can_be_forgotten() -> None:
    bench = Bench()
    bench.server.will(refused(404), listed(9, obj("a", 8)), Watch())
    bench.listener()
    bench.informer.start()
    bench.time.advance(2)
    names = {sample.labels.get("name") for family in bench.registry.collect() for sample in family.samples}
    bench.informer.close()

    bench.metrics.forget(bench.informer.name)

    assert "configmaps" in names
    assert not [sample for family in bench.registry.collect() for sample in family.samples]
