"""The time that one deletion still has, as time-outs of its requests."""

from controllers.peerpod.provider import Transient
from framework.clock import Clock

CONNECT_SECONDS = 5.0
READ_SECONDS = 20.0


class TimeLeft:
    def __init__(self, clock: Clock, timeout_seconds: float) -> None:
        self._clock = clock
        self._deadline = clock.monotonic() + timeout_seconds

    def connect_seconds(self) -> float:
        return min(CONNECT_SECONDS, self.seconds())

    def read_seconds(self) -> float:
        return min(READ_SECONDS, self.seconds())

    def seconds(self) -> float:
        """Transient if there is none."""
        left = self._deadline - self._clock.monotonic()
        if left <= 0:
            raise Transient("the cloud has taken too long; the rest is left for the next attempt")
        return left
