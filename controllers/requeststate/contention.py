"""Spreads claims over time while workers compete, so that few of them write in vain.

Workers see a new request at the same moment. Each that reaches for it costs
the API server a write, and all but one are refused.
"""

from zlib import crc32

from apis.meta import Key
from framework.clock import Clock

# The longest pause, in writes: the first to write must be seen by most of the others before they do.
_WRITES_PER_PAUSE = 8.0
_LONGEST_PAUSE_SECONDS = 2.0
# How long after a lost race this worker still expects company.
_COMPANY_SECONDS = 10.0
_WEIGHT_OF_THE_NEWEST = 0.2


class Contention:
    """Delays nothing while this worker is alone; after a lost race each claim waits a share of a short pause.

    The share is another one for each worker and request, so that all orders
    occur; the pause follows how long a claim takes to be written here.
    """

    def __init__(self, clock: Clock, worker: str) -> None:
        self._clock = clock
        self._worker = worker
        self._write_seconds = 0.0
        self._alone_from = clock.monotonic()
        self._until: dict[Key, float] = {}

    def seconds_left(self, key: Key) -> float:
        """How long to wait before claiming *key*, counted from the first time it is asked."""
        now = self._clock.monotonic()
        if key not in self._until:
            self._until[key] = now + self._pause(key, now)
        return max(0.0, self._until[key] - now)

    def forget(self, key: Key) -> None:
        self._until.pop(key, None)

    def wrote(self, seconds: float) -> None:
        """A claim was answered after *seconds*, well or not."""
        self._write_seconds += (seconds - self._write_seconds) * _WEIGHT_OF_THE_NEWEST

    def lost(self) -> None:
        self._alone_from = self._clock.monotonic() + _COMPANY_SECONDS

    def _pause(self, key: Key, now: float) -> float:
        if now >= self._alone_from:
            return 0.0
        share = crc32(f"{self._worker}/{key}".encode()) / 2**32
        return share * min(self._write_seconds * _WRITES_PER_PAUSE, _LONGEST_PAUSE_SECONDS)
