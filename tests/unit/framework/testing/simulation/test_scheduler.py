"""One task at a time, chosen by a seed; time jumps; nobody stays stuck unnoticed."""

from collections.abc import Callable
from contextvars import ContextVar

import pytest

from framework.runtime import Runtime
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scheduler import Life, Scheduler, Stuck


class Machine:
    def __init__(self, seed: int = 0, steps_per_moment: int = 1000) -> None:
        self.scheduler = Scheduler(seed, steps_per_moment=steps_per_moment)
        self.life = Life("p")
        self.runtime: Runtime = SimulatedRuntime(self.scheduler, self.life)
        self.clock = SimulatedClock(self.scheduler)
        self.said: list[str] = []

    def spawn(self, name: str, target: Callable[[], None]) -> None:
        self.runtime.spawn(name, target)

    def run(self, seconds: float = 100.0) -> None:
        self.scheduler.run(
            lambda: all(task.has_ended for task in self.scheduler.tasks if not task.life.is_over), limit_seconds=seconds
        )


def _order(seed: int) -> str:
    machine = Machine(seed)
    lock = machine.runtime.lock()

    def talk(name: str) -> Callable[[], None]:
        def say() -> None:
            for _ in range(5):
                with lock:
                    machine.said.append(name)

        return say

    for name in "abc":
        machine.spawn(name, talk(name))
    machine.run()
    return "".join(machine.said)


def test_the_same_seed_gives_the_same_order() -> None:
    assert [_order(seed) for seed in range(20)] == [_order(seed) for seed in range(20)]


def test_other_seeds_give_other_orders() -> None:
    assert len({_order(seed) for seed in range(20)}) > 15


def test_time_jumps_to_the_next_timer() -> None:
    machine = Machine()

    def sleep() -> None:
        machine.clock.wait(3600)
        machine.said.append(machine.clock.now().isoformat())

    machine.spawn("sleeper", sleep)
    machine.run(4000)

    assert machine.said == ["2026-01-01T01:00:00+00:00"]
    assert machine.clock.monotonic() == 3600


def test_a_run_ends_at_its_limit() -> None:
    machine = Machine()
    machine.spawn("sleeper", lambda: machine.clock.wait(1000))

    machine.run(10)

    assert machine.clock.monotonic() == 10


def test_a_lock_is_held_by_one() -> None:
    machine = Machine()
    lock = machine.runtime.lock()

    def enter() -> None:
        with lock:
            machine.said.append("in")
            machine.clock.wait(1)
            machine.said.append("out")

    machine.spawn("a", enter)
    machine.spawn("b", enter)
    machine.run()

    assert machine.said == ["in", "out", "in", "out"]


def test_a_condition_tells_a_notification_from_a_time_out() -> None:
    machine = Machine()
    condition = machine.runtime.condition()

    def wait(name: str, timeout: float) -> Callable[[], None]:
        def waiting() -> None:
            with condition:
                machine.said.append(f"{name} {condition.wait(timeout)} at {machine.clock.monotonic():g}")

        return waiting

    def notify() -> None:
        machine.clock.wait(2)
        with condition:
            condition.notify_all()

    machine.spawn("short", wait("short", 1))
    machine.spawn("long", wait("long", 5))
    machine.spawn("notifier", notify)
    machine.run()

    assert machine.said == ["short False at 1", "long True at 2"]


def test_a_notification_goes_past_those_whose_time_has_come() -> None:
    machine = Machine()
    condition = machine.runtime.condition()
    machine.spawn("late", lambda: _wait(condition, 1.0))

    def patient() -> None:
        machine.clock.wait(0.5)
        with condition:
            machine.said.append(str(condition.wait(10)))

    def notify() -> None:
        machine.clock.wait(2)
        with condition:
            condition.notify()

    machine.spawn("patient", patient)
    machine.spawn("notifier", notify)
    machine.run()

    assert machine.said == ["True"]


def _wait(condition: object, seconds: float) -> None:
    with condition:  # type: ignore[attr-defined]
        condition.wait(seconds)  # type: ignore[attr-defined]


def test_an_event_that_was_set_wakes_even_if_it_is_cleared_at_once() -> None:
    machine = Machine()
    event = machine.runtime.event()
    machine.spawn("waiter", lambda: machine.said.append(str(event.wait(10))))

    def pulse() -> None:
        machine.clock.wait(1)
        event.set()
        event.clear()

    machine.spawn("pulse", pulse)
    machine.run()

    assert machine.said == ["True"]


def test_joining_waits_for_the_end() -> None:
    machine = Machine()
    task = machine.runtime.spawn("worker", lambda: machine.clock.wait(3))

    def join() -> None:
        task.join(1)
        machine.said.append(f"{task.is_alive()}")
        task.join()
        machine.said.append(f"{task.is_alive()} at {machine.clock.monotonic():g}")

    machine.spawn("joiner", join)
    machine.run()

    assert machine.said == ["True", "False at 3"]


def test_a_deadlock_is_told_with_who_waits_for_what() -> None:
    machine = Machine()
    first, second = machine.runtime.lock(), machine.runtime.lock()
    one, other = machine.runtime.event(), machine.runtime.event()

    def forwards() -> None:
        with first:
            one.set()
            other.wait()
            with second:
                pass

    def backwards() -> None:
        with second:
            other.set()
            one.wait()
            with first:
                pass

    machine.spawn("forwards", forwards)
    machine.spawn("backwards", backwards)

    with pytest.raises(Stuck, match=r"deadlock: .*p/forwards \(a lock\), p/backwards \(a lock\)"):
        machine.run()


def test_a_livelock_is_told_with_who_is_busy() -> None:
    machine = Machine()
    event = machine.runtime.event()
    event.set()

    def spin() -> None:
        while event.wait():
            pass

    machine.spawn("spinner", spin)
    machine.spawn("other", spin)

    with pytest.raises(Stuck, match=r"livelock: 1000 steps .*p/spinner \("):
        machine.run()


def test_each_task_has_context_variables_of_its_own() -> None:
    machine = Machine()
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    def bind() -> None:
        variable.set("bound")
        machine.clock.wait(2)
        machine.said.append(variable.get())

    def look() -> None:
        machine.clock.wait(1)
        machine.said.append(variable.get())

    machine.spawn("binds", bind)
    machine.spawn("looks", look)
    machine.run()

    assert machine.said == ["unset", "bound"]


def test_only_a_task_can_wait() -> None:
    machine = Machine()

    with pytest.raises(Stuck, match="only a task"):
        machine.clock.wait(1)


def test_what_ends_a_task_is_kept() -> None:
    machine = Machine()

    def fail() -> None:
        raise ValueError("no")

    machine.spawn("fails", fail)
    machine.run()

    assert str(machine.scheduler.tasks[0].error) == "no"
