"""The Runtime and Clock seams on the scheduler."""

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from types import TracebackType

from framework.runtime import Condition, Event, Lock, Task
from framework.testing.simulation.bounds import Bounds
from framework.testing.simulation.scheduler import START, Life, Scheduler, Waiter


class SimulatedClock:
    """The time of the scheduler; `offset_seconds` is what the wall clock of one process is wrong by."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.offset_seconds = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self._scheduler.elapsed + self.offset_seconds)

    def monotonic(self) -> float:
        return self._scheduler.elapsed

    def wait(self, seconds: float) -> None:
        if seconds > 0:
            self._scheduler.block(f"{seconds:g} s to pass", seconds)


class SimulatedRuntime:
    """Of one life. Without *is_preemptive* a task keeps running where it need not wait: what it does is atomic."""

    def __init__(
        self, scheduler: Scheduler, life: Life, *, is_preemptive: bool = True, bounds: Bounds | None = None
    ) -> None:
        self._scheduler = scheduler
        self._life = life
        self._bounds = bounds
        self._is_preemptive = is_preemptive

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        task = self._scheduler.spawn(name, target, self._life)
        if self._bounds is not None:
            self._bounds.spawned(task)
        return task

    def lock(self) -> Lock:
        return _Lock(self._scheduler, is_preemptive=self._is_preemptive)

    def condition(self) -> Condition:
        return _Condition(self._scheduler, is_preemptive=self._is_preemptive)

    def event(self) -> Event:
        return _Event(self._scheduler, is_preemptive=self._is_preemptive)


class _Lock:
    def __init__(self, scheduler: Scheduler, *, is_preemptive: bool) -> None:
        self._scheduler = scheduler
        self._is_preemptive = is_preemptive
        self._is_held = False
        self._entrants: deque[Waiter] = deque()

    def __enter__(self) -> bool:
        scheduler = self._scheduler
        if self._is_preemptive and (scheduler.ready or scheduler.is_over):
            scheduler.pause()
        if self._is_held:
            # Handed over while held, so that nobody slips in between.
            return scheduler.block("a lock", None, self._entrants)
        self._is_held = True
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._entrants:
            self._is_held = _wake_first(self._scheduler, self._entrants)
        else:
            self._is_held = False


class _Condition(_Lock):
    def __init__(self, scheduler: Scheduler, *, is_preemptive: bool) -> None:
        super().__init__(scheduler, is_preemptive=is_preemptive)
        self._waiters: deque[Waiter] = deque()

    def wait(self, timeout: float | None = None) -> bool:
        self._must_be_held()
        scheduler, entrants = self._scheduler, self._entrants
        self._is_held = bool(entrants) and _wake_first(scheduler, entrants)
        was_notified = scheduler.block("a notification", timeout, self._waiters)
        if self._is_held:
            scheduler.block("a lock", None, entrants)
        self._is_held = True
        return was_notified

    def notify(self, n: int = 1) -> None:
        self._must_be_held()
        while n > 0 and self._waiters and _wake_first(self._scheduler, self._waiters):
            n -= 1

    def notify_all(self) -> None:
        self.notify(len(self._waiters))

    def _must_be_held(self) -> None:
        if not self._is_held:
            raise RuntimeError("this condition is not held; enter it first")


class _Event:
    def __init__(self, scheduler: Scheduler, *, is_preemptive: bool) -> None:
        self._scheduler = scheduler
        self._is_preemptive = is_preemptive
        self._is_set = False
        self._waiters: deque[Waiter] = deque()

    def is_set(self) -> bool:
        if self._scheduler.is_over:
            # Loops that ask this to know when to end must end.
            self._scheduler.pause()
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        while self._waiters:
            _wake_first(self._scheduler, self._waiters)

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if self._is_preemptive:
            self._scheduler.pause()
        if self._is_set:
            return True
        # Once notified it was set, even if it was cleared again before this task ran.
        return self._scheduler.block("an event", timeout, self._waiters)


def _wake_first(scheduler: Scheduler, waiters: deque[Waiter]) -> bool:
    """Wake the one that has waited longest, and say whether there was one."""
    while waiters:
        if scheduler.wake(waiters.popleft(), notified=True):
            return True
    return False
