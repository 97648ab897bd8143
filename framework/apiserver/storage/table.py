"""All objects of one resource, and the window of their past changes."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from itertools import islice

from apis.meta import Key
from framework.apiserver.storage.record import Change, Record

# Watchers that keep up have seen a change by the time that so many others have followed it.
_FRESH_CHANGES = 1024


class WindowExceeded(Exception):
    """The changes since that revision are no longer all there; *oldest* is the first that could be asked for."""

    def __init__(self, oldest: int) -> None:
        super().__init__(f"history begins at {oldest}")
        self.oldest = oldest


class Table:
    """Used under the lock of its Storage."""

    def __init__(self, floor: int, limit: int, keep_seconds: float) -> None:
        self._records: dict[Key, Record] = {}
        # Invariant: the keys of _records, sorted.
        self._keys: list[Key] = []
        # Invariant: all changes after _floor, by revision; the first one has the number _first, counted from the start.
        self._changes: list[Change] = []
        self._times: list[float] = []
        self._first = 0
        self._floor = floor
        self._limit = limit
        self._keep_seconds = keep_seconds
        self._listeners: list[Callable[[], None]] = []
        self.revision = floor

    def __len__(self) -> int:
        return len(self._records)

    def get(self, key: Key) -> Record | None:
        return self._records.get(key)

    def load(self, record: Record) -> None:
        """Take a record from a journal, in the order of keys."""
        self._keys.append(record.key)
        self._records[record.key] = record

    def apply(self, change: Change, now: float) -> None:
        key = change.record.key
        if change.type == "DELETED":
            del self._records[key]
            del self._keys[bisect_left(self._keys, key)]
        else:
            if change.previous is None:
                insort(self._keys, key)
            self._records[key] = change.record
        self.revision = change.revision
        self._changes.append(change)
        self._times.append(now)
        if len(self._changes) > _FRESH_CHANGES:
            self._changes[-_FRESH_CHANGES - 1].forget_views()
        self._trim(now)
        for wake in self._listeners:
            wake()

    def records(self, namespace: str = "", after: Key | None = None) -> Iterator[Record]:
        """All records, or those of one namespace, beyond *after*, in the order of keys."""
        start, end = self._span(namespace)
        if after is not None:
            start = max(start, bisect_left(self._keys, (after.namespace, after.name + "\0")))
        return map(self._records.__getitem__, islice(self._keys, start, end))

    def count(self, namespace: str = "", after: Key | None = None) -> int:
        start, end = self._span(namespace)
        if after is not None:
            start = max(start, bisect_left(self._keys, (after.namespace, after.name + "\0")))
        return max(0, end - start)

    def records_at(self, revision: int) -> dict[Key, Record]:
        """All records as they were at *revision*: today's with every later change undone."""
        records = dict(self._records)
        for change in reversed(self._changes[self._index_after(revision) :]):
            if change.previous is None:
                del records[change.record.key]
            else:
                records[change.record.key] = change.previous
        return records

    def cursor(self, revision: int) -> int:
        """The number of the first change after *revision*, for `changes_from`."""
        return self._first + self._index_after(revision)

    def end_cursor(self) -> int:
        return self._first + len(self._changes)

    def changes_from(self, cursor: int) -> list[Change]:
        """The changes from number *cursor* on."""
        if cursor < self._first:
            raise WindowExceeded(self._floor)
        return self._changes[cursor - self._first :]

    def listen(self, wake: Callable[[], None]) -> None:
        """Have *wake* called after each change, under the lock: it must neither block nor raise."""
        self._listeners.append(wake)

    def ignore(self, wake: Callable[[], None]) -> None:
        if wake in self._listeners:
            self._listeners.remove(wake)

    def wake_all(self) -> None:
        for wake in self._listeners:
            wake()

    def _span(self, namespace: str) -> tuple[int, int]:
        if not namespace:
            return 0, len(self._keys)
        return bisect_left(self._keys, (namespace, "")), bisect_left(self._keys, (namespace + "\0", ""))

    def _index_after(self, revision: int) -> int:
        if revision < self._floor:
            raise WindowExceeded(self._floor)
        return bisect_left(self._changes, revision + 1, key=_revision)

    def _trim(self, now: float) -> None:
        # A margin makes the removal from the front of the list rare.
        over = len(self._changes) - self._limit
        if over > self._limit // 4:
            self.forget(over)
        elif self._times[0] < now - 2 * self._keep_seconds:
            self.forget(bisect_left(self._times, now - self._keep_seconds))

    def forget(self, count: int) -> None:
        """Drop the oldest *count* changes from the window."""
        if count:
            self._floor = self._changes[count - 1].revision
            self._first += count
            del self._changes[:count]
            del self._times[:count]

    def forget_all(self) -> None:
        self.forget(len(self._changes))


def _revision(change: Change) -> int:
    return change.revision
