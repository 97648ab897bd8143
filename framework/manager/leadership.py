"""The right to work as the leader, which ends by itself."""

import math

from framework.clock import Clock
from framework.runtime import Runtime


class Leadership:
    """Held until a moment on the monotonic clock, and not one longer, whoever forgets to end it.

    So a process that was stopped for a while, or whose renewals hang, finds
    that it does not lead before it does anything else.
    """

    def __init__(self, clock: Clock, runtime: Runtime) -> None:
        self._clock = clock
        # Invariant, under _lock: _held is clear, or was set together with _ends_at.
        self._lock = runtime.lock()
        self._held = runtime.event()
        self._ends_at = -math.inf

    def is_set(self) -> bool:
        """Whether this process leads, at this moment."""
        if not self._held.is_set():
            return False
        with self._lock:
            if self._clock.monotonic() >= self._ends_at:
                self._held.clear()
            return self._held.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it is held; false when *timeout* seconds passed first, or it was over already."""
        return self._held.wait(timeout) and self.is_set()

    def hold_until(self, ends_at: float) -> None:
        with self._lock:
            self._ends_at = ends_at
            self._held.set()

    def end(self) -> None:
        with self._lock:
            self._held.clear()
