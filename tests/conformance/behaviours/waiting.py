"""Waiting for what a controller or a cache does a moment later."""

from collections.abc import Callable
from typing import TypeVar

from framework.clock import SystemClock

Found = TypeVar("Found")
# The real garbage collector looks for new kinds every half minute.
_LIMIT_SECONDS, _PAUSE_SECONDS = 90.0, 0.02


def eventually(look: Callable[[], Found], is_so: Callable[[Found], bool]) -> Found:
    """Look again and again until it is so; what was seen then."""
    clock = SystemClock()
    deadline = clock.monotonic() + _LIMIT_SECONDS
    while not is_so(found := look()):
        assert clock.monotonic() < deadline, found
        clock.wait(_PAUSE_SECONDS)
    return found
