"""Who runs next: one task at a time, chosen by a seed, in a time that jumps to the next timer."""

import random  # noqa: TID251 - the seed of the whole simulation is drawn from here
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from heapq import heappop, heappush
from typing import Any

import greenlet
import msgspec

from framework.errors import WindlassError

START = datetime(2026, 1, 1, tzinfo=UTC)
# More decisions than any sound controller needs between two moments of time.
STEPS_PER_MOMENT = 20_000
# A task that goes on after the end, whatever it is told, is left alone after so many refusals.
_MOST_REFUSALS = 100


class Stuck(WindlassError):
    """The simulated processes cannot go on: a deadlock, or a loop in which no time passes."""


class Life:
    """What dies together: the tasks of one process, from its start to its crash."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_over = False
        # While it stands still: those of its tasks that could run.
        self.held: list[SimulatedTask] | None = None


class Waiter(msgspec.Struct, eq=False):
    """One task inside one blocking call."""

    task: "SimulatedTask"
    what: str
    is_over: bool = False
    was_notified: bool = False


class Scheduler:
    """Runs greenlets. Who drives it calls `run`; what a task calls can block, what the driver calls cannot."""

    def __init__(self, seed: int, *, steps_per_moment: int = STEPS_PER_MOMENT) -> None:
        self._choose = random.Random(f"schedule/{seed}").random  # noqa: S311 - no secret
        self.driver = greenlet.getcurrent()
        # Invariant: the one that runs is not among them.
        self.ready: list[SimulatedTask] = []
        self._timers: list[tuple[float, int, Waiter]] = []
        self._timer_number = 0
        self._steps_per_moment = steps_per_moment
        self._steps_in_this_moment = 0
        self.tasks: list[SimulatedTask] = []
        self.current: SimulatedTask | None = None
        self.elapsed = 0.0
        self.is_over = False

    def spawn(self, name: str, target: Callable[[], None], life: Life) -> "SimulatedTask":
        task = SimulatedTask(self, name, target, life)
        self.tasks.append(task)
        (self.ready if life.held is None else life.held).append(task)
        return task

    def pause(self) -> None:
        """Let the seed decide who goes on, the caller or somebody else who can."""
        if self.is_over:
            self._refuse()
        task, ready = self.current, self.ready
        if task is None or not ready:
            return
        count = len(ready)
        number = int(self._choose() * (count + 1))
        if number < count:
            chosen, ready[number] = ready[number], task
            self._hand_over(chosen)

    def block(self, what: str, timeout: float | None, queue: Any = None) -> bool:
        """Stop the calling task until it is woken from *queue*; false if *timeout* seconds passed first."""
        if self.is_over:
            self._refuse()
        task = self.current
        if task is None:
            raise Stuck(f"only a task can wait for {what}: use Simulation.spawn")
        waiter = task.waiter = Waiter(task, what)
        if timeout is not None:
            self._timer_number += 1
            heappush(self._timers, (self.elapsed + max(0.0, timeout), self._timer_number, waiter))
        if queue is not None:
            queue.append(waiter)
        if self.ready:
            self._hand_over(self._chosen())
        else:
            self.driver.switch()
        task.waiter = None
        return waiter.was_notified

    def wake(self, waiter: Waiter, *, notified: bool) -> bool:
        """Whether it still waited: the dead and those whose time has come do not."""
        if waiter.is_over or waiter.task.life.is_over:
            return False
        waiter.is_over = True
        waiter.was_notified = notified
        held = waiter.task.life.held
        (self.ready if held is None else held).append(waiter.task)
        return True

    def end_life(self, life: Life) -> None:
        """Nothing of *life* ever runs again, not even its cleanup code; if it is the caller's, this never returns."""
        life.is_over = True
        self.ready = [task for task in self.ready if task.life is not life]
        if self.current is not None and self.current.life is life:
            self.driver.switch()

    def stand_still(self, life: Life) -> None:
        """Nothing of *life* runs until `go_on`, while time passes: as after SIGSTOP."""
        life.held = [task for task in self.ready if task.life is life]
        self.ready = [task for task in self.ready if task.life is not life]
        if self.current is not None and self.current.life is life:
            life.held.append(self.current)
            self.driver.switch()

    def go_on(self, life: Life) -> None:
        held, life.held = life.held, None
        if held is not None and not life.is_over:
            self.ready += held

    def run(self, until: Callable[[], bool], *, limit_seconds: float) -> bool:
        """Drive until *until* holds; false once *limit_seconds* of virtual time have passed without that."""
        limit = self.elapsed + limit_seconds
        while not until():
            if self.ready:
                self._hand_over(self._chosen())
                self.current = None
            elif not self._jump(limit):
                self.elapsed = max(self.elapsed, limit)
                return False
        return True

    def alive(self) -> Iterable["SimulatedTask"]:
        return (task for task in self.tasks if not task.has_ended and not task.life.is_over)

    def blocked(self) -> list[str]:
        return [f"{task.name} ({task.waiter.what})" for task in self.alive() if task.waiter is not None]

    def close(self) -> None:
        """Unwind every task, the dead too. Nothing they do meanwhile has an effect: the world is over."""
        self.is_over = True
        for task in self.tasks:
            task.unwind()
        self.tasks.clear()
        self.ready.clear()
        self._timers.clear()

    def _chosen(self) -> "SimulatedTask":
        ready = self.ready
        return ready.pop(int(self._choose() * len(ready)))

    def _hand_over(self, task: "SimulatedTask") -> None:
        """From the driver or from one task to the next; the driver goes on when a task ends or nobody can run."""
        self._steps_in_this_moment += 1
        if self._steps_in_this_moment > self._steps_per_moment:
            self.ready.append(task)
            if self.current is not None:
                # It is for the driver to say so.
                self.driver.switch()
            raise Stuck(f"livelock: {self._steps_per_moment} steps and no time passes; {self._busiest()}")
        task.steps += 1
        self.current = task
        task.greenlet.switch()

    def _jump(self, limit: float) -> bool:
        """To the next timer that anybody waits for."""
        while self._timers:
            at, _, waiter = self._timers[0]
            if at > limit:
                return False
            heappop(self._timers)
            if waiter.is_over or waiter.task.life.is_over:
                continue
            if at > self.elapsed:
                self.elapsed = at
                self._steps_in_this_moment = 0
            return self.wake(waiter, notified=False)
        raise Stuck(f"deadlock: nobody can run and no timer is set; blocked: {', '.join(self.blocked()) or 'nobody'}")

    def _busiest(self) -> str:
        counts = Counter({task.name: task.steps for task in self.alive()})
        return "busiest: " + ", ".join(f"{name} ({steps})" for name, steps in counts.most_common(3))

    def _refuse(self) -> None:
        task = self.current
        if task is not None:
            task.refusals += 1
            if task.refusals > _MOST_REFUSALS:
                self.driver.switch()
        raise greenlet.GreenletExit


