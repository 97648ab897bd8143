"""For how long something is tried before it is left."""

from framework.clock import Clock

_SECONDS = 600.0


class Patience:
    """Ten minutes from the first try of this process, on a clock that nobody sets: neither a wrong clock nor a process
    that was away for long makes the first failure the last one.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # By uid: when it was tried first.
        self._since: dict[str, float] = {}

    def seconds_left(self, uid: str) -> float:
        now = self._clock.monotonic()
        return max(0.0, self._since.setdefault(uid, now) + _SECONDS - now)

    def end(self, uid: str) -> None:
        """Nothing is tried any more."""
        self._since.pop(uid, None)
