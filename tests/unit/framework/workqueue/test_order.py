"""Which item comes next, and when."""

import pytest

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import LOW_PRIORITY, OVERDUE_SHARE, ExponentialPerItem, WorkQueue
from framework.workqueue.ready import ReadyItems


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def queue(time: VirtualTime) -> WorkQueue[str]:
    return WorkQueue("test", time.runtime, time.clock, ExponentialPerItem(base_seconds=8.0))


def take(queue: WorkQueue[str]) -> str:
    item, _ = queue.get(timeout=0)
    return item


def take_all(queue: WorkQueue[str]) -> list[str]:
    return [take(queue) for _ in range(len(queue))]


def assert_nothing_ready(queue: WorkQueue[str]) -> None:
    with pytest.raises(TimeoutError):
        queue.get(timeout=0)


def test_items_of_one_priority_come_in_the_order_of_their_adds(queue: WorkQueue[str]) -> None:
    queue.add_many(["c", "a", "b"])

    assert take_all(queue) == ["c", "a", "b"]


def test_an_item_added_twice_comes_once(queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.add("a")

    assert take_all(queue) == ["a"]
    assert_nothing_ready(queue)


def test_higher_priority_comes_first(queue: WorkQueue[str]) -> None:
    queue.add("low", priority=LOW_PRIORITY)
    queue.add("plain")
    queue.add("high", priority=10)

    assert take_all(queue) == ["high", "plain", "low"]


def test_get_tells_the_priority_and_none_means_zero(queue: WorkQueue[str]) -> None:
    queue.add("low", priority=LOW_PRIORITY)
    queue.add("plain", priority=None)

    assert [queue.get(), queue.get()] == [("plain", 0), ("low", LOW_PRIORITY)]


def test_adding_again_keeps_the_higher_priority(queue: WorkQueue[str]) -> None:
    queue.add("a", priority=5)
    queue.add("a", priority=1)

    assert queue.get() == ("a", 5)


def test_raising_the_priority_moves_an_item_to_the_end_of_its_new_level(queue: WorkQueue[str]) -> None:
    queue.add("raised")
    queue.add("first", priority=5)
    queue.add("raised", priority=5)
    queue.add("last", priority=5)

    assert take_all(queue) == ["first", "raised", "last"]


def test_a_change_of_priority_leaves_the_order_of_the_others_alone(queue: WorkQueue[str]) -> None:
    queue.add_many(["a", "b", "c", "d"])
    queue.add("c", priority=1)
    queue.add("a", priority=1)

    assert take_all(queue) == ["c", "a", "b", "d"]


def test_a_delayed_item_is_not_handed_out_before_its_time(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("a", 10)

    time.advance(9.9)
    assert_nothing_ready(queue)
    time.advance(0.1)

    assert take_all(queue) == ["a"]


def test_a_delay_that_is_not_positive_means_now(queue: WorkQueue[str]) -> None:
    queue.add_after("a", 0)
    queue.add_after("b", -3)

    assert take_all(queue) == ["a", "b"]


def test_adding_a_delayed_item_again_keeps_the_earlier_time(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("shortened", 20)
    queue.add_after("shortened", 10)
    queue.add_after("kept", 10)
    queue.add_after("kept", 20)

    time.advance(10)

    assert take_all(queue) == ["shortened", "kept"]
    time.advance(10)
    assert_nothing_ready(queue)


def test_adding_a_delayed_item_without_delay_makes_it_ready(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("a", 10)

    queue.add("a")

    assert take_all(queue) == ["a"]
    queue.done("a")
    time.advance(10)
    assert_nothing_ready(queue)


def test_a_ready_item_stays_ready_whatever_delay_comes_later(queue: WorkQueue[str]) -> None:
    queue.add("a")

    queue.add_after("a", 100)

    assert take_all(queue) == ["a"]


def test_adding_a_delayed_item_again_keeps_the_higher_priority(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_after("a", 10, priority=7)
    queue.add_after("a", 20, priority=3)
    queue.add_after("b", 10, priority=3)
    queue.add_after("b", 20, priority=9)

    time.advance(10)

    assert [queue.get(), queue.get()] == [("b", 9), ("a", 7)]


def test_delayed_items_line_up_by_when_they_became_ready_and_not_by_when_they_were_added(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_after("late", 3)
    queue.add_after("early", 1)
    time.advance(2)
    queue.add("between")

    time.advance(2)

    assert take_all(queue) == ["early", "between", "late"]


def test_an_item_raised_after_a_delayed_one_became_ready_stands_behind_it(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add("raised")
    queue.add_after("delayed", 1, priority=5)
    time.advance(1)

    queue.add("raised", priority=5)

    assert take_all(queue) == ["delayed", "raised"]


def test_rate_limited_and_after_together_use_the_smaller_delay(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("limiter is smaller", after=100, rate_limited=True)
    queue.add("after is smaller", after=2, rate_limited=True)

    time.advance(2)
    first = take_all(queue)
    time.advance(6)

    assert first == ["after is smaller"]
    assert take_all(queue) == ["limiter is smaller"]


def test_rate_limited_adds_wait_longer_until_forgotten(time: VirtualTime, queue: WorkQueue[str]) -> None:
    for delay in (8, 16):
        queue.add_rate_limited("a")
        time.advance(delay - 1)
        assert_nothing_ready(queue)
        time.advance(1)
        queue.done(take(queue))
    counted = queue.num_requeues("a")

    queue.forget("a")

    assert (counted, queue.num_requeues("a")) == (2, 0)
    queue.add_rate_limited("a")
    time.advance(8)
    assert take_all(queue) == ["a"]


def test_an_item_in_processing_is_not_handed_out_again_until_done(queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.add(take(queue))

    assert_nothing_ready(queue)
    queue.done("a")

    assert take(queue) == "a"


def test_an_item_added_again_during_processing_keeps_its_place_in_the_line(queue: WorkQueue[str]) -> None:
    queue.add("a")
    take(queue)
    queue.add_many(["b", "a", "c"])

    queue.done("a")

    assert take_all(queue) == ["b", "a", "c"]


def test_a_readd_during_processing_has_its_own_priority(queue: WorkQueue[str]) -> None:
    queue.add("a", priority=9)
    take(queue)
    queue.add("a", priority=1)
    queue.add("a", priority=2)

    queue.done("a")

    assert queue.get() == ("a", 2)


def test_a_delayed_readd_during_processing_waits_for_both_done_and_its_time(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_many(["late done", "early done"])
    for item in take_all(queue):
        queue.add_after(item, 10)

    queue.done("early done")
    assert_nothing_ready(queue)
    time.advance(10)
    assert take_all_available(queue) == ["early done"]
    queue.done("late done")

    assert take_all_available(queue) == ["late done"]


def test_len_counts_ready_items_only(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add_many(["in processing", "ready"])
    take(queue)
    queue.add_after("delayed", 10)
    before = len(queue)

    time.advance(10)

    assert (before, len(queue)) == (1, 2)


def test_done_without_get_is_refused(queue: WorkQueue[str]) -> None:
    queue.add("waiting")

    with pytest.raises(ValueError, match="no worker has that item"):
        queue.done("waiting")
    with pytest.raises(ValueError, match="no worker has that item"):
        queue.done("never seen")


def test_a_second_done_is_refused(queue: WorkQueue[str]) -> None:
    queue.add("a")
    queue.done(take(queue))

    with pytest.raises(ValueError, match="no worker has that item"):
        queue.done("a")


def test_an_overdue_item_comes_next_whatever_its_priority(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("overdue", priority=LOW_PRIORITY)
    time.advance(60)
    queue.add_many(["a", "b"], priority=10)

    assert take_all(queue) == ["overdue", "a", "b"]


def test_an_item_is_not_overdue_before_the_longest_wait_is_over(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("patient", priority=LOW_PRIORITY)
    time.advance(59)
    queue.add("urgent", priority=10)

    assert take_all(queue) == ["urgent", "patient"]


def test_a_backlog_that_is_overdue_leaves_most_hand_outs_to_higher_priority(
    time: VirtualTime, queue: WorkQueue[str]
) -> None:
    queue.add_many((f"old {number}" for number in range(3)), priority=LOW_PRIORITY)
    time.advance(60)
    queue.add_many((f"new {number}" for number in range(2 * OVERDUE_SHARE)), priority=10)

    order = take_all(queue)

    assert [order.index(f"old {number}") for number in range(3)] == [0, OVERDUE_SHARE, 2 * OVERDUE_SHARE]


def test_without_a_longest_wait_priority_alone_decides(time: VirtualTime) -> None:
    queue = WorkQueue[str]("test", time.runtime, time.clock, ExponentialPerItem(), max_wait_seconds=None)
    queue.add("low", priority=LOW_PRIORITY)
    time.advance(1e9)
    queue.add("high")

    assert take_all(queue) == ["high", "low"]


def test_an_item_that_is_moved_again_and_again_leaves_nothing_behind(time: VirtualTime, queue: WorkQueue[str]) -> None:
    queue.add("bottom", priority=LOW_PRIORITY)
    for _ in range(5000):
        queue.add_after("a", 1000)
        queue.add("a", priority=-1)
        queue.add("a", priority=1)
        queue.done(take(queue))

    assert isinstance(queue._ready, ReadyItems)
    assert len(queue._ready._by_priority) < 3000
    assert len(queue._ready._by_arrival) < 3000
    assert len(queue._delayed._heap) < 3000


def test_the_order_holds_for_many_items_that_changed_their_priority(queue: WorkQueue[str]) -> None:
    names = [f"{number:04}" for number in reversed(range(3000))]
    queue.add_many(sorted(names), priority=LOW_PRIORITY)
    for name in names:
        queue.add(name, priority=int(name[-1]))

    order = take_all(queue)

    assert order == sorted(names, key=lambda name: -int(name[-1]))


def take_all_available(queue: WorkQueue[str]) -> list[str]:
    taken: list[str] = []
    while True:
        try:
            taken.append(take(queue))
        except TimeoutError:
            return taken
