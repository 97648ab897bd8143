"""Items that become ready at a later time."""

import math
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Generic

from framework.workqueue.entry import Entry, Item

_MIN_PUSHES = 1024


class DelayedItems(Generic[Item]):
    """Entries in the order of their `ready_at`, equal times in the order of their sequence."""

    def __init__(self) -> None:
        # Invariant: holds the valid ticket of every delayed entry; void ones are swept as in ReadyItems.
        self._heap: list[tuple[float, int, Entry[Item]]] = []
        self._pushes_until_sweep = _MIN_PUSHES
        # Nothing becomes ready before this time. An attribute, for it is read at every hand-out.
        self.next_at = math.inf

    def push(self, entry: Entry[Item]) -> None:
        """Take in *entry*, or move it if it is here and got a new sequence."""
        heappush(self._heap, (entry.ready_at, entry.sequence, entry))
        self._pushes_until_sweep -= 1
        if not self._pushes_until_sweep:
            self._sweep()
        self.next_at = self._heap[0][0]

    def pop_due(self, now: float) -> Iterator[Entry[Item]]:
        """Take out, one by one, what is ready at time *now*."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            _, sequence, entry = heappop(heap)
            if entry.sequence == sequence:
                yield entry
        self.next_at = heap[0][0] if heap else math.inf

    def clear(self) -> None:
        self._heap.clear()
        self.next_at = math.inf

    def _sweep(self) -> None:
        self._heap = [ticket for ticket in self._heap if ticket[2].sequence == ticket[1]]
        heapify(self._heap)
        self._pushes_until_sweep = len(self._heap) + _MIN_PUSHES
