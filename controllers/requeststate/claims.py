"""Claims: who works on a request, judged by this process' own monotonic clock alone."""

from datetime import UTC, datetime

import msgspec

from apis.meta import Key, micro_time
from apis.requeststate.v1 import Claim
from framework.clock import Clock

# A claim that was handed back says so by its renew time. A claim that is merely
# missing may have been removed by hand from under a worker that still works.
HANDED_BACK = micro_time(datetime(1970, 1, 1, tzinfo=UTC))


def new_claim(worker: str, now: datetime) -> Claim:
    return Claim(worker=worker, acquire_time=micro_time(now), renew_time=micro_time(now))


class _Seen(msgspec.Struct, frozen=True):
    claim: Claim | None
    since: float


class ClaimObserver:
    """Tells how long the claim of another can still be alive.

    A claim is dead once this process has seen it unchanged for the whole claim
    duration. The times written in it are compared with nothing but themselves.
    """

    def __init__(self, clock: Clock, duration_seconds: float) -> None:
        self._clock = clock
        self._duration_seconds = duration_seconds
        self._seen: dict[Key, _Seen] = {}

    def seconds_left(self, key: Key, claim: Claim | None) -> float:
        """0 when the request may be taken over."""
        if claim is not None and claim.renew_time == HANDED_BACK:
            return 0.0
        now = self._clock.monotonic()
        seen = self._seen.get(key)
        if seen is None or seen.claim != claim:
            seen = self._seen[key] = _Seen(claim, now)
        return max(0.0, seen.since + self._duration_seconds - now)

    def forget(self, key: Key) -> None:
        self._seen.pop(key, None)
