"""Why an item was added is kept with it, until a worker asks."""

from collections.abc import Hashable

import pytest

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import MAX_REASONS, Reason, WorkQueue, default_rate_limiter


class Bench:
    def __init__(self) -> None:
        self.time = VirtualTime()
        self.queue: WorkQueue[str] = WorkQueue("test", self.time.runtime, self.time.clock, default_rate_limiter())

    def take(self) -> tuple[str, list[Reason]]:
        item, _ = self.queue.get(timeout=0)
        return item, list(self.queue.take_reasons(item)[1])


@pytest.fixture
def bench() -> Bench:
    return Bench()


def changed(subject: Hashable, old: int, new: int) -> Reason:
    return Reason("changed", "pods", subject, old, new)


def test_changes_of_one_object_are_one_reason_with_the_first_and_the_last_version(bench: Bench) -> None:
    for version in range(10, 15):
        bench.queue.add("a", reason=changed("x", version, version + 1))

    assert bench.take() == ("a", [Reason("changed", "pods", "x", 10, 15, count=5)])


def test_reasons_of_different_objects_and_sources_stay_apart(bench: Bench) -> None:
    bench.queue.add("a", reason=changed("x", 1, 2))
    bench.queue.add("a", reason=changed("y", 3, 4))
    bench.queue.add("a", reason=Reason("changed", "secrets", "x", 5, 6))

    assert [(reason.source, reason.subject) for reason in bench.take()[1]] == [
        ("pods", "x"),
        ("pods", "y"),
        ("secrets", "x"),
    ]


def test_deletion_is_not_hidden_by_the_change_before_it_nor_a_creation_by_the_deletion(bench: Bench) -> None:
    bench.queue.add("a", reason=changed("x", 1, 2))
    bench.queue.add("a", reason=Reason("deleted", "pods", "x", 2))
    bench.queue.add("b", reason=Reason("deleted", "pods", "x", 2))
    bench.queue.add("b", reason=Reason("created", "pods", "x", 0, 5))

    assert bench.take()[1][0].what == "deleted"
    assert bench.take()[1][0].what == "created"


def test_number_of_reasons_is_bounded_and_the_rest_is_counted(bench: Bench) -> None:
    for number in range(MAX_REASONS + 92):
        bench.queue.add("a", reason=changed(number, 1, 2))

    reasons = bench.take()[1]

    assert len(reasons) == MAX_REASONS + 1
    assert (reasons[-1].what, reasons[-1].count) == ("others", 92)


def test_reason_that_comes_during_the_work_is_told_at_the_next_one(bench: Bench) -> None:
    bench.queue.add("a", reason=changed("x", 1, 2))
    _, first = bench.take()
    bench.queue.add("a", reason=changed("x", 2, 3))
    bench.queue.done("a")

    _, second = bench.take()

    assert [reason.new_version for reason in first] == [2]
    assert [(reason.old_version, reason.new_version) for reason in second] == [(2, 3)]


def test_each_reason_is_told_once(bench: Bench) -> None:
    bench.queue.add("a", reason=changed("x", 1, 2))
    bench.take()

    assert bench.queue.take_reasons("a") == (0.0, ())


def test_reasons_of_a_delayed_item_wait_with_it_and_are_joined_by_later_ones(bench: Bench) -> None:
    bench.queue.add_after("a", 30.0, reason=Reason("later"))
    bench.queue.add("a", reason=changed("x", 1, 2))

    assert [reason.what for reason in bench.take()[1]] == ["later", "changed"]


def test_waiting_is_counted_from_when_the_item_was_ready(bench: Bench) -> None:
    bench.queue.add("now")
    bench.queue.add_after("later", 30.0)
    bench.time.advance(40.0)

    waits = {}
    for _ in range(2):
        item, _ = bench.queue.get(timeout=0)
        waits[item] = bench.queue.take_reasons(item)[0]

    assert waits == {"now": 40.0, "later": 10.0}


def test_queue_tells_when_an_item_is_ready_again(bench: Bench) -> None:
    bench.queue.add("a")
    bench.queue.get(timeout=0)
    before = bench.queue.ready_in("a")
    bench.queue.add_after("a", 30.0)
    bench.time.advance(10.0)
    delayed = bench.queue.ready_in("a")
    bench.queue.add("a")

    assert (before, delayed, bench.queue.ready_in("a")) == (None, 20.0, 0.0)


def test_queue_that_was_shut_down_takes_no_reason(bench: Bench) -> None:
    bench.queue.add("a", reason=changed("x", 1, 2))
    bench.queue.get(timeout=0)
    bench.queue.take_reasons("a")
    bench.queue.shut_down()

    bench.queue.add("a", reason=changed("x", 2, 3))

    assert bench.queue.take_reasons("a")[1] == ()
