"""Waiting getters, the end of the queue, and the races between them."""

from collections.abc import Callable

import pytest

from framework.errors import QueueShutDown
from framework.testing.virtual_time import VirtualTime
from framework.workqueue import WorkQueue, default_rate_limiter


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def queue(time: VirtualTime) -> WorkQueue[str]:
    return WorkQueue("test", time.runtime, time.clock, default_rate_limiter())


class Workers:
    """Take items for as long as the queue lives; an item keeps its worker busy for *work_seconds*."""

    def __init__(self, time: VirtualTime, queue: WorkQueue[str], count: int, work_seconds: float = 0.0) -> None:
        self._time = time
        self._queue = queue
        self._work_seconds = work_seconds
        self.taken: list[tuple[str, float]] = []
        self.ended = 0
        for number in range(count):
            time.runtime.spawn(f"worker-{number}", self._run)
        time.wait_until_idle()

    def _run(self) -> None:
        try:
            while True:
                item, _ = self._queue.get()
                self.taken.append((item, self._time.clock.monotonic()))
                self._time.clock.wait(self._work_seconds)
                self._queue.done(item)
        except QueueShutDown:
            self.ended += 1


def test_a_blocked_get_wakes_for_an_add(time: VirtualTime, queue: WorkQueue[str]) -> None:
    workers = Workers(time, queue, 1)

    queue.add("a")
    time.wait_until_idle()

    assert workers.taken == [("a", 0)]


