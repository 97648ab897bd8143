"""How much memory the bodies of all connections may take together."""

from framework.http import refusals


class BodyBudget:
    """Shared by all connections of a server; used on the event loop only.

    The first *free_bytes* of each body do not count: clients that send large
    bodies slowly must not keep out those who send small ones. How many there
    can be of them the number of connections says.
    """

    def __init__(self, limit_bytes: int, free_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.free_bytes = free_bytes
        self.taken_bytes = 0

    def counted(self, size: int) -> int:
        return max(0, size - self.free_bytes)


class BodyAllowance:
    """What one connection has taken of the budget.

    Bytes belong to a body that is still arriving or waits for its turn until
    `hand_out`, then to whoever handles it, until `give_back`; the connection
    may be gone by then.
    """

    def __init__(self, budget: BodyBudget) -> None:
        self._budget = budget
        self._waiting_bytes = 0

    def grow(self, before: int, after: int) -> None:
        """A body of *before* bytes has *after* now. Raises what to answer if there is no room."""
        budget = self._budget
        size = budget.counted(after) - budget.counted(before)
        if size and budget.taken_bytes + size > budget.limit_bytes:
            raise refusals.too_busy(budget.limit_bytes)
        budget.taken_bytes += size
        self._waiting_bytes += size

    def hand_out(self, body: bytes) -> None:
        self._waiting_bytes -= self._budget.counted(len(body))

    def give_back(self, body: bytes) -> None:
        self._budget.taken_bytes -= self._budget.counted(len(body))

    def drop(self) -> None:
        """What was waiting is gone."""
        self._budget.taken_bytes -= self._waiting_bytes
        self._waiting_bytes = 0
