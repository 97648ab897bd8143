"""Waiting for a condition of the outside world, with a limit."""

from collections.abc import Callable

from framework.clock import Clock, SystemClock

_INTERVAL_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], *, limit_seconds: float, clock: Clock | None = None) -> bool:
    """Return whether *condition* became true within the limit; it is asked at least once."""
    clock = clock or SystemClock()
    deadline = clock.monotonic() + limit_seconds
    while not condition():
        if clock.monotonic() >= deadline:
            return False
        clock.wait(_INTERVAL_SECONDS)
    return True
