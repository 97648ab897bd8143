"""The order in which ready items are handed out."""

import math
from collections import deque
from heapq import heapify, heappop, heappush
from typing import Generic

from framework.workqueue.entry import Entry, Item

# Of this many hand-outs at most one goes to an overdue item: when a large backlog of low priority is overdue as a
# whole, urgent items still get the larger part of the workers.
OVERDUE_SHARE = 4
_MIN_PUSHES = 1024


class ReadyItems(Generic[Item]):
    """Entries that a worker may take now: highest priority first, then lowest sequence, except for the overdue."""

    def __init__(self, max_wait_seconds: float | None) -> None:
        self._max_wait_seconds = math.inf if max_wait_seconds is None else max_wait_seconds
        # Invariant: both hold the valid ticket of every entry that is here. Void tickets are skipped when met, and
        # swept out after as many pushes as there were valid ones (plus a constant): O(1) a push, and no leak.
        self._by_priority: list[tuple[int, int, Entry[Item]]] = []
        self._by_arrival: deque[tuple[float, int, Entry[Item]]] = deque()
        self._pushes_until_sweep = _MIN_PUSHES
        # Invariant: before this time nothing here is overdue.
        self._overdue_from = -math.inf
        self._until_overdue_may = 0

    def push(self, entry: Entry[Item], since: float) -> None:
        """Take in *entry*, or move it if it is here and got a new sequence. *since* never decreases between calls."""
        heappush(self._by_priority, (-entry.priority, entry.sequence, entry))
        self._by_arrival.append((since, entry.sequence, entry))
        self._pushes_until_sweep -= 1
        if not self._pushes_until_sweep:
            self._sweep()

    def pop(self, now: float) -> Entry[Item] | None:
        """Take out the entry that is next at time *now*."""
        if now >= self._overdue_from and (entry := self._pop_overdue(now)) is not None:
            return entry
        heap = self._by_priority
        while heap:
            _, sequence, entry = heappop(heap)
            if entry.sequence == sequence:
                entry.sequence = 0
                return entry
        return None

    def clear(self) -> None:
        self._by_priority.clear()
        self._by_arrival.clear()

    def _pop_overdue(self, now: float) -> Entry[Item] | None:
        self._drop_void_arrivals()
        arrivals = self._by_arrival
        self._overdue_from = self._max_wait_seconds + (arrivals[0][0] if arrivals else now)
        if not arrivals or now < self._overdue_from:
            return None
        if self._until_overdue_may > 0:
            self._until_overdue_may -= 1
            return None
        self._until_overdue_may = OVERDUE_SHARE - 1
        _, _, entry = arrivals.popleft()
        entry.sequence = 0
        return entry

    def _drop_void_heads(self) -> None:
        heap = self._by_priority
        while heap and heap[0][2].sequence != heap[0][1]:
            heappop(heap)

    def _drop_void_arrivals(self) -> None:
        arrivals = self._by_arrival
        while arrivals and arrivals[0][2].sequence != arrivals[0][1]:
            arrivals.popleft()

    def _sweep(self) -> None:
        self._by_priority = [ticket for ticket in self._by_priority if ticket[2].sequence == ticket[1]]
        heapify(self._by_priority)
        self._by_arrival = deque(ticket for ticket in self._by_arrival if ticket[2].sequence == ticket[1])
        self._pushes_until_sweep = len(self._by_priority) + _MIN_PUSHES
