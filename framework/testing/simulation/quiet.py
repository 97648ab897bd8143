"""Knows when a cluster has come to rest."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from framework.clock import Clock
from framework.testing.simulation.store import RecordingJournal

_POLL_SECONDS = 1.0
# Renewed, counted and asked for by everybody all the time.
_NOISE = ("/leases", "/events", "authorization.k8s.io/")


@lru_cache(1024)
def counts(request: str) -> bool:
    """Whether a write says that a cluster is not at rest."""
    return not any(part in request for part in _NOISE)


class Quiet:
    def __init__(
        self,
        clock: Clock,
        journals: Sequence[RecordingJournal],
        seconds: float,
        limit_seconds: float,
        *,
        is_undone: bool = False,
    ) -> None:
        self._clock = clock
        self._journals = journals
        self._seconds = seconds
        self._limit_seconds = limit_seconds
        # The plan undoes what the user has done: then it is nobody's fault that nothing comes of it.
        self._is_undone = is_undone
        self._last = 0.0

    def stir(self, request: str = "") -> None:
        """Somebody writes, whether or not that changes anything."""
        if counts(request):
            self._last = self._clock.monotonic()

    @property
    def seconds_left(self) -> float:
        last = max(self._last, *(journal.last_change for journal in self._journals))
        return max(0.0, last + self._seconds - self._clock.monotonic())

    def wait_until(self, holds: Callable[[], bool]) -> None:
        limit = self._clock.monotonic() + self._limit_seconds
        while not holds():
            if self._clock.monotonic() >= limit:
                if self._is_undone:
                    return
                raise TimeoutError(f"what the user waits for has not come after {self._limit_seconds:g} s")
            self._clock.wait(_POLL_SECONDS)

    def pass_time(self, seconds: float) -> None:
        self._clock.wait(seconds)

    def wait(self) -> None:
        limit = self._clock.monotonic() + self._limit_seconds
        while (left := self.seconds_left) > 0 and self._clock.monotonic() < limit:
            self._clock.wait(left)
