"""A cache as this process's own writes make it: what the store holds, and what it must hold soon."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from apis.meta import Key, KubeObject
from framework.clock import Clock
from framework.errors import CacheBehind, DeadlineExceeded
from framework.own_writes.answer import Effect
from framework.own_writes.ledger import LIMIT, Ledger
from framework.own_writes.pending import Pending
from framework.own_writes.reconcile_scope import Write, reading_mode
from framework.own_writes.scope import CacheScope
from framework.own_writes.truth import Truth
from framework.runtime import Runtime, current_deadline
from framework.store import Change, Entry, EventType, Store

T = TypeVar("T", bound=KubeObject)

# How long a read waits for the cache, unless the reconcile ends earlier.
WAIT_SECONDS = 10.0


class Overlay(Generic[T]):
    """The way into and out of one informer's store.

    Whatever changes the store comes through here, under one lock, so that a
    reader finds a write in the store or in `pending`, and never in neither.
    Readers look at the store alone while `pending` is empty.
    """

    def __init__(
        self,
        store: Store[T],
        scope: CacheScope,
        kept_of: Callable[[bytes], bytes] = bytes,
        *,
        clock: Clock,
        runtime: Runtime,
        name: str = "",
        limit: int = LIMIT,
    ) -> None:
        self.scope = scope
        self.name = name
        self._store = store
        self._clock = clock
        self._changed = runtime.condition()
        # Under _changed, except for the question whether anything is pending.
        self._ledger = Ledger(store, scope, kept_of, clock=clock, name=name, limit=limit)
        self.pending = self._ledger.pending

    def replace(self, entries: Mapping[Key, Entry], stream: str, version: int) -> list[Change[T]]:
        with self._changed:
            changes = self._store.replace(entries, stream, version)
            self._advance(stream, version, changes)
        return changes

    def apply(self, events: Iterable[tuple[EventType, Entry]], stream: str, version: int) -> list[Change[T]]:
        with self._changed:
            changes = self._store.apply(events)
            self._advance(stream, version, changes)
        return changes

    def progress(self, stream: str, version: int) -> None:
        with self._changed:
            self._advance(stream, version, ())

    def empty(self, stream: str) -> list[Change[T]]:
        """The kind is not there any more, and with it went whatever was written."""
        with self._changed:
            changes = self._store.replace({}, stream)
            self._ledger.forget(stream)
            self._changed.notify_all()
        return changes

    def start_over(self) -> None:
        """The cache will be of another server, perhaps, whose versions say nothing about our writes."""
        with self._changed:
            self._ledger.forget_all()
            self._changed.notify_all()

    def known_uids(self, key: Key) -> tuple[str, ...]:
        """Which objects are at *key*, by the cache and by our last write."""
        # Without the lock, so in this order: what leaves pending meanwhile is in the store.
        pending = self.pending.get(key)
        ours, cached = None if pending is None else pending.entry, self._store.entry(key)
        return tuple(entry.uid for entry in (ours, cached) if entry is not None)

    def record(self, effect: Effect, dead: tuple[str, ...] = ()) -> None:
        """Take note of *effect*; *dead* are uids that were at its key before and cannot be any more."""
        with self._changed:
            self._ledger.record(effect, dead)
            self._changed.notify_all()

    def has_passed(self, write: Write) -> bool:
        """Whether the cache shows *write*, or whatever came after it."""
        with self._changed:
            version = self._ledger.version_of(write.key)
            pending = self.pending.get(write.key)
            if version is None:
                return True
            if pending is None:
                return not self._ledger.lost
            if write.version:
                return write.version <= version or pending.version < write.version
            return write.uid not in pending.gone and write.uid not in pending.leaving

    def has_come_to(self, key: Key, version: int) -> bool:
        """Whether the cache has followed the server up to *version*, as far as *key* is concerned."""
        with self._changed:
            reached = self._ledger.version_of(key)
            return reached is None or reached >= version

    def agrees_with(self, key: Key, truth: Truth) -> bool:
        """Whether the cache shows at *key* what the server has, or has come further than that."""
        with self._changed:
            version = self._ledger.version_of(key)
            return (
                version is None or version >= truth.version or (bool(key.name) and truth.is_of(self._store.entry(key)))
            )

    def overdue(self, age_seconds: float) -> list[Key]:
        with self._changed:
            return self._ledger.overdue(age_seconds)

    def unclear_streams(self, age_seconds: float) -> set[str]:
        with self._changed:
            return self._ledger.unclear_streams(age_seconds)

    def settle(self, key: Key, truth: Truth, asked_at: float) -> None:
        with self._changed:
            self._ledger.settle(key, truth, asked_at)
            self._changed.notify_all()

    def settle_stream(self, stream: str, truth: Truth, asked_at: float) -> None:
        with self._changed:
            self._ledger.settle_stream(stream, truth, asked_at)

    # Reads, for when something is pending.

    def entry(self, key: Key) -> Entry | None:
        with self._changed:
            self._wait_for(lambda: self._items_at(key))
            pending, cached = self.pending.get(key), self._store.entry(key)
            return cached if pending is None or self._reads_cache_only() else pending.merged(cached)

    def entries(self, namespace: str = "") -> list[Entry]:
        """All there are, of all namespaces; with *namespace* it waits for nothing outside of it."""
        with self._changed:
            self._wait_for(lambda: self._items_in(namespace))
            if self._reads_cache_only():
                return self._store.entries()
            seen = {entry.key: entry for entry in self._store.entries()}
            for key, pending in self._ledger.items():
                entry = pending.merged(seen.pop(key, None))
                if entry is not None:
                    seen[key] = entry
            return list(seen.values())

    def by_index(self, name: str, value: str) -> list[Entry]:
        with self._changed:
            self._wait_for(self._ledger.items)
            found = self._store.by_index(name, value)
            if self._reads_cache_only():
                return found
            kept = [entry for entry in found if entry.key not in self.pending]
            ours = [pending.merged(self._store.entry(key)) for key, pending in self._ledger.items()]
            return kept + [each for each in ours if each is not None and value in self._store.index_values(name, each)]

    def _advance(self, stream: str, version: int, changes: Iterable[Change[T]]) -> None:
        had_pending = bool(self.pending)
        self._ledger.advance(stream, version, changes)
        if had_pending:
            self._changed.notify_all()

    def _items_at(self, key: Key) -> list[tuple[Key, Pending]]:
        pending = self.pending.get(key)
        return [] if pending is None else [(key, pending)]

    def _items_in(self, namespace: str) -> list[tuple[Key, Pending]]:
        return [item for item in self._ledger.items() if not namespace or item[0].namespace == namespace]

    @staticmethod
    def _reads_cache_only() -> bool:
        return reading_mode() in {"off", "gate"}

    def _wait_for(self, items: Callable[[], Iterable[tuple[Key, Pending]]]) -> None:
        """Until nothing in *items* keeps the reader from an answer; by overlay that is only what cannot be shown."""
        if self._reads_cache_only():
            return
        started = self._clock.monotonic()
        while (obstacle := self._obstacle(items())) is not None:
            self._changed.wait(self._patience(started, obstacle))

    def _obstacle(self, items: Iterable[tuple[Key, Pending]]) -> str | None:
        if self._ledger.lost:
            return "more own writes than it can hold"
        waits_for_all = reading_mode() == "wait"
        for key, pending in items:
            cached = self._store.entry(key)
            is_behind = waits_for_all and pending.merged(cached) is not cached
            if is_behind or pending.hides_unknown(cached):
                return f"the own write of {key}"
        return None

    def _patience(self, started: float, obstacle: str) -> float:
        """Seconds left to wait; raises when there are none."""
        now, deadline = self._clock.monotonic(), current_deadline()
        end = started + WAIT_SECONDS
        if deadline is not None and deadline.at < end:
            end = deadline.at
            if now >= end:
                raise DeadlineExceeded(f"the reconcile's {deadline.timeout_seconds:g} s ended in a read of {self.name}")
        if now >= end:
            raise CacheBehind(f"the cache of {self.name} has not passed {obstacle} within {WAIT_SECONDS:g} s")
        return end - now
