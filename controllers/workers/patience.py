"""For how long something is tried, or waited for."""

from framework.clock import Clock

TEN_MINUTES = 600.0


class Patience:
    """From the first time that this process asks, on a clock that nobody sets: neither a clock that is wrong nor a
    process that was away for long makes the first failure the last one, or has anybody wait for hours.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # By uid: when it was asked for first.
        self._since: dict[str, float] = {}

    def seconds_left(self, uid: str, seconds: float = TEN_MINUTES) -> float:
        now = self._clock.monotonic()
        return max(0.0, self._since.setdefault(uid, now) + seconds - now)

    def end(self, uid: str) -> None:
        """Nobody asks any more."""
        self._since.pop(uid, None)
