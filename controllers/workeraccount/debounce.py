"""Waits until what is to be built stays the same for a while: a burst of uploads is one build."""

from typing import NamedTuple

from apis.meta import Key
from framework.clock import Clock
from framework.runtime import Runtime


class _Sight(NamedTuple):
    composition: str
    since: float


class Debounce:
    """Forgotten with the process, which costs one more wait."""

    def __init__(self, seconds: float, clock: Clock, runtime: Runtime) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = runtime.lock()
        self._seen: dict[Key, _Sight] = {}

    def seconds_left(self, account: Key, composition: str) -> float:
        """Until *composition* has been the same for long enough; 0 or less: it has."""
        now = self._clock.monotonic()
        with self._lock:
            seen = self._seen.get(account)
            if seen is None or seen.composition != composition:
                seen = self._seen[account] = _Sight(composition, now)
        return seen.since + self._seconds - now

    def forget(self, account: Key) -> None:
        with self._lock:
            self._seen.pop(account, None)
