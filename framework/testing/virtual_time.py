"""Time that a test moves by hand, under real threads.

Guarantees: a timed wait of a task ends only when it is notified or when
`advance` reaches its time; timers fire one at a time in the order of their
time, and the next one only after every task is blocked again or has ended, so
a run is the same each time without any sleeping.
Not guaranteed: the order in which tasks that run at the same time take a lock.
"""

import threading  # noqa: TID251 - virtual time sits below the Runtime seam: it is one
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from types import TracebackType

from framework.clock import Clock
from framework.runtime import Condition, Event, Lock, Runtime, Task

DEFAULT_START = datetime(2026, 1, 1, tzinfo=UTC)
# What is left after it hangs; on a busy machine a step that does not may take seconds.
DEFAULT_LIMIT_SECONDS = 60.0


class VirtualTime:
    """A clock and a runtime that share one time, which stands still until `advance`.

    The thread that drives it (the test) may use everything made by the
    runtime as well, but nobody advances time for it: when it blocks for
    *limit* real seconds, it gets a TimeoutError.
    """

    def __init__(self, start: datetime = DEFAULT_START, *, limit: float = DEFAULT_LIMIT_SECONDS) -> None:
        self._world = _World(start, limit)
        self.clock: Clock = _VirtualClock(self._world)
        self.runtime: Runtime = _VirtualRuntime(self._world)

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass, stopping at each timer on the way until all tasks are blocked again."""
        self._world.advance(seconds)

    def wait_until_idle(self, limit: float | None = None) -> None:
        """Return once every task is blocked or has ended; TimeoutError after *limit* real seconds."""
        self._world.wait_until_idle(limit)

    def blocked(self) -> frozenset[str]:
        """The names of the tasks that are blocked now."""
        return self._world.blocked()


class _Sleeper:
    """One thread inside one blocking call."""

    def __init__(self, task: "_VirtualTask | None") -> None:
        self.task = task
        self.is_awake = False
        self.was_notified = False
        self.gate = threading.Event()


class _World:
    """All that is shared. Every change of who is blocked happens under one mutex, so `idle` is never a guess."""

    def __init__(self, start: datetime, limit: float) -> None:
        self.limit = limit
        self.elapsed = 0.0
        self.start = start
        self.mutex = threading.Lock()
        self.local = _Local()
        # Invariant: every task that has not ended is in exactly one of these.
        self._running: set[_VirtualTask] = set()
        self._blocked: set[_VirtualTask] = set()
        self._idle = threading.Condition(self.mutex)
        self._timers: list[tuple[float, int, _Sleeper]] = []
        self._next_number = count().__next__

    def sleeper(self, timeout: float | None = None) -> _Sleeper:
        """Declare the calling thread blocked. Holding the mutex; the caller then leaves it and calls `block_on`."""
        sleeper = _Sleeper(self.local.task)
        if sleeper.task:
            self._running.remove(sleeper.task)
            self._blocked.add(sleeper.task)
            self._idle.notify_all()
        if timeout is not None:
            heappush(self._timers, (self.elapsed + timeout, self._next_number(), sleeper))
        return sleeper

    def block_on(self, sleeper: _Sleeper) -> bool:
        """Really block; true if notified, false if its timer came first."""
        # Only the driver is limited: a task may rightly wait until the test is over.
        sleeper.gate.wait(None if sleeper.task else self.limit)
        with self.mutex:
            if not sleeper.is_awake:
                sleeper.is_awake = True
                raise TimeoutError(f"the thread that drives virtual time was blocked for {self.limit} real seconds")
            return sleeper.was_notified

    def wake(self, sleeper: _Sleeper, *, notified: bool) -> None:
        """Declare its thread running, from now and not from when it is scheduled. Holding the mutex."""
        sleeper.is_awake = True
        sleeper.was_notified = notified
        if sleeper.task:
            self._blocked.remove(sleeper.task)
            self._running.add(sleeper.task)
        sleeper.gate.set()

    def wake_first(self, sleepers: deque[_Sleeper], n: int) -> int:
        """Wake up to *n* of *sleepers*, longest blocked first, and return how many. Holding the mutex."""
        woken = 0
        while sleepers and woken < n:
            sleeper = sleepers.popleft()
            if not sleeper.is_awake:
                self.wake(sleeper, notified=True)
                woken += 1
        return woken

    def begin(self, task: "_VirtualTask") -> None:
        with self.mutex:
            self._running.add(task)

    def end(self, task: "_VirtualTask") -> None:
        with self.mutex:
            self._running.remove(task)
            task.has_ended = True
            self.wake_first(task.joiners, len(task.joiners))
            self._idle.notify_all()

    def blocked(self) -> frozenset[str]:
        with self.mutex:
            return frozenset(task.name for task in self._blocked)

    def wait_until_idle(self, limit: float | None = None) -> None:
        allowed = self.limit if limit is None else limit
        with self._idle:
            if not self._idle.wait_for(lambda: not self._running, allowed):
                names = ", ".join(sorted(task.name for task in self._running))
                raise TimeoutError(f"still running after {allowed} real seconds: {names}")

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"time does not go back: advance({seconds})")
        target = self.elapsed + seconds
        self.wait_until_idle()
        while self._fire_next(target):
            self.wait_until_idle()
        with self.mutex:
            self.elapsed = target

    def _fire_next(self, target: float) -> bool:
        with self.mutex:
            while self._timers and self._timers[0][0] <= target:
                at, _, sleeper = heappop(self._timers)
                if not sleeper.is_awake:
                    self.elapsed = max(at, self.elapsed)
                    self.wake(sleeper, notified=False)
                    return True
        return False


class _Local(threading.local):
    task: "_VirtualTask | None" = None


class _VirtualClock:
    def __init__(self, world: _World) -> None:
        self._world = world

    def now(self) -> datetime:
        return self._world.start + timedelta(seconds=self._world.elapsed)

    def monotonic(self) -> float:
        return self._world.elapsed

    def wait(self, seconds: float) -> None:
        if seconds <= 0:
            return
        with self._world.mutex:
            sleeper = self._world.sleeper(seconds)
        self._world.block_on(sleeper)


class _VirtualRuntime:
    def __init__(self, world: _World) -> None:
        self._world = world

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        return _VirtualTask(self._world, name, target)

    def lock(self) -> Lock:
        return _VirtualLock(self._world)

    def condition(self) -> Condition:
        return _VirtualCondition(self._world)

    def event(self) -> Event:
        return _VirtualEvent(self._world)


class _VirtualTask:
    def __init__(self, world: _World, name: str, target: Callable[[], None]) -> None:
        self._world = world
        self._target = target
        self.has_ended = False
        self.joiners: deque[_Sleeper] = deque()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        world.begin(self)
        self._thread.start()

    @property
    def name(self) -> str:
        return self._thread.name

    def is_alive(self) -> bool:
        return not self.has_ended

    def join(self, timeout: float | None = None) -> None:
        """Really wait when the driver calls it, with a limit in real time; a task that calls it is blocked."""
        if self._world.local.task is None:
            self._thread.join(timeout)
            return
        with self._world.mutex:
            if self.has_ended:
                return
            sleeper = self._world.sleeper(timeout)
            self.joiners.append(sleeper)
        self._world.block_on(sleeper)

    def _run(self) -> None:
        self._world.local.task = self
        try:
            self._target()
        finally:
            self._world.end(self)


class _VirtualLock:
    def __init__(self, world: _World) -> None:
        self._world = world
        self._is_held = False
        self._entrants: deque[_Sleeper] = deque()

    def __enter__(self) -> bool:
        with self._world.mutex:
            if not self._is_held:
                self._is_held = True
                return True
            sleeper = self._world.sleeper()
            self._entrants.append(sleeper)
        return self._world.block_on(sleeper)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        with self._world.mutex:
            self._release()

    def _release(self) -> None:
        # Handed over while held, so that nobody slips in between.
        self._is_held = self._world.wake_first(self._entrants, 1) > 0


class _VirtualCondition(_VirtualLock):
    def __init__(self, world: _World) -> None:
        super().__init__(world)
        self._waiters: deque[_Sleeper] = deque()

    def wait(self, timeout: float | None = None) -> bool:
        with self._world.mutex:
            self._must_be_held()
            self._release()
            sleeper = self._world.sleeper(timeout)
            self._waiters.append(sleeper)
            if timeout is not None and timeout <= 0:
                self._world.wake(sleeper, notified=False)
        try:
            return self._world.block_on(sleeper)
        finally:
            self._forget(sleeper)
            self.__enter__()

    def notify(self, n: int = 1) -> None:
        with self._world.mutex:
            self._must_be_held()
            self._world.wake_first(self._waiters, n)

    def notify_all(self) -> None:
        self.notify(len(self._waiters))

    def _must_be_held(self) -> None:
        if not self._is_held:
            raise RuntimeError("this condition is not held; enter it first")

    def _forget(self, sleeper: _Sleeper) -> None:
        with self._world.mutex:
            if sleeper in self._waiters:
                self._waiters.remove(sleeper)


class _VirtualEvent:
    def __init__(self, world: _World) -> None:
        self._changed = _VirtualCondition(world)
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        with self._changed:
            self._is_set = True
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        # Once notified it was set, even if it was cleared again before this thread ran.
        with self._changed:
            return self._is_set or self._changed.wait(timeout)
