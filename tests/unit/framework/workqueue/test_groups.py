"""Items that belong to groups: who goes next, and who must wait for his own kind."""

from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import OVERDUE_SHARE, ExponentialPerItem, WorkQueue
from framework.workqueue.line import Line

Make = Callable[..., WorkQueue[str]]


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def make(time: VirtualTime) -> Make:
    """Makes a queue whose items are grouped by their first letter."""

    def go(
        limit: int | None = None, group_of: Callable[[str], str] = lambda item: item[0], max_wait: float = 60.0
    ) -> WorkQueue[str]:
        return WorkQueue(
            "test",
            time.runtime,
            time.clock,
            ExponentialPerItem(),
            group_of=group_of,
            max_started_per_group=limit,
            max_wait_seconds=max_wait,
        )

    return go


def take(queue: WorkQueue[str]) -> str:
    return queue.get(timeout=0)[0]


def take_all(queue: WorkQueue[str]) -> list[str]:
    """Whatever can be had without giving anything back."""
    taken = []
    try:
        while True:
            taken.append(take(queue))
    except TimeoutError:
        return taken


def test_groups_take_turns_whatever_the_length_of_their_lines(make: Make) -> None:
    queue = make()
    queue.add_many(["a1", "a2", "a3", "a4", "b1", "c1", "c2"])

    assert take_all(queue) == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"]


def test_a_full_group_gives_nothing_and_holds_up_nobody(make: Make) -> None:
    queue = make(limit=2)
    queue.add_many(["a1", "a2", "a3", "a4", "b1", "b2"])

    assert take_all(queue) == ["a1", "b1", "a2", "b2"]
    assert len(queue) == 2


def test_each_item_given_back_makes_room_for_one(make: Make) -> None:
    queue = make(limit=1)
    queue.add_many(["a1", "a2", "a3"])
    first = take_all(queue)

    queue.done("a1")

    assert (first, take_all(queue)) == (["a1"], ["a2"])


def test_a_sleeping_worker_is_woken_when_its_group_has_room_again(make: Make, time: VirtualTime) -> None:
    queue = make(limit=1)
    queue.add_many(["a1", "a2"])
    take(queue)
    taken: list[str] = []
    time.runtime.spawn("worker", lambda: taken.append(queue.get()[0]))
    time.wait_until_idle()
    before = list(taken)

    queue.done("a1")
    time.wait_until_idle()

    assert (before, taken) == ([], ["a2"])


def test_priority_comes_before_turns(make: Make) -> None:
    queue = make()
    queue.add_many(["a1", "b1"])
    queue.add("a2", priority=5)
    queue.add("a3", priority=5)

    assert take_all(queue) == ["a2", "a3", "b1", "a1"]


def test_a_full_group_with_higher_priority_lets_lower_ones_go(make: Make) -> None:
    queue = make(limit=1)
    queue.add("a1", priority=9)
    queue.add("a2", priority=9)
    queue.add("b1", priority=-100)

    assert take_all(queue) == ["a1", "b1"]


def test_an_overdue_item_goes_next_if_its_group_may(make: Make, time: VirtualTime) -> None:
    queue = make(limit=1, max_wait=20.0)
    queue.add("a1", priority=-100)
    queue.add("b1", priority=-100)
    take(queue)
    time.advance(20)
    queue.add_many([f"c{number}" for number in range(9)], priority=7)
    queue.add("a2", priority=-200)

    assert take(queue) == "b1"


def test_overdue_items_get_their_share_and_no_more(make: Make, time: VirtualTime) -> None:
    queue = make(max_wait=20.0)
    queue.add_many([f"a{number}" for number in range(4)], priority=-100)
    time.advance(20)
    queue.add_many([f"b{number}" for number in range(9)])

    taken = take_all(queue)

    overdue = [place for place, item in enumerate(taken[: 2 * OVERDUE_SHARE]) if item[0] == "a"]
    assert overdue == [0, OVERDUE_SHARE]


def test_an_item_counts_for_the_group_it_was_taken_from(make: Make) -> None:
    groups = {"x": "a", "y": "a", "z": "b"}
    queue = make(limit=1, group_of=groups.__getitem__)
    queue.add("x")
    take(queue)
    groups["x"] = "b"
    queue.add_many(["y", "z"])

    with_x = take_all(queue)
    queue.done("x")

    assert (with_x, take_all(queue)) == (["z"], ["y"])


def test_an_item_that_waits_and_moves_to_another_group_comes_once(make: Make) -> None:
    groups = {"x": "a", "y": "a"}
    queue = make(group_of=groups.__getitem__)
    queue.add("x")
    groups["x"] = "b"
    queue.add("x", priority=3)

    assert take_all(queue) == ["x"]
    queue.add("y")
    assert take_all(queue) == ["y"]


def test_an_item_whose_group_cannot_be_told_is_handed_out_all_the_same(make: Make) -> None:
    queue = make(limit=1, group_of={}.__getitem__)

    with capture_logs() as logged:
        queue.add("a1")

    assert take_all(queue) == ["a1"]
    assert [entry["event"] for entry in logged] == ["group_unknown"]


def test_groups_without_items_are_forgotten(make: Make) -> None:
    queue = make(limit=1)
    for number in range(1000):
        queue.add(chr(number + 200))
        queue.done(take(queue))

    assert queue._grouped is not None
    assert not queue._grouped._groups
    assert len(queue._grouped._by_turn._heap) < 200


def test_a_drain_waits_for_items_of_a_full_group(make: Make, time: VirtualTime) -> None:
    queue = make(limit=1)
    queue.add_many(["a1", "a2"])
    take(queue)
    drained: list[bool] = []
    time.runtime.spawn("drain", lambda: drained.append(queue.shut_down_with_drain()))
    time.wait_until_idle()

    queue.done("a1")
    queue.done(take(queue))
    time.wait_until_idle()

    assert drained == [True]


def test_items_can_be_given_back_after_the_end(make: Make) -> None:
    queue = make(limit=1)
    queue.add_many(["a1", "a2"])
    take(queue)

    queue.shut_down()
    queue.done("a1")

    assert len(queue) == 0


def test_discarded_items_do_not_come_and_their_failures_are_forgotten(make: Make, time: VirtualTime) -> None:
    queue = make(limit=1)
    queue.add_many(["a1", "b1"])
    queue.add_rate_limited("a2")
    queue.add_after("b2", 5)

    queue.discard(lambda item: item[0] == "a")
    time.advance(5)

    assert (take_all(queue), len(queue)) == (["b1"], 1)
    assert queue.num_requeues("a2") == 0


def test_an_item_with_a_worker_is_not_discarded(make: Make) -> None:
    queue = make(limit=1)
    queue.add("a1")
    take(queue)
    queue.add("a1")

    queue.discard(lambda _: True)
    queue.done("a1")

    assert len(queue) == 0


def test_a_line_that_is_reordered_for_ever_does_not_grow() -> None:
    line = Line()
    for number in range(10_000):
        line.put("a", (0.0, number))
        line.put("b", (1.0, number))

    assert line.first() == "a"
    assert len(line._heap) < 200
