"""How often a node was set right: who fights over a number with somebody else must become slower, and say so."""

from collections import deque

import msgspec

from framework.clock import Clock

MOST_CORRECTIONS, WINDOW_SECONDS, PAUSE_SECONDS = 10, 600.0, 60.0


class _Record(msgspec.Struct):
    quantity: int
    at: deque[float]


class Corrections:
    """By the uid of the node, which no other node ever has."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._records: dict[str, _Record] = {}

    def seconds_to_wait(self, uid: str, quantity: int) -> float:
        """Before *quantity* may be written to the node once more; 0 unless it was wrong too often."""
        record = self._records.get(uid)
        if record is None or record.quantity != quantity or not self.is_contested(uid):
            return 0.0
        return max(0.0, record.at[-1] + PAUSE_SECONDS - self._clock.monotonic())

    def is_contested(self, uid: str) -> bool:
        record = self._records.get(uid)
        if record is None:
            return False
        oldest = self._clock.monotonic() - WINDOW_SECONDS
        while record.at and record.at[0] < oldest:
            record.at.popleft()
        return len(record.at) > MOST_CORRECTIONS

    def written(self, uid: str, quantity: int) -> None:
        """The same number again is a correction, another one is a new beginning."""
        record = self._records.get(uid)
        if record is None or record.quantity != quantity:
            self._records[uid] = _Record(quantity, deque())
        else:
            record.at.append(self._clock.monotonic())

    def forget(self, uid: str) -> None:
        self._records.pop(uid, None)

    def forget_all_but(self, uids: frozenset[str]) -> None:
        self._records = {uid: record for uid, record in self._records.items() if uid in uids}
