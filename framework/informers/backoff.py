"""How long a reflector waits after a failure: client-go's numbers."""

from framework.clock import Clock
from framework.randomness import Random

FIRST_SECONDS = 0.8
LONGEST_SECONDS = 30.0
RESET_AFTER_SECONDS = 120.0


class Backoff:
    def __init__(self, clock: Clock, random: Random) -> None:
        self._clock = clock
        self._random = random
        self._next_seconds = FIRST_SECONDS
        self._last_failure = clock.monotonic()

    def next_wait(self, longest_seconds: float = LONGEST_SECONDS) -> float:
        """Seconds to wait now, doubled from one failure to the next and up to doubled again by jitter."""
        now = self._clock.monotonic()
        if now - self._last_failure > RESET_AFTER_SECONDS:
            self._next_seconds = FIRST_SECONDS
        self._last_failure = now
        seconds = min(self._next_seconds, longest_seconds)
        self._next_seconds = min(self._next_seconds * 2, LONGEST_SECONDS)
        return seconds * (1.0 + self._random.random())

    def reset(self) -> None:
        """Begin with short waits again."""
        self._next_seconds = FIRST_SECONDS
