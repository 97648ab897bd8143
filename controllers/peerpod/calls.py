"""Calls of SDKs that block: each in a task of its own, of which there are not many, and none is waited for too long."""

from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from controllers.peerpod.provider import ProviderError, Transient
from framework.runtime import Runtime

T = TypeVar("T")

MOST_CALLS = 16
GRACE_SECONDS = 5.0


class Abandoned(Transient):
    """The call may go on for ever; nobody waits for it any more."""


class Calls:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = runtime.lock()
        self._under_way = 0

    def run(self, call: Callable[[], T], timeout_seconds: float) -> T:
        """What *call* returns, or the ProviderError that it raises; Abandoned if it does not end in time."""
        self._begin()
        ended = self._runtime.event()
        results: list[T] = []
        errors: list[Exception] = []

        def work() -> None:
            try:
                results.append(call())
            except Exception as error:  # noqa: BLE001 - a plugin is foreign code; who waits is told
                errors.append(error)
            finally:
                with self._lock:
                    self._under_way -= 1
                ended.set()

        context = copy_context()
        self._runtime.spawn("peerpod-call", lambda: context.run(work))
        if not ended.wait(timeout_seconds + GRACE_SECONDS):
            raise Abandoned(f"the cloud has not answered within {timeout_seconds:.0f} s")
        if errors:
            raise _told(errors[0])
        return results[0]

    def _begin(self) -> None:
        with self._lock:
            if self._under_way >= MOST_CALLS:
                raise Transient(f"{MOST_CALLS} calls of clouds are under way, none of which ends")
            self._under_way += 1


def _told(error: Exception) -> ProviderError:
    if isinstance(error, ProviderError):
        return error
    # Without its traceback: what stands in there may be secret.
    return Transient(f"{type(error).__name__}: {error}")
