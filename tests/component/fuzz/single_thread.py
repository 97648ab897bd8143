"""Clock and runtime for a server that one thread calls: nobody else can end a wait, so its time passes at once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import TracebackType

from framework.runtime import Condition, Event, Lock, Task

_START = datetime(2026, 1, 1, tzinfo=UTC)


class JumpingClock:
    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> datetime:
        return _START + timedelta(seconds=self._seconds)

    def monotonic(self) -> float:
        return self._seconds

    def wait(self, seconds: float) -> None:
        self._seconds += max(0.0, seconds)


class SingleThreadRuntime:
    def __init__(self, clock: JumpingClock) -> None:
        self._clock = clock

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        raise AssertionError(f"{name} wants a thread of its own: {target}")

    def lock(self) -> Lock:
        return _Lock()

    def condition(self) -> Condition:
        return _Condition(self._clock)

    def event(self) -> Event:
        return _Event(self._clock)


class _Lock:
    def __init__(self) -> None:
        self._is_held = False

    def __enter__(self) -> bool:
        assert not self._is_held, "this would block for ever"
        self._is_held = True
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._is_held = False


class _Condition(_Lock):
    def __init__(self, clock: JumpingClock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None, "this would block for ever"
        self._clock.wait(timeout)
        return False

    def notify(self, n: int = 1) -> None:  # noqa: ARG002 - nobody waits
        assert self._is_held

    def notify_all(self) -> None:
        assert self._is_held


class _Event:
    def __init__(self, clock: JumpingClock) -> None:
        self._clock = clock
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if not self._is_set:
            assert timeout is not None, "this would block for ever"
            self._clock.wait(timeout)
        return self._is_set
