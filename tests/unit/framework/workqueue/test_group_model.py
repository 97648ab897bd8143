"""Random programs on a queue with groups and on a model that is too simple to be wrong."""

import math
from collections import Counter

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import OVERDUE_SHARE, ExponentialPerItem, WorkQueue

MAX_WAIT_SECONDS = 20.0
ITEMS = st.sampled_from(["a1", "a2", "a3", "b1", "b2", "c1"])
PRIORITIES = st.sampled_from([None, -100, 0, 5])
SECONDS = st.integers(min_value=1, max_value=15)


class Waiting(msgspec.Struct):
    """One waiting item: `place` is its number among the ready, `since` and `arrival` tell when it could be taken."""

    priority: int
    ready_at: float
    number: int
    place: int | None = None
    arrival: int | None = None
    since: float = 0.0


class GroupModel:
    """Sorts everything at each step; the group of an item is its first letter."""

    def __init__(self, limit: float) -> None:
        self.now = 0.0
        self.limit = limit
        self.waiting: dict[str, Waiting] = {}
        self.processing: set[str] = set()
        # The turn of each group that has an item which no worker has, or one that a worker has.
        self.turns: dict[str, int] = {}
        self._number = 0
        self._until_overdue_may = 0

    def add(self, item: str, priority: int | None, delay: float) -> None:
        self.settle()
        wanted, ready_at = priority or 0, self.now + delay
        known = self.waiting.get(item)
        if known is None:
            self.waiting[item] = Waiting(wanted, ready_at, self._next())
        elif known.place is None:
            known.priority = max(known.priority, wanted)
            if ready_at < known.ready_at:
                known.ready_at, known.number = ready_at, self._next()
        elif wanted > known.priority:
            known.priority, known.place = wanted, self._next()
            if item not in self.processing:
                known.arrival, known.since = known.place, self.now
        self.settle()

    def settle(self) -> None:
        late = [
            (item, entry) for item, entry in self.waiting.items() if entry.place is None and entry.ready_at <= self.now
        ]
        for item, entry in sorted(late, key=lambda each: (each[1].ready_at, each[1].number)):
            entry.place = self._next()
            if item not in self.processing:
                self._arrive(item, entry.ready_at)

    def get(self) -> tuple[str, int] | None:
        self.settle()
        started = Counter(item[0] for item in self.processing)
        available = {
            item: entry
            for item, entry in self.waiting.items()
            if entry.arrival is not None and started[item[0]] < self.limit
        }
        if not available:
            return None
        item = self._overdue(available) or min(available, key=lambda item: self._rank(item, available[item]))
        self.processing.add(item)
        self.turns[item[0]] = self._next()
        return item, self.waiting.pop(item).priority

    def done(self, item: str) -> None:
        self.settle()
        self.processing.remove(item)
        if not self._is_known(item[0]):
            del self.turns[item[0]]
        if item in self.waiting and self.waiting[item].place is not None:
            self._arrive(item, self.now)

    def _arrive(self, item: str, since: float) -> None:
        self.waiting[item].arrival, self.waiting[item].since = self._next(), since
        self.turns.setdefault(item[0], self._next())

    def _is_known(self, group: str) -> bool:
        waits = any(item[0] == group and entry.arrival is not None for item, entry in self.waiting.items())
        return waits or any(item[0] == group for item in self.processing)

    def _overdue(self, available: dict[str, Waiting]) -> str | None:
        by_arrival = sorted(available, key=lambda item: available[item].arrival or 0)
        oldest_of_groups = {item[0]: item for item in reversed(by_arrival)}.values()
        oldest = min(oldest_of_groups, key=lambda item: (available[item].since, available[item].place or 0))
        if self.now - available[oldest].since < MAX_WAIT_SECONDS:
            return None
        if self._until_overdue_may:
            self._until_overdue_may -= 1
            return None
        self._until_overdue_may = OVERDUE_SHARE - 1
        return oldest

    def _rank(self, item: str, entry: Waiting) -> tuple[int, int, float]:
        return -self._priority_of_group(item[0]), self.turns[item[0]], self._place(entry)

    def _priority_of_group(self, group: str) -> int:
        mine = [e.priority for item, e in self.waiting.items() if item[0] == group and e.arrival is not None]
        return max(mine)

    def _place(self, entry: Waiting) -> float:
        return -entry.priority * 1e9 + (math.inf if entry.place is None else entry.place)

    def _next(self) -> int:
        self._number += 1
        return self._number


class GroupMachine(RuleBasedStateMachine):
    @initialize(limit=st.sampled_from([None, 1, 2]))
    def begin(self, limit: int | None) -> None:
        self.time = VirtualTime()
        self.queue = WorkQueue[str](
            "model",
            self.time.runtime,
            self.time.clock,
            ExponentialPerItem(base_seconds=2.0, max_seconds=16.0),
            max_wait_seconds=MAX_WAIT_SECONDS,
            group_of=lambda item: item[0],
            max_started_per_group=limit,
        )
        self.model = GroupModel(math.inf if limit is None else limit)

    @rule(item=ITEMS, priority=PRIORITIES)
    def add(self, item: str, priority: int | None) -> None:
        self.queue.add(item, priority=priority)
        self.model.add(item, priority, 0)

    @rule(item=ITEMS, priority=PRIORITIES, seconds=SECONDS)
    def add_after(self, item: str, priority: int | None, seconds: int) -> None:
        self.queue.add_after(item, seconds, priority=priority)
        self.model.add(item, priority, seconds)

    @rule()
    def get(self) -> None:
        expected = self.model.get()

        if expected is None:
            with pytest.raises(TimeoutError):
                self.queue.get(timeout=0)
        else:
            assert self.queue.get(timeout=0) == expected

    @precondition(lambda self: self.model.processing)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.model.processing)))

        self.queue.done(item)
        self.model.done(item)

    @rule(seconds=SECONDS)
    def advance(self, seconds: int) -> None:
        self.time.advance(seconds)
        self.model.now += seconds

    @invariant()
    def length_is_the_number_of_ready_items(self) -> None:
        self.model.settle()
        assert len(self.queue) == sum(entry.place is not None for entry in self.model.waiting.values())

    @invariant()
    def no_group_has_more_with_workers_than_it_may(self) -> None:
        started = Counter(item[0] for item, entry in self.queue._entries.items() if entry.started_at is not None)
        assert max(started.values(), default=0) <= self.model.limit


TestQueueWithGroupsAgainstModel = GroupMachine.TestCase
TestQueueWithGroupsAgainstModel.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
