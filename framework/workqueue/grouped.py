"""The order in which ready items are handed out when they belong to groups."""

import math
from collections.abc import Callable
from itertools import count
from typing import Generic

import structlog

from framework.workqueue.entry import Entry, Item
from framework.workqueue.line import Line, Place
from framework.workqueue.ready import OVERDUE_SHARE, ReadyItems

_log = structlog.get_logger("windlass.workqueue")


class GroupedItems(Generic[Item]):
    """Entries that a worker may take now: highest priority first, then groups by turns, then lowest sequence.

    A group of which *max_started* items are with workers gives nothing until
    one of them is back, and costs those that may go nothing. The overdue go
    first as they do without groups, if their group may.
    """

    def __init__(
        self, group_of: Callable[[Item], str], max_started: int | None, max_wait_seconds: float | None
    ) -> None:
        self._group_of = group_of
        self._max_started = math.inf if max_started is None else max_started
        self._max_wait_seconds = math.inf if max_wait_seconds is None else max_wait_seconds
        # Invariant: a group is known as long as it has an item here or with a worker; both lines hold exactly those
        # that have an item here and may give it, though the last one of a group may have moved to another group.
        self._groups: dict[str, _Group[Item]] = {}
        self._by_turn = Line()
        self._by_age = Line()
        # Which group each started item was taken from: its own may be another by now.
        self._taken_from: dict[Item, str] = {}
        self._next_turn = count(1).__next__
        self._until_overdue_may = 0

    def push(self, entry: Entry[Item], since: float) -> None:
        """Take in *entry*, or move it if it is here and got a new sequence. *since* never decreases between calls."""
        name = self._name_of(entry.item)
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group(self._next_turn())
        group.push(entry, since)
        self._line_up(name)

    def pop(self, now: float) -> Entry[Item] | None:
        """Take out the entry that is next at time *now*."""
        name = self._overdue(now)
        if name is not None:
            return self._take(name, self._groups[name].pop_oldest())
        name = self._first(self._by_turn)
        return None if name is None else self._take(name, self._groups[name].pop(now))

    def give_back(self, item: Item) -> bool:
        """A worker has done with *item*; whether its group now has another one to give."""
        name = self._taken_from.pop(item, None)
        if name is None:
            return False
        self._groups[name].started -= 1
        self._line_up(name)
        return name in self._by_turn

    def clear(self) -> None:
        self._groups.clear()
        self._taken_from.clear()
        self._by_turn.clear()
        self._by_age.clear()

    def _name_of(self, item: Item) -> str:
        try:
            return self._group_of(item)
        except Exception:  # noqa: BLE001 - foreign code; an item without a group is better than one that is lost
            _log.exception("group_unknown", item=str(item))
            return ""

    def _overdue(self, now: float) -> str | None:
        name = self._first(self._by_age)
        if name is None or now - self._groups[name].oldest()[0] < self._max_wait_seconds:
            return None
        if self._until_overdue_may > 0:
            self._until_overdue_may -= 1
            return None
        self._until_overdue_may = OVERDUE_SHARE - 1
        return name

    def _first(self, line: Line) -> str | None:
        while (name := line.first()) is not None:
            self._line_up(name)
            if line.first() == name:
                return name
        return None

    def _take(self, name: str, entry: Entry[Item] | None) -> Entry[Item] | None:
        if entry is None:
            return None
        group = self._groups[name]
        group.started += 1
        group.turn = self._next_turn()
        self._taken_from[entry.item] = name
        self._line_up(name)
        return entry

    def _line_up(self, name: str) -> None:
        group = self._groups[name]
        head = group.head()
        if head is not None and group.started < self._max_started:
            self._by_turn.put(name, (-head.priority, group.turn))
            self._by_age.put(name, group.oldest())
            return
        self._by_turn.leave(name)
        self._by_age.leave(name)
        if head is None and not group.started:
            del self._groups[name]


class _Group(ReadyItems[Item]):
    """The ready items of one group; which of them are overdue is judged for all groups together."""

    def __init__(self, turn: int) -> None:
        super().__init__(max_wait_seconds=None)
        # When it was served last, or else became known, as a number that only grows.
        self.turn = turn
        self.started = 0

    def head(self) -> Entry[Item] | None:
        heap = self._by_priority
        self._drop_void_heads()
        return heap[0][2] if heap else None

    def oldest(self) -> Place:
        """Since when the item waits that waits longest, and its number; only if there is one."""
        self._drop_void_arrivals()
        since, sequence, _ = self._by_arrival[0]
        return since, sequence

    def pop_oldest(self) -> Entry[Item]:
        self._drop_void_arrivals()
        _, _, entry = self._by_arrival.popleft()
        entry.sequence = 0
        return entry