class SimulatedTask:
    def __init__(self, scheduler: Scheduler, name: str, target: Callable[[], None], life: Life) -> None:
        self._scheduler = scheduler
        self._target = target
        self.name = f"{life.name}/{name}"
        self.life = life
        # By default it is who spawns it, and the end of a task would bring its parent back from the dead.
        self.greenlet = greenlet.greenlet(self._run, parent=scheduler.driver)
        self.has_ended = False
        self.error: BaseException | None = None
        self.waiter: Waiter | None = None
        self.joiners: list[Waiter] = []
        self.steps = 0
        self.refusals = 0

    def is_alive(self) -> bool:
        return not self.has_ended

    def join(self, timeout: float | None = None) -> None:
        if not self.has_ended:
            self._scheduler.block(f"the end of {self.name}", timeout, self.joiners)

    def unwind(self) -> None:
        self._scheduler.current = self
        try:
            if not self.greenlet.dead:
                self.greenlet.throw(greenlet.GreenletExit)
        finally:
            self._scheduler.current = None

    def _run(self) -> None:
        try:
            self._target()
        except BaseException as error:  # noqa: BLE001 - what ends a task without a word is what a simulation looks for
            if self._scheduler.is_over:
                # Unwound. To keep it would keep all frames that it went through.
                return
            self.error = error
        self.has_ended = True
        for joiner in self.joiners:
            self._scheduler.wake(joiner, notified=True)
