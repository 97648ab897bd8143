"""The writes that the server has yet to take."""

from collections import OrderedDict
from itertools import chain
from math import inf

from framework.events.series import Series


class PendingWrites:
    """At most *size* series, each once; those of whose kind nobody has heard go first and are dropped last."""

    def __init__(self, size: int) -> None:
        self._size = size
        # Invariant: a series is in at most one of these, under its name.
        self._firsts: OrderedDict[str, Series] = OrderedDict()
        self._repeats: OrderedDict[str, Series] = OrderedDict()
        # Until their `not_before`.
        self._waiting: OrderedDict[str, Series] = OrderedDict()
        self._next_due = inf

    def __len__(self) -> int:
        return len(self._firsts) + len(self._repeats) + len(self._waiting)

    def __contains__(self, series: Series) -> bool:
        return any(series.name in lane for lane in (self._firsts, self._repeats, self._waiting))

    def add(self, series: Series, now: float) -> Series | None:
        """Have *series* written; returns the one, maybe *series* itself, for which there is no room."""
        if series in self:
            return None
        dropped = None if len(self) < self._size else self._drop()
        if dropped is None and len(self) >= self._size:
            return series
        self._put(series, now)
        return dropped

    def take(self, now: float) -> Series | None:
        """The next one, out of the queue; None while all must wait."""
        if now >= self._next_due:
            self._wake(now)
        for lane in (self._firsts, self._repeats):
            if lane:
                return lane.popitem(last=False)[1]
        return None

    def next_due(self) -> float:
        return -inf if self._firsts or self._repeats else self._next_due

    def hurry(self) -> None:
        """Let nothing wait any longer."""
        for series in self._waiting.values():
            series.not_before = 0.0
        self._next_due = -inf

    def drain(self) -> list[Series]:
        left = [*chain(self._firsts.values(), self._repeats.values(), self._waiting.values())]
        for lane in (self._firsts, self._repeats, self._waiting):
            lane.clear()
        self._next_due = inf
        return left

    def _drop(self) -> Series | None:
        """Make room at the cost of the oldest repetition, if there is one."""
        if self._repeats:
            return self._repeats.popitem(last=False)[1]
        for series in self._waiting.values():
            if not series.is_unheard_first:
                return self._waiting.pop(series.name)
        return None

    def _put(self, series: Series, now: float) -> None:
        if series.not_before > now:
            self._waiting[series.name] = series
            self._next_due = min(self._next_due, series.not_before)
        else:
            (self._firsts if series.is_unheard_first else self._repeats)[series.name] = series

    def _wake(self, now: float) -> None:
        waiting, self._waiting, self._next_due = self._waiting, OrderedDict(), inf
        for series in waiting.values():
            self._put(series, now)
