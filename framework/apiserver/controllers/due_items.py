"""Which items are to be looked at, and when."""

from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from framework.clock import Clock

Item = TypeVar("Item", bound=tuple[object, ...])
_FIRST_RETRY_SECONDS, _LONGEST_RETRY_SECONDS = 1.0, 60.0
# Stale entries of the heap are swept when there are more of them than of others, and at least so many.
_SWEEP = 1000


class DueItems(Generic[Item]):
    """Holds each item once, at the earliest time it was asked for; failures are tried again later and later."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: dict[Item, float] = {}
        # Invariant: holds (at, item) for each item in _due; an entry that differs from _due is stale.
        self._heap: list[tuple[float, Item]] = []
        self._failures: dict[Item, int] = {}

    def add(self, item: Item, seconds: float = 0.0) -> None:
        at = self._clock.monotonic() + seconds
        known = self._due.get(item)
        if known is None or at < known:
            self._due[item] = at
            heappush(self._heap, (at, item))

    def take(self) -> list[Item]:
        """Everything that is due now, in order; whoever takes it says how it went."""
        if not self._heap or self._heap[0][0] > (now := self._clock.monotonic()):
            return []
        taken = []
        while self._heap and self._heap[0][0] <= now:
            at, item = heappop(self._heap)
            if self._due.get(item) == at:
                del self._due[item]
                taken.append(item)
        return sorted(taken)

    def succeeded(self, item: Item, again_seconds: float | None = None) -> None:
        self._failures.pop(item, None)
        if again_seconds is not None:
            self.add(item, again_seconds)

    def failed(self, item: Item) -> None:
        count = self._failures[item] = self._failures.get(item, 0) + 1
        self.add(item, min(_FIRST_RETRY_SECONDS * 2 ** (count - 1), _LONGEST_RETRY_SECONDS))

    def forget(self, item: Item) -> None:
        self._due.pop(item, None)
        self._failures.pop(item, None)
        if len(self._heap) > _SWEEP + 2 * len(self._due):
            self._heap = [(at, one) for one, at in self._due.items()]
            heapify(self._heap)

    def seconds_to_next(self) -> float | None:
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        if not self._heap:
            return None
        return max(0.0, self._heap[0][0] - self._clock.monotonic())
