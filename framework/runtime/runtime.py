"""What the framework asks of threads: as much as `threading` gives, and no more."""

from collections.abc import Callable
from types import TracebackType
from typing import Protocol


class Lock(Protocol):
    """Not reentrant; used as a context manager only."""

    def __enter__(self) -> bool: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Condition(Lock, Protocol):
    def wait(self, timeout: float | None = None) -> bool:
        """Give up the lock until notified; false when *timeout* seconds passed first."""

    def notify(self, n: int = 1) -> None: ...

    def notify_all(self) -> None: ...


class Event(Protocol):
    def is_set(self) -> bool: ...

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, timeout: float | None = None) -> bool:
        """Block until set; false when *timeout* seconds passed first."""


class Task(Protocol):
    @property
    def name(self) -> str: ...

    def is_alive(self) -> bool: ...

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end; `is_alive` then tells whether it came."""


class Runtime(Protocol):
    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        """Run *target* in a task of its own. An exception that leaves *target* is a bug of the caller."""

    def lock(self) -> Lock: ...

    def condition(self) -> Condition: ...

    def event(self) -> Event: ...
