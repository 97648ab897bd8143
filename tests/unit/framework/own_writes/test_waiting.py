"""Reads that wait for the cache, and for how long."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from apis.meta import Key, Request
from framework.client import Access
from framework.errors import CacheBehind, DeadlineExceeded
from framework.own_writes import Mode, Reconcile, ReconcileScope
from framework.runtime import Deadline, deadline_scope
from tests.unit.framework.own_writes.bench import CONFIG_MAPS, NAMESPACE, Bench, content, key_of


class Reader:
    """A task that reads in one of the modes."""

    def __init__(
        self, bench: Bench, read: Callable[[], Any], mode: Mode = "overlay", timeout: float | None = None
    ) -> None:
        self.results: list[Any] = []
        self._bench = bench
        self._read = read
        self._reconcile = Reconcile("widgets", Request(Key("default", "w")), mode)
        now = bench.time.clock.monotonic()
        self._deadline = None if timeout is None else Deadline(now + timeout, timeout)
        bench.time.runtime.spawn("reader", self._run)
        bench.time.wait_until_idle()

    def _run(self) -> None:
        with ReconcileScope(self._reconcile), deadline_scope(self._deadline):
            try:
                self.results.append(self._read())
            except (CacheBehind, DeadlineExceeded) as error:
                self.results.append(error)


def test_who_waits_reads_the_write_from_the_cache(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    reader = Reader(bench, lambda: bench.seen("a"), "wait")
    assert reader.results == []

    bench.event("MODIFIED", "a", 7)
    bench.time.wait_until_idle()

    assert reader.results == [7]


def test_who_waits_for_a_deletion_reads_when_the_cache_has_it(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.deleted("a")
    reader = Reader(bench, lambda: bench.seen("a"), "wait")
    assert reader.results == []

    bench.event("DELETED", "a", 7)
    bench.time.wait_until_idle()

    assert reader.results == [None]


def test_who_waits_does_not_wait_for_another_object_or_namespace(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("b", 7)

    assert Reader(bench, lambda: bench.lister.get(key_of("a")) is not None, "wait").results == [True]
    assert Reader(bench, lambda: bench.lister.list("elsewhere"), "wait").results == [[]]
    assert Reader(bench, lambda: bench.lister.list(NAMESPACE), "wait").results == []
    bench.bookmark(7)


def test_who_waits_does_not_wait_for_what_the_cache_will_never_show() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5)
    bench.wrote("a", 7, labels={"app": "db"})

    assert Reader(bench, lambda: bench.seen("a"), "wait").results == [None]


def test_a_wait_ends_with_an_error_and_not_with_an_old_object(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    reader = Reader(bench, lambda: bench.seen("a"), "wait")

    bench.time.advance(9.9)
    assert reader.results == []
    bench.time.advance(0.2)

    assert isinstance(reader.results[0], CacheBehind)
    assert str(reader.results[0]) == "the cache of configmaps has not passed the own write of default/a within 10 s"


def test_a_wait_ends_with_the_reconcile(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    reader = Reader(bench, lambda: bench.seen("a"), "wait", timeout=2.0)

    bench.time.advance(2.0)

    assert isinstance(reader.results[0], DeadlineExceeded)


@pytest.mark.parametrize("mode", ["gate", "off"])
def test_who_does_not_want_own_writes_reads_the_cache_as_it_is(bench: Bench, mode: Mode) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    bench.deleted("b")

    assert Reader(bench, lambda: bench.seen("a"), mode).results == [4]
    assert bench.seen("a") == 7


def test_who_does_not_want_own_writes_does_not_pay_for_remembering_them(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    with ReconcileScope(Reconcile("widgets", Request(Key("default", "w")), "off")):
        bench.wrote("a", 7)

    assert not bench.has_pending


def scaled(bench: Bench, name: str, version: int) -> None:
    access = Access("patch", CONFIG_MAPS, "scale", NAMESPACE, name)
    metadata = {"name": name, "namespace": NAMESPACE, "uid": f"uid-{name}", "resourceVersion": str(version)}
    bench.own_writes.answered(
        access, msgspec.json.encode({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata})
    )


def test_a_write_whose_answer_does_not_show_the_object_is_waited_for(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    scaled(bench, "a", 7)
    reader = Reader(bench, lambda: bench.seen("a"))
    assert reader.results == []

    bench.event("MODIFIED", "a", 7)
    bench.time.wait_until_idle()

    assert reader.results == [7]


def test_a_whole_answer_after_that_needs_no_wait(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    scaled(bench, "a", 7)

    bench.wrote("a", 8)

    assert bench.seen("a") == 8


def test_the_end_of_what_we_created_and_the_cache_has_not_seen_is_waited_for(bench: Bench) -> None:
    bench.relist(5)
    bench.wrote("a", 6, verb="create")
    page = {"kind": "ConfigMapList", "items": [msgspec.Raw(content("a", 6))]}
    bench.own_writes.answered(bench.sending("deletecollection"), msgspec.json.encode(page))
    reader = Reader(bench, lambda: bench.seen_by_get("a"))

    bench.event("ADDED", "a", 6)
    bench.time.wait_until_idle()
    assert reader.results == []
    bench.event("DELETED", "a", 7)
    bench.time.wait_until_idle()

    assert reader.results == [None]


def test_the_end_of_a_collection_is_waited_for_object_by_object(bench: Bench) -> None:
    bench.relist(5, content("a", 4), content("b", 4), content("c", 4))
    access = bench.sending("deletecollection")
    items = [msgspec.Raw(content("a", 4)), msgspec.Raw(content("b", 4))]
    bench.own_writes.answered(access, msgspec.json.encode({"kind": "ConfigMapList", "items": items}))

    assert bench.seen_by_get("c") == 4
    gone = Reader(bench, lambda: bench.seen_by_get("a"))
    going = Reader(bench, lambda: bench.seen_by_get("b"))
    assert gone.results == going.results == []
    bench.event("DELETED", "a", 7)
    bench.event("MODIFIED", "b", 8, deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["x/y"])
    bench.time.wait_until_idle()

    assert gone.results == [None]
    assert going.results == [8]
    assert not bench.has_pending
