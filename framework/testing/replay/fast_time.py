"""Clock and Runtime in which time passes faster: a lease of 15 seconds is over after a second and a half."""

from collections.abc import Callable
from datetime import datetime, timedelta
from types import TracebackType

from framework.clock import SystemClock
from framework.runtime import Condition, Event, Lock, Task, ThreadRuntime


class FastClock:
    """The same for all processes of a machine that are given the same *epoch*, as their monotonic clock is."""

    def __init__(self, speed: float, epoch: datetime) -> None:
        self.speed = speed
        self.epoch = epoch
        self._real = SystemClock()

    def now(self) -> datetime:
        return self.epoch + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return self._real.monotonic() * self.speed

    def wait(self, seconds: float) -> None:
        if seconds > 0:
            self._real.wait(seconds / self.speed)


def clock_from_now_on(speed: float) -> FastClock:
    """One that is right at this moment."""
    real = SystemClock()
    return FastClock(speed, real.now() - timedelta(seconds=real.monotonic() * speed))


class FastRuntime:
    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._real = ThreadRuntime()

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        return _FastTask(self._real.spawn(name, target), self._speed)

    def lock(self) -> Lock:
        return self._real.lock()

    def condition(self) -> Condition:
        return _FastCondition(self._real.condition(), self._speed)

    def event(self) -> Event:
        return _FastEvent(self._real.event(), self._speed)


class _FastTask:
    def __init__(self, real: Task, speed: float) -> None:
        self._real = real
        self._speed = speed

    @property
    def name(self) -> str:
        return self._real.name

    def is_alive(self) -> bool:
        return self._real.is_alive()

    def join(self, timeout: float | None = None) -> None:
        self._real.join(_shorter(timeout, self._speed))


class _FastCondition:
    def __init__(self, real: Condition, speed: float) -> None:
        self._real = real
        self._speed = speed
        self.notify = real.notify
        self.notify_all = real.notify_all

    def __enter__(self) -> bool:
        return self._real.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._real.__exit__(kind, error, trace)

    def wait(self, timeout: float | None = None) -> bool:
        return self._real.wait(_shorter(timeout, self._speed))


class _FastEvent:
    def __init__(self, real: Event, speed: float) -> None:
        self._real = real
        self._speed = speed
        self.is_set = real.is_set
        self.set = real.set
        self.clear = real.clear

    def wait(self, timeout: float | None = None) -> bool:
        return self._real.wait(_shorter(timeout, self._speed))


def _shorter(timeout: float | None, speed: float) -> float | None:
    return None if timeout is None else timeout / speed
