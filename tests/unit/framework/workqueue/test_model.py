"""Random programs on the queue and on a model that is too simple to be wrong."""

import math

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import OVERDUE_SHARE, ExponentialPerItem, WorkQueue

MAX_WAIT_SECONDS = 20.0
ITEMS = st.sampled_from("abcdef")
PRIORITIES = st.sampled_from([None, -100, 0, 5, 7])
SECONDS = st.integers(min_value=1, max_value=15)


class Waiting(msgspec.Struct):
    """One waiting item: `place` is its number among the ready, `since` and `arrival` tell when it could be taken."""

    priority: int
    ready_at: float
    number: int
    place: int | None = None
    arrival: int = 0
    since: float = 0.0


class Model:
    """Sorts everything at each step."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: dict[str, Waiting] = {}
        self.processing: set[str] = set()
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
            known.arrival, known.since = known.place, self.now
        self.settle()

    def settle(self) -> None:
        late = [entry for entry in self.waiting.values() if entry.place is None and entry.ready_at <= self.now]
        for entry in sorted(late, key=lambda entry: (entry.ready_at, entry.number)):
            entry.place = entry.arrival = self._next()
            entry.since = entry.ready_at

    def get(self) -> tuple[str, int] | None:
        self.settle()
        available = {
            item: entry
            for item, entry in self.waiting.items()
            if entry.place is not None and item not in self.processing
        }
        if not available:
            return None
        item = self._overdue(available) or min(available, key=lambda item: self._rank(available[item]))
        self.processing.add(item)
        return item, self.waiting.pop(item).priority

    def done(self, item: str) -> None:
        self.settle()
        self.processing.remove(item)
        if item in self.waiting:
            self.waiting[item].arrival, self.waiting[item].since = self._next(), self.now

    def _overdue(self, available: dict[str, Waiting]) -> str | None:
        oldest = min(available, key=lambda item: available[item].arrival)
        if self.now - available[oldest].since < MAX_WAIT_SECONDS:
            return None
        if self._until_overdue_may:
            self._until_overdue_may -= 1
            return None
        self._until_overdue_may = OVERDUE_SHARE - 1
        return oldest

    def _rank(self, entry: Waiting) -> tuple[int, float]:
        return -entry.priority, math.inf if entry.place is None else entry.place

    def _next(self) -> int:
        self._number += 1
        return self._number


class QueueMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.time = VirtualTime()
        self.queue = WorkQueue[str](
            "model",
            self.time.runtime,
            self.time.clock,
            ExponentialPerItem(base_seconds=2.0, max_seconds=16.0),
            max_wait_seconds=MAX_WAIT_SECONDS,
        )
        self.model = Model()
        self.failures: dict[str, int] = {}

    @rule(item=ITEMS, priority=PRIORITIES)
    def add(self, item: str, priority: int | None) -> None:
        self.queue.add(item, priority=priority)
        self.model.add(item, priority, 0)

    @rule(items=st.lists(ITEMS, max_size=4), priority=PRIORITIES)
    def add_many(self, items: list[str], priority: int | None) -> None:
        self.queue.add_many(items, priority=priority)
        for item in items:
            self.model.add(item, priority, 0)

    @rule(item=ITEMS, priority=PRIORITIES, seconds=SECONDS)
    def add_after(self, item: str, priority: int | None, seconds: int) -> None:
        self.queue.add_after(item, seconds, priority=priority)
        self.model.add(item, priority, seconds)

    @rule(item=ITEMS, priority=PRIORITIES, after=st.one_of(st.just(0), SECONDS))
    def add_rate_limited(self, item: str, priority: int | None, after: int) -> None:
        limit = min(2.0 * 2 ** self.failures.get(item, 0), 16.0)
        self.failures[item] = self.failures.get(item, 0) + 1

        self.queue.add(item, priority=priority, after=after, rate_limited=True)
        self.model.add(item, priority, min(after, limit) if after else limit)

    @rule(item=ITEMS)
    def forget(self, item: str) -> None:
        self.queue.forget(item)
        self.failures.pop(item, None)

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

    @rule(item=ITEMS)
    def done_without_get_is_refused(self, item: str) -> None:
        if item not in self.model.processing:
            with pytest.raises(ValueError, match="no worker has that item"):
                self.queue.done(item)

    @rule(seconds=SECONDS)
    def advance(self, seconds: int) -> None:
        self.time.advance(seconds)
        self.model.now += seconds

    @invariant()
    def length_is_the_number_of_ready_items(self) -> None:
        self.model.settle()
        assert len(self.queue) == sum(entry.place is not None for entry in self.model.waiting.values())

    @invariant()
    def retries_are_counted_alike(self) -> None:
        assert all(self.queue.num_requeues(item) == count for item, count in self.failures.items())


TestQueueAgainstModel = QueueMachine.TestCase
TestQueueAgainstModel.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
