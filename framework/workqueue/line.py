"""Groups in an order that changes."""

from heapq import heapify, heappop, heappush

Place = tuple[float, int]
_MIN_TICKETS = 64


class Line:
    """Who stands first; no two groups have the same place."""

    def __init__(self) -> None:
        # Invariant: the heap holds the ticket of every group that stands here. The others are void: they are dropped
        # when met, and swept out when they are more than the valid ones.
        self._places: dict[str, Place] = {}
        self._heap: list[tuple[Place, str]] = []

    def put(self, group: str, place: Place) -> None:
        """Let *group* stand at *place*, and nowhere else."""
        if self._places.get(group) == place:
            return
        self._places[group] = place
        heappush(self._heap, (place, group))
        if len(self._heap) > 2 * len(self._places) + _MIN_TICKETS:
            self._heap = [(each, name) for name, each in self._places.items()]
            heapify(self._heap)

    def leave(self, group: str) -> None:
        self._places.pop(group, None)

    def first(self) -> str | None:
        heap = self._heap
        while heap and self._places.get(heap[0][1]) != heap[0][0]:
            heappop(heap)
        return heap[0][1] if heap else None

    def __contains__(self, group: str) -> bool:
        return group in self._places

    def clear(self) -> None:
        self._places.clear()
        self._heap.clear()
