from datetime import UTC, datetime, timedelta

import pytest

from framework.runtime import Condition
from framework.testing.virtual_time import VirtualTime, _VirtualCondition

START = datetime(2026, 3, 1, tzinfo=UTC)


def test_time_stands_still_until_it_is_advanced() -> None:
    time = VirtualTime(START)

    time.advance(90)

    assert time.clock.now() == START + timedelta(seconds=90)
    assert time.clock.monotonic() == 90


def test_time_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="does not go back"):
        VirtualTime(START).advance(-1)


def test_a_clock_wait_ends_when_its_time_is_reached_and_not_before() -> None:
    time = VirtualTime(START)
    woke_at: list[float] = []

    def sleep() -> None:
        time.clock.wait(10)
        woke_at.append(time.clock.monotonic())

    time.runtime.spawn("sleeper", sleep)
    time.advance(9.5)
    before = list(woke_at)
    time.advance(5)

    assert before == []
    assert woke_at == [10]


def test_a_wait_of_zero_seconds_does_not_block() -> None:
    time = VirtualTime(START)

    time.clock.wait(0)

    assert time.clock.monotonic() == 0


def test_a_timer_that_is_set_again_fires_each_time_on_the_way() -> None:
    time = VirtualTime(START)
    ticks: list[float] = []

    def tick() -> None:
        while True:
            time.clock.wait(2)
            ticks.append(time.clock.monotonic())

    time.runtime.spawn("ticker", tick)
    time.advance(7)

    assert ticks == [2, 4, 6]


def test_timers_of_several_tasks_fire_in_the_order_of_their_time() -> None:
    time = VirtualTime(START)
    order: list[str] = []

    def sleep(name: str, seconds: float) -> None:
        time.clock.wait(seconds)
        order.append(f"{name}@{time.clock.monotonic()}")

    for name, seconds in (("c", 3.0), ("a", 1.0), ("b", 2.0)):
        time.runtime.spawn(name, lambda name=name, seconds=seconds: sleep(name, seconds))  # type: ignore[misc]
    time.advance(10)

    assert order == ["a@1.0", "b@2.0", "c@3.0"]


def test_an_event_wait_is_true_when_set_and_false_when_its_time_ran_out() -> None:
    time = VirtualTime(START)
    event = time.runtime.event()
    answers: list[bool] = []

    def wait_twice() -> None:
        answers.append(event.wait(5))
        answers.append(event.wait(5))

    time.runtime.spawn("waiter", wait_twice)
    time.advance(5)
    event.set()
    time.wait_until_idle()

    assert answers == [False, True]
    assert event.wait(0)


def test_a_cleared_event_blocks_again() -> None:
    time = VirtualTime(START)
    event = time.runtime.event()
    event.set()

    event.clear()

    assert not event.is_set()
    assert not event.wait(0)


def test_a_condition_wait_is_true_when_notified_and_false_when_its_time_ran_out() -> None:
    time = VirtualTime(START)
    condition = time.runtime.condition()
    answers: list[bool] = []

    def wait_twice() -> None:
        with condition:
            answers.append(condition.wait(5))
            answers.append(condition.wait(5))

    time.runtime.spawn("waiter", wait_twice)
    time.advance(5)
    with condition:
        condition.notify()
    time.wait_until_idle()

    assert answers == [False, True]


def test_notify_wakes_one_waiter_and_notify_all_the_rest() -> None:
    time = VirtualTime(START)
    condition = time.runtime.condition()
    woken: list[str] = []
    for name in ("first", "second", "third"):
        time.runtime.spawn(name, lambda name=name: _wait_once(condition, name, woken))  # type: ignore[misc]
        time.wait_until_idle()

    with condition:
        condition.notify()
    time.wait_until_idle()
    after_one = list(woken)
    with condition:
        condition.notify_all()
    time.wait_until_idle()

    assert after_one == ["first"]
    assert sorted(woken) == ["first", "second", "third"]


def test_a_notify_is_not_spent_on_a_waiter_whose_time_ran_out() -> None:
    time = VirtualTime(START)
    condition = time.runtime.condition()
    woken: list[str] = []

    def give_up() -> None:
        with condition:
            condition.wait(1)

    time.runtime.spawn("impatient", give_up)
    time.wait_until_idle()
    time.runtime.spawn("patient", lambda: _wait_once(condition, "patient", woken))
    time.advance(1)
    with condition:
        condition.notify()
    time.wait_until_idle()

    assert woken == ["patient"]


def test_a_wait_whose_time_ran_out_leaves_nothing_behind() -> None:
    time = VirtualTime(START)
    condition = time.runtime.condition()

    with condition:
        condition.wait(0)

    assert isinstance(condition, _VirtualCondition)
    assert not condition._waiters


def test_a_condition_that_is_not_held_refuses_wait_and_notify() -> None:
    condition = VirtualTime(START).runtime.condition()

    with pytest.raises(RuntimeError, match="not held"):
        condition.wait(1)
    with pytest.raises(RuntimeError, match="not held"):
        condition.notify()


def test_a_lock_lets_one_task_in_at_a_time() -> None:
    time = VirtualTime(START)
    lock = time.runtime.lock()
    log: list[str] = []

    def work(name: str) -> None:
        with lock:
            log.append(f"{name} in")
            time.clock.wait(1)
            log.append(f"{name} out")

    time.runtime.spawn("a", lambda: work("a"))
    time.wait_until_idle()
    time.runtime.spawn("b", lambda: work("b"))
    time.advance(1)
    time.runtime.spawn("c", lambda: work("c"))
    time.advance(2)

    assert log == ["a in", "a out", "b in", "b out", "c in", "c out"]


def test_idle_means_every_task_is_blocked_or_has_ended() -> None:
    time = VirtualTime(START)
    event = time.runtime.event()

    time.runtime.spawn("short", lambda: None)
    time.runtime.spawn("waits", lambda: _discard(event.wait()))
    time.wait_until_idle()

    assert time.blocked() == {"waits"}


def test_a_task_that_never_blocks_is_named_when_the_limit_is_over() -> None:
    time = VirtualTime(START)
    stop: list[bool] = []

    def spin() -> None:
        while not stop:
            pass

    task = time.runtime.spawn("spinner", spin)
    with pytest.raises(TimeoutError, match="spinner"):
        time.wait_until_idle(limit=0.01)
    stop.append(True)
    task.join(5)

    assert not task.is_alive()


def test_the_driver_gets_an_error_instead_of_waiting_for_itself() -> None:
    time = VirtualTime(START, limit=0.01)
    condition = time.runtime.condition()

    with condition, pytest.raises(TimeoutError, match="drives virtual time"):
        condition.wait(1)

    with condition:
        assert not condition.wait(0)


def test_a_task_that_joins_another_is_blocked_until_that_one_ends_or_its_time_runs_out() -> None:
    time = VirtualTime(START)
    seen: list[bool] = []
    worker = time.runtime.spawn("worker", lambda: time.clock.wait(10))

    def join_twice() -> None:
        worker.join(4)
        seen.append(worker.is_alive())
        worker.join()
        seen.append(worker.is_alive())

    time.runtime.spawn("joiner", join_twice)
    time.advance(4)
    after_timeout = list(seen)
    time.advance(6)

    assert after_timeout == [True]
    assert seen == [True, False]


def _wait_once(condition: Condition, name: str, woken: list[str]) -> None:
    with condition:
        if condition.wait():
            woken.append(name)


def _discard(_: object) -> None:
    pass