def test_a_blocked_get_wakes_when_a_delayed_item_becomes_ready(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("a", 5)
    workers = Workers(time, queue, 3)

    time.advance(10)

    assert workers.taken == [("a", 5)]


def test_a_delayed_add_that_becomes_the_earliest_wakes_a_getter_in_time(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_after("late", 50)
    workers = Workers(time, queue, 2)

    queue.add_after("early", 5)
    time.advance(60)

    assert workers.taken == [("early", 5), ("late", 50)]


def test_only_one_of_many_sleeping_getters_watches_the_clock(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("delayed", 5)

    Workers(time, queue, 4)

    assert len(time._world._timers) == 1


def test_delayed_items_are_still_watched_after_the_watching_getter_left_with_another_item(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_after("delayed", 5)
    workers = Workers(time, queue, 2, work_seconds=100)

    queue.add("long work")
    time.advance(5)

    assert workers.taken == [("long work", 0), ("delayed", 5)]


def test_delayed_items_are_still_watched_after_the_watching_getter_gave_up(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_after("delayed", 5)
    time.runtime.spawn("impatient", lambda: _expect(TimeoutError, lambda: queue.get(timeout=2)))
    time.wait_until_idle()
    workers = Workers(time, queue, 1)

    time.advance(5)

    assert workers.taken == [("delayed", 5)]


def test_items_that_become_ready_together_wake_as_many_getters(time: VirtualTime, queue: WorkQueue[str]) -> None:
    for item in "abc":
        queue.add_after(item, 5)
    workers = Workers(time, queue, 4, work_seconds=100)

    time.advance(5)

    assert sorted(workers.taken) == [("a", 5), ("b", 5), ("c", 5)]


def test_items_that_a_look_from_outside_made_ready_wake_getters(time: VirtualTime, queue: WorkQueue[str]) -> None:
    workers = Workers(time, queue, 2, work_seconds=100)
    queue.add_after("a", 5)
    queue.add_after("b", 5)
    time.wait_until_idle()

    time._world.elapsed = 5.0
    ready = len(queue)
    time.wait_until_idle()

    assert ready == 2
    assert sorted(workers.taken) == [("a", 5), ("b", 5)]


def test_add_many_wakes_as_many_getters_as_it_brought_items(time: VirtualTime, queue: WorkQueue[str]) -> None:
    workers = Workers(time, queue, 4, work_seconds=100)

    queue.add_many("abc")
    time.wait_until_idle()

    assert sorted(item for item, _ in workers.taken) == ["a", "b", "c"]


def test_an_item_readded_during_processing_wakes_another_getter_at_done(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add("a")
    queue.get()
    queue.add("a")
    workers = Workers(time, queue, 1)
    before = list(workers.taken)

    queue.done("a")
    time.wait_until_idle()

    assert before == []
    assert workers.taken == [("a", 0)]


def test_the_waiter_count_stays_right_when_timeouts_meet_adds(time: VirtualTime, queue: WorkQueue[str]) -> None:
    for number in range(3):
        time.runtime.spawn(f"impatient-{number}", lambda: _expect(TimeoutError, lambda: queue.get(timeout=2)))
    time.advance(2)

    workers = Workers(time, queue, 1)
    queue.add("a")
    time.wait_until_idle()

    assert queue._sleepers == 1
    assert workers.taken == [("a", 2)]


def test_shut_down_ends_every_blocked_get(time: VirtualTime, queue: WorkQueue[str]) -> None:
    workers = Workers(time, queue, 3)

    queue.shut_down()
    time.wait_until_idle()

    assert workers.ended == 3


def test_get_never_blocks_after_shut_down_and_hands_out_nothing(queue: WorkQueue[str]) -> None:
    queue.add("dropped")

    queue.shut_down()

    with pytest.raises(QueueShutDown):
        queue.get()
    assert len(queue) == 0


def test_adds_after_shut_down_are_ignored(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.shut_down()

    queue.add("a")
    queue.add_many(["b"])
    queue.add_after("c", 1)
    queue.add_rate_limited("d")
    time.advance(10)

    assert len(queue) == 0


def test_an_item_in_processing_can_be_given_back_after_shut_down(queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.get()
    queue.add("a")

    queue.shut_down()
    queue.done("a")

    with pytest.raises(ValueError, match="no worker has that item"):
        queue.done("a")


def test_a_drain_finishes_what_is_ready_and_in_processing_before_get_raises(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_many("abc")
    workers = Workers(time, queue, 2, work_seconds=10)
    answers = _drain(time, queue, timeout=None)

    time.advance(10)
    half_way = (list(answers), workers.ended)
    time.advance(10)

    assert half_way == ([], 0)
    assert [item for item, _ in workers.taken] == ["a", "b", "c"]
    assert (answers, workers.ended) == ([True], 2)


def test_a_drain_hands_out_what_was_added_again_during_processing(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("a")
    workers = Workers(time, queue, 2, work_seconds=10)
    queue.add("a")
    answers = _drain(time, queue, timeout=None)

    time.advance(20)

    assert workers.taken == [("a", 0), ("a", 10)]
    assert answers == [True]


def test_a_drain_drops_delayed_items_but_not_those_whose_time_has_come(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_after("due", 1)
    queue.add_after("delayed", 100)
    time.advance(1)
    answers = _drain(time, queue, timeout=None)

    workers = Workers(time, queue, 1)
    time.advance(200)

    assert workers.taken == [("due", 1)]
    assert answers == [True]


def test_a_delayed_item_does_not_become_ready_during_a_drain(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.add_after("delayed", 5)
    workers = Workers(time, queue, 2, work_seconds=10)
    answers = _drain(time, queue, timeout=None)

    time.advance(10)

    assert workers.taken == [("a", 0)]
    assert answers == [True]


def test_a_drain_accepts_nothing_new(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("a")
    workers = Workers(time, queue, 1, work_seconds=10)
    answers = _drain(time, queue, timeout=None)

    queue.add("b")
    queue.add("a")
    time.advance(30)

    assert [item for item, _ in workers.taken] == ["a"]
    assert answers == [True]


def test_a_drain_of_an_empty_queue_ends_its_getters_at_once(time: VirtualTime, queue: WorkQueue[str]) -> None:
    workers = Workers(time, queue, 2)

    drained = queue.shut_down_with_drain(timeout=None)
    time.wait_until_idle()

    assert drained
    assert workers.ended == 2


def test_a_drain_that_takes_too_long_says_so_and_ends_the_queue(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_many("ab")
    workers = Workers(time, queue, 1, work_seconds=100)
    answers = _drain(time, queue, timeout=30)

    time.advance(30)
    at_the_limit = list(answers)
    time.advance(70)

    assert at_the_limit == [False]
    assert [item for item, _ in workers.taken] == ["a"]
    assert workers.ended == 1


def test_shut_down_cuts_a_drain_short(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("a")
    Workers(time, queue, 1, work_seconds=100)
    answers = _drain(time, queue, timeout=None)

    queue.shut_down()
    time.wait_until_idle()

    assert answers == [False]


def _drain(time: VirtualTime, queue: WorkQueue[str], timeout: float | None) -> list[bool]:
    answers: list[bool] = []
    time.runtime.spawn("drain", lambda: answers.append(queue.shut_down_with_drain(timeout)))
    time.wait_until_idle()
    return answers


def _expect(error: type[Exception], act: Callable[[], object]) -> None:
    with pytest.raises(error):
        act()
