"""A crash: nothing of a process runs any more, and nothing of it can be felt."""

import gc
from collections.abc import Callable

from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scheduler import Life, Scheduler


class TwoLives:
    def __init__(self) -> None:
        self.scheduler = Scheduler(0)
        self.clock = SimulatedClock(self.scheduler)
        self.doomed, self.other = Life("doomed"), Life("other")
        self.said: list[str] = []

    def spawn(self, life: Life, target: Callable[[], None]) -> None:
        SimulatedRuntime(self.scheduler, life).spawn("task", target)

    def run(self, seconds: float) -> None:
        self.scheduler.run(lambda: False, limit_seconds=seconds)

    def keep_time(self) -> None:
        """So that there is always a timer."""
        self.spawn(self.other, lambda: self.clock.wait(1e6))

    def wait_and_clean_up(self) -> None:
        try:
            self.clock.wait(5)
            self.said.append("went on")
        finally:
            self.said.append("cleaned up")


def test_no_cleanup_code_runs_after_a_crash() -> None:
    lives = TwoLives()
    lives.keep_time()
    lives.spawn(lives.doomed, lives.wait_and_clean_up)
    lives.run(1)

    lives.scheduler.end_life(lives.doomed)
    lives.run(100)
    gc.collect()

    assert lives.said == []


def test_who_crashes_its_own_process_goes_no_further() -> None:
    lives = TwoLives()
    lives.keep_time()

    def crash() -> None:
        try:
            lives.scheduler.end_life(lives.doomed)
            lives.said.append("went on")
        finally:
            lives.said.append("cleaned up")

    lives.spawn(lives.doomed, crash)
    lives.run(100)

    assert lives.said == []


def test_the_end_of_a_task_does_not_bring_back_the_dead_that_spawned_it() -> None:
    lives = TwoLives()
    lives.keep_time()

    def spawn_and_crash() -> None:
        lives.spawn(lives.other, lambda: lives.clock.wait(2))
        lives.scheduler.end_life(lives.doomed)
        lives.said.append("went on")

    lives.spawn(lives.doomed, spawn_and_crash)
    lives.run(100)

    assert lives.said == []


def test_a_task_that_was_about_to_run_does_not() -> None:
    lives = TwoLives()
    lives.keep_time()
    lives.spawn(lives.doomed, lambda: lives.said.append("ran"))

    lives.scheduler.end_life(lives.doomed)
    lives.run(100)

    assert lives.said == []


def test_a_notification_is_not_lost_on_the_dead() -> None:
    lives = TwoLives()
    condition = SimulatedRuntime(lives.scheduler, lives.other).condition()

    def wait(name: str) -> Callable[[], None]:
        def waiting() -> None:
            with condition:
                condition.wait()
            lives.said.append(name)

        return waiting

    def notify() -> None:
        lives.clock.wait(2)
        with condition:
            condition.notify()

    lives.keep_time()
    lives.spawn(lives.doomed, wait("dead"))
    lives.run(1)
    lives.spawn(lives.other, wait("alive"))
    lives.spawn(lives.other, notify)
    lives.scheduler.end_life(lives.doomed)
    lives.run(100)

    assert lives.said == ["alive"]


def test_at_the_end_everything_is_unwound_and_nothing_can_wait_any_more() -> None:
    lives = TwoLives()

    def stubborn() -> None:
        while True:
            try:
                lives.clock.wait(1)
            except BaseException as error:  # noqa: BLE001 - that is the point
                lives.said.append(type(error).__name__)

    lives.spawn(lives.other, stubborn)
    lives.spawn(lives.doomed, lives.wait_and_clean_up)
    lives.run(2)
    lives.scheduler.end_life(lives.doomed)

    lives.scheduler.close()

    assert "cleaned up" in lives.said
    assert lives.said.count("GreenletExit") < 1000
