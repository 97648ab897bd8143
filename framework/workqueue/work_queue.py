"""The queue between event handlers and workers."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count
from typing import Generic

from framework.clock import Clock
from framework.errors import QueueShutDown
from framework.runtime import Runtime
from framework.workqueue.delayed import DelayedItems
from framework.workqueue.entry import Entry, Item
from framework.workqueue.grouped import GroupedItems
from framework.workqueue.metrics import QueueMetrics, QueueSnapshot, WorkQueueMetrics
from framework.workqueue.rate_limiters import RateLimiter
from framework.workqueue.ready import ReadyItems
from framework.workqueue.reason import Reason, with_reason

# For work that nobody waits for: the initial list, resyncs.
LOW_PRIORITY = -100
DEFAULT_MAX_WAIT_SECONDS = 60.0
# A platform refuses to sleep for centuries; waking once a day to sleep on costs nothing.
_LONGEST_SLEEP_SECONDS = 86400.0


class WorkQueue(Generic[Item]):
    """Hands each item to one worker at a time, urgent ones first, and never loses an add."""

    def __init__(
        self,
        name: str,
        runtime: Runtime,
        clock: Clock,
        limiter: RateLimiter,
        *,
        metrics: WorkQueueMetrics | None = None,
        max_wait_seconds: float | None = DEFAULT_MAX_WAIT_SECONDS,
        group_of: Callable[[Item], str] | None = None,
        max_started_per_group: int | None = None,
        keeps_reasons: bool = True,
    ) -> None:
        """*group_of* is called while the queue is locked: it looks at its item, quickly, and calls no queue."""
        self._name = name
        # False: nobody asks for reasons, so whoever adds need not give any.
        self.keeps_reasons = keeps_reasons
        self._monotonic = clock.monotonic
        self._limiter = limiter

        # Guards all fields below. A plain lock and not the condition: it is several times faster, and most
        # operations neither wait nor wake. Lock order: _parking before _lock.
        self._lock = runtime.lock()
        # Invariant: an item has an entry exactly if the entry is ready, delayed or started. Of these it can be
        # started together with one of the others (added again while a worker has it), but not ready and delayed.
        self._entries: dict[Item, Entry[Item]] = {}
        # Invariant: holds exactly the entries that are ready and not started.
        self._grouped = None if group_of is None else GroupedItems(group_of, max_started_per_group, max_wait_seconds)
        self._ready: ReadyItems[Item] | GroupedItems[Item] = self._grouped or ReadyItems(max_wait_seconds)
        # Invariant: holds exactly the entries that are delayed.
        self._delayed: DelayedItems[Item] = DelayedItems()
        # Invariant: the number of entries that are ready, and of those that are started.
        self._ready_count = 0
        self._started_count = 0
        self._next_sequence = count(1).__next__

        # A getter holds _parking from before its last look at the queue until it sleeps, and whoever wakes it must
        # hold _parking too: no wake-up falls between the look and the sleep.
        self._parking = runtime.condition()
        # Getters between going to sleep and noticing that they woke. Only they change it, each its own share, so a
        # wake-up that meets a timeout cannot make it wrong.
        self._sleepers = 0
        # Invariant: while there are sleepers, one wakes by itself at this time; infinite if none does.
        self._alarm = math.inf
        # Wake-ups that whoever leaves _lock must still deliver. One too many does no harm.
        self._owed_wakeups = 0

        self._accepts_adds = True
        # Once true, never blocks again. Implies not _accepts_adds.
        self._has_ended = False
        self._is_drained = False
        self._end = runtime.event()

        # Last: from here on a scrape may look at the fields above.
        self._metrics = None if metrics is None else metrics.for_queue(name, self._look)

    def add(
        self,
        item: Item,
        *,
        priority: int | None = None,
        after: float = 0.0,
        rate_limited: bool = False,
        reason: Reason | None = None,
    ) -> None:
        """Make *item* ready, or ready *after* seconds, or when the rate limiter says; given both, the earlier counts.

        An item that waits already keeps its higher priority and its earlier
        time, and gets *reason* beside those it has. A queue that was shut down
        ignores adds, for event handlers outlive it.
        """
        wanted = priority or 0
        with self._lock:
            if rate_limited or after > 0:
                self._put(item, wanted, self._delay(item, after, rate_limited=rate_limited), reason)
            else:
                entry = self._entries.get(item)
                # Most adds of a busy queue find the item waiting already.
                if entry is not None and entry.is_ready and wanted <= entry.priority:
                    if reason is not None:
                        entry.reasons = with_reason(entry.reasons, reason)
                    return
                self._put(item, wanted, 0.0, reason)
        if self._owed_wakeups:
            self._deliver_wakeups()

    def add_many(self, items: Iterable[Item], *, priority: int | None = None) -> None:
        """Add all *items* in their order, at the price of one lock."""
        batch = tuple(items)
        wanted = priority or 0
        with self._lock:
            for item in batch:
                self._put(item, wanted, 0.0)
        if self._owed_wakeups:
            self._deliver_wakeups()

    def add_after(
        self, item: Item, seconds: float, *, priority: int | None = None, reason: Reason | None = None
    ) -> None:
        self.add(item, priority=priority, after=seconds, reason=reason)

    def add_rate_limited(self, item: Item, *, priority: int | None = None, reason: Reason | None = None) -> None:
        self.add(item, priority=priority, rate_limited=True, reason=reason)

    def get(self, timeout: float | None = None) -> tuple[Item, int]:
        """Wait for the next item and return it with its priority; the caller must give it back with `done`.

        Raises TimeoutError when *timeout* seconds pass first, and
        QueueShutDown, without waiting, once the queue has ended.
        """
        try:
            with self._lock:
                lease = self._take()
            if lease is None:
                lease = self._wait(timeout)
        finally:
            if self._owed_wakeups:
                self._deliver_wakeups()
        if lease is None:
            raise TimeoutError(f"queue {self._name!r} had no item for {timeout} seconds")
        return lease

    def take_reasons(self, item: Item) -> tuple[float, tuple[Reason, ...]]:
        """For how long *item*, which a worker has, was ready, and why it was added; each reason is told once."""
        with self._lock:
            entry = self._entries[item]
            reasons, entry.reasons = entry.reasons, ()
            return entry.waited_seconds, reasons

    def ready_in(self, item: Item) -> float | None:
        """Seconds until *item* is ready again; 0 if it is, None if nothing has been asked for."""
        with self._lock:
            entry = self._entries.get(item)
            if entry is None or not (entry.is_ready or entry.is_delayed):
                return None
            return max(0.0, entry.ready_at - self._monotonic())

    def done(self, item: Item) -> None:
        """Give *item* back, whether or not the work succeeded.

        If it was added meanwhile it waits where that add put it, so that no
        change seen during the work is lost.
        """
        with self._lock:
            entry = self._entries.get(item)
            if entry is None or entry.started_at is None:
                raise ValueError(f"done({item!r}) on queue {self._name!r}, but no worker has that item")
            if self._metrics is not None:
                self._metrics.work_durations.observe(self._monotonic() - entry.started_at)
            entry.started_at = None
            self._started_count -= 1
            if self._grouped is not None and self._grouped.give_back(item) and self._sleepers:
                self._owed_wakeups += 1
            if entry.is_ready:
                self._offer_again(entry)
            elif not entry.is_delayed:
                del self._entries[item]
            if not self._accepts_adds:
                self._end_if_drained()
        if self._owed_wakeups:
            self._deliver_wakeups()

    def forget(self, item: Item) -> None:
        """Tell the rate limiter that *item* succeeded; this does not take it off the queue."""
        with self._lock:
            self._limiter.forget(item)

    def discard(self, is_unwanted: Callable[[Item], bool]) -> None:
        """Drop what waits and *is_unwanted*, and forget its failures; what a worker has is left alone."""
        with self._lock:
            waiting = [entry for entry in self._entries.values() if entry.is_ready or entry.is_delayed]
            unwanted = [entry for entry in waiting if is_unwanted(entry.item)]
            for entry in unwanted:
                self._limiter.forget(entry.item)
            self._drop(unwanted)
            if not self._accepts_adds:
                self._end_if_drained()
        self._deliver_wakeups()

    def num_requeues(self, item: Item) -> int:
        with self._lock:
            return self._limiter.num_requeues(item)

    def __len__(self) -> int:
        """The number of ready items: neither delayed nor being processed, unless added again."""
        with self._lock:
            self._promote_due(self._monotonic())
            ready = self._ready_count
        if self._owed_wakeups:
            self._deliver_wakeups()
        return ready

    def shut_down(self) -> None:
        """End at once: drop what waits; every `get` raises. Items in processing can still be given back."""
        with self._lock:
            self._accepts_adds = False
            self._drop(entry for entry in self._entries.values() if entry.is_ready or entry.is_delayed)
            self._ready.clear()
            self._delayed.clear()
            self._set_ended()
        self._deliver_wakeups()

    def shut_down_with_drain(self, timeout: float | None = None) -> bool:
        """Accept nothing more, drop what is delayed, and wait until all that is ready or in processing is done.

        Returns false if *timeout* seconds passed first, or another thread
        called `shut_down`; the queue has ended either way.
        """
        with self._lock:
            self._promote_due(self._monotonic())
            self._accepts_adds = False
            self._drop(entry for entry in self._entries.values() if entry.is_delayed)
            self._delayed.clear()
            self._end_if_drained()
        self._deliver_wakeups()
        self._end.wait(timeout)
        self.shut_down()
        return self._is_drained

    def _delay(self, item: Item, after: float, *, rate_limited: bool) -> float:
        delay = after
        if rate_limited:
            limit = self._limiter.when(item)
            delay = min(after, limit) if after > 0 else limit
        if delay > 0 and self._metrics is not None:
            self._metrics.retries += 1
        return delay

    def _put(self, item: Item, priority: int, delay: float, reason: Reason | None = None) -> None:
        entry = self._entries.get(item)
        if not self._accepts_adds:
            return
        if entry is not None and reason is not None:
            entry.reasons = with_reason(entry.reasons, reason)
        if entry is not None and entry.is_ready and priority <= entry.priority:
            return
        now = self._monotonic()
        # Whatever became ready before now goes first, in line and in age.
        if self._delayed.next_at <= now:
            self._promote_due(now)
        if entry is None:
            entry = self._entries[item] = Entry(item)
            if reason is not None:
                entry.reasons = (reason,)
        if entry.is_ready:
            self._raise_priority(entry, priority, now)
            return
        entry.priority = max(priority, entry.priority) if entry.is_delayed else priority
        if delay > 0:
            self._make_delayed(entry, now + delay)
        else:
            self._make_ready(entry, now)

    def _raise_priority(self, entry: Entry[Item], priority: int, now: float) -> None:
        if priority <= entry.priority:
            return
        entry.priority = priority
        entry.sequence = self._next_sequence()
        if entry.started_at is None:
            self._ready.push(entry, now)

    def _make_delayed(self, entry: Entry[Item], ready_at: float) -> None:
        if entry.is_delayed and entry.ready_at <= ready_at:
            return
        entry.is_delayed = True
        entry.ready_at = ready_at
        entry.sequence = self._next_sequence()
        self._delayed.push(entry)
        self._keep_alarm()

    def _make_ready(self, entry: Entry[Item], since: float) -> None:
        entry.is_delayed = False
        entry.is_ready = True
        entry.ready_at = since
        entry.sequence = self._next_sequence()
        self._ready_count += 1
        if self._metrics is not None:
            self._metrics.adds += 1
        if entry.started_at is None:
            self._offer(entry, since)

    def _offer_again(self, entry: Entry[Item]) -> None:
        now = self._monotonic()
        self._promote_due(now)
        self._offer(entry, now)

    def _offer(self, entry: Entry[Item], since: float) -> None:
        self._ready.push(entry, since)
        if self._sleepers:
            self._owed_wakeups += 1

    def _promote_due(self, now: float) -> None:
        for entry in self._delayed.pop_due(now):
            self._make_ready(entry, entry.ready_at)

    def _take(self) -> tuple[Item, int] | None:
        if self._has_ended:
            raise QueueShutDown(f"queue {self._name!r} has ended")
        now = self._monotonic()
        if self._delayed.next_at <= now:
            self._promote_due(now)
        entry = self._ready.pop(now)
        if entry is None:
            return None
        entry.is_ready = False
        entry.started_at = now
        self._ready_count -= 1
        self._started_count += 1
        entry.waited_seconds = now - entry.ready_at
        if self._metrics is not None:
            self._metrics.queue_durations.observe(entry.waited_seconds)
        if self._sleepers:
            self._keep_alarm()
        return entry.item, entry.priority

    def _wait(self, timeout: float | None) -> tuple[Item, int] | None:
        deadline = math.inf if timeout is None else self._monotonic() + timeout
        with self._parking:
            while True:
                with self._lock:
                    if (lease := self._take()) is not None:
                        return lease
                    now = self._monotonic()
                    if now >= deadline:
                        self._keep_alarm()
                        return None
                    wake_at = self._fall_asleep()
                try:
                    self._parking.wait(_sleep_seconds(now, min(wake_at, deadline)))
                finally:
                    self._wake_up(wake_at)

    def _fall_asleep(self) -> float:
        """The time at which this getter must look at the delayed items; infinite if another one does."""
        self._sleepers += 1
        if self._delayed.next_at >= self._alarm:
            return math.inf
        self._alarm = self._delayed.next_at
        return self._alarm

    def _wake_up(self, wake_at: float) -> None:
        with self._lock:
            self._sleepers -= 1
            if self._alarm == wake_at:
                self._alarm = math.inf

    def _keep_alarm(self) -> None:
        """See that some sleeper, once woken to reset its alarm, looks at the delayed items in time."""
        if self._sleepers and self._delayed.next_at < self._alarm and not self._owed_wakeups:
            self._owed_wakeups = 1

    def _deliver_wakeups(self) -> None:
        with self._parking:
            with self._lock:
                owed, self._owed_wakeups = self._owed_wakeups, 0
            self._parking.notify(owed)

    def _drop(self, waiting: Iterable[Entry[Item]]) -> None:
        for entry in tuple(waiting):
            self._ready_count -= entry.is_ready
            entry.is_ready = entry.is_delayed = False
            entry.sequence = 0
            if entry.started_at is None:
                del self._entries[entry.item]

    def _end_if_drained(self) -> None:
        if not self._has_ended and not self._ready_count and not self._started_count:
            self._is_drained = True
            self._set_ended()

    def _set_ended(self) -> None:
        self._has_ended = True
        self._owed_wakeups += self._sleepers
        self._end.set()

    def _look(self, metrics: QueueMetrics) -> QueueSnapshot:
        with self._lock:
            now = self._monotonic()
            self._promote_due(now)
            depth = Counter(entry.priority for entry in self._entries.values() if entry.is_ready)
            running = [now - entry.started_at for entry in self._entries.values() if entry.started_at is not None]
            snapshot = metrics.snapshot(depth, running)
        if self._owed_wakeups:
            self._deliver_wakeups()
        return snapshot


def _sleep_seconds(now: float, wake_at: float) -> float | None:
    return None if wake_at == math.inf else min(wake_at - now, _LONGEST_SLEEP_SECONDS)
