"""Calls into a library that has no time-out of its own."""

from collections.abc import Callable
from typing import Generic, TypeVar

from controllers.peerpod.provider import ProviderError, Transient
from framework.runtime import Event, Runtime

Answer = TypeVar("Answer")


class AbandonableCalls(Generic[Answer]):
    """Runs each call in a task of its own and stops waiting for it at its limit.

    A call that hangs cannot be ended, only left behind: it must see for itself, when it comes back at last, that it
    is late, and give back what it holds. Not more than *most* are left behind at a time.
    """

    def __init__(self, runtime: Runtime, *, most: int) -> None:
        self._runtime = runtime
        self._most = most
        # Invariant: how many tasks of this object run, awaited or left behind.
        self._running = 0
        self._lock = runtime.lock()

    def run(self, name: str, call: Callable[[], Answer], limit_seconds: float) -> Answer:
        """The answer of *call*, or its ProviderError; Transient when it takes longer than the limit."""
        with self._lock:
            if self._running >= self._most:
                raise Transient(f"{self._running} calls of {name} have not come back yet; nothing new is started")
            self._running += 1
        attempt = _Attempt(call, self._runtime.event(), self._ended)
        self._runtime.spawn(name, attempt.run)
        if not attempt.done.wait(limit_seconds):
            raise Transient(f"{name} has not answered within {limit_seconds:g} s; the call is abandoned")
        return attempt.result()

    def _ended(self) -> None:
        with self._lock:
            self._running -= 1


class _Attempt(Generic[Answer]):
    def __init__(self, call: Callable[[], Answer], done: Event, on_end: Callable[[], None]) -> None:
        self.done = done
        self._call = call
        self._on_end = on_end
        self._answers: list[Answer] = []
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            self._answers.append(self._call())
        except ProviderError as error:
            # Its frames hold objects of the library, and these its connection.
            error.__context__ = None
            self._error = error.with_traceback(None)
        except Exception as error:  # noqa: BLE001 - it goes on in the task that waits
            self._error = error
        finally:
            self._on_end()
            self.done.set()

    def result(self) -> Answer:
        if self._error is not None:
            raise self._error
        return self._answers[0]
