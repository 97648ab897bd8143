"""The own writes that one cache has not passed yet."""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Any

import structlog

from apis.meta import Key
from framework.clock import Clock
from framework.own_writes.answer import Effect, Gone, Leaving, Touched, Written
from framework.own_writes.pending import Pending
from framework.own_writes.scope import CacheScope
from framework.own_writes.truth import Truth
from framework.store import Change, Entry, Store

# Objects. A cache that is behind by more is not read from: see `lost`.
LIMIT = 10_000
# Of one key; whoever deletes it more often before the cache sees anything has lost the cache.
_MOST_ENDS = 64
# No object has it: it keeps `pending` from being empty while something is lost.
_LOST = Key("", "")

_log = structlog.get_logger("windlass.own_writes")


class Ledger:
    """Not safe for several tasks by itself.

    A *stream* is a namespace that is watched (empty: all of them at once); each has come to a version of its own.
    """

    def __init__(
        self,
        store: Store[Any],
        scope: CacheScope,
        kept_of: Callable[[bytes], bytes],
        *,
        clock: Clock,
        name: str,
        limit: int = LIMIT,
    ) -> None:
        self._store = store
        self._scope = scope
        self._kept_of = kept_of
        self._clock = clock
        self._name = name
        self._limit = limit
        # Invariant: a pending write is newer than the version of its stream; what is_awaited, and nothing else, is
        # once in the heap of its stream, at the version at which to look at it.
        self.pending: dict[Key, Pending] = {}
        self._versions: dict[str, int] = {}
        self._heaps: dict[str, list[tuple[int, Key]]] = {}
        # Streams with writes for which there was no room, and the version that has them all; None: not known.
        # Invariant: _LOST is in pending exactly while this is not empty.
        self.lost: dict[str, int | None] = {}

    def items(self) -> Iterable[tuple[Key, Pending]]:
        return [(key, pending) for key, pending in self.pending.items() if key != _LOST]

    def version_of(self, key: Key) -> int | None:
        """To which version the cache has come for *key*; None if it is not for it."""
        stream = self._scope.stream_of(key)
        return None if stream is None else self._versions.get(stream, 0)

    def advance(self, stream: str, version: int, changes: Iterable[Change[Any]]) -> None:
        """The cache has come to *version*, by *changes*."""
        if version < self._versions.get(stream, 0):
            # The server counts from an older version, restored from a backup perhaps: who knows what is left.
            forgotten = self.forget(stream)
            if forgotten:
                reason = "the versions went back"
                _log.warning("own_writes_forgotten", cache=self._name, objects=forgotten, reason=reason)
        self._versions[stream] = version
        if not self.pending:
            return
        for change in changes:
            if (pending := self.pending.get(change.key)) is not None:
                pending.pass_change(change.old_entry, change.new_entry, is_end=not self._scope.is_selective)
                self._drop_if_empty(change.key, pending)
        self._pass_all(stream, version)
        lost = self.lost.get(stream)
        if lost is not None and lost <= version:
            self._found(stream)

    def record(self, effect: Effect, dead: tuple[str, ...]) -> None:
        """Take note of *effect*; *dead* are uids that were at its key before and cannot be any more."""
        stream = self._scope.stream_of(effect.key)
        if stream is None:
            return
        known, now = self.pending.get(effect.key), self._clock.monotonic()
        pending = known or Pending(now)
        self._note(effect, dead, pending, stream)
        if pending.is_empty:
            return
        has_room = len(pending.gone) <= _MOST_ENDS and (known is not None or len(self.pending) < self._limit)
        if not has_room:
            self._lose(effect, stream)
            return
        pending.since, pending.is_settled = now, False
        self.pending[effect.key] = pending
        self._await(stream, effect.key, pending)

    def forget(self, stream: str) -> int:
        """Expect nothing in *stream* any more; how many objects that concerned."""
        keys = [key for key, _ in self.items() if self._scope.stream_of(key) == stream]
        for key in keys:
            del self.pending[key]
        self._heaps.pop(stream, None)
        self._found(stream)
        return len(keys)

    def forget_all(self) -> None:
        """Expect nothing, and take no version for one of the same server."""
        self.pending.clear()
        self._versions.clear()
        self._heaps.clear()
        self.lost.clear()

    def overdue(self, age_seconds: float) -> list[Key]:
        """What has been pending for so long that the server should be asked about it, the oldest first."""
        found = [(pending.since, key) for key, pending in self._older(age_seconds) if pending.is_unsettled]
        return [key for _, key in sorted(found)]

    def unclear_streams(self, age_seconds: float) -> set[str]:
        """Where a version is needed that has all deletions, and all writes for which there was no room."""
        lost = {stream for stream, version in self.lost.items() if version is None}
        ends = (self._scope.stream_of(key) for key, pending in self._older(age_seconds) if pending.has_unknown_end)
        return lost | {stream for stream in ends if stream is not None}

    def settle(self, key: Key, truth: Truth, asked_at: float) -> None:
        """Compare with what the server said about *key* when it was asked; what was written since is not concerned."""
        pending, stream = self.pending.get(key), self._scope.stream_of(key)
        if pending is None or stream is None or pending.since >= asked_at:
            return
        cached = self._store.entry(key)
        if truth.version < pending.version:
            # The server was restored from a backup, and knows nothing of our write.
            pending.forget_write()
        elif truth.is_of(cached):
            self._settle_agreed(pending, truth, cached)
        self._drop_if_empty(key, pending)
        self._await(stream, key, pending)

    def settle_stream(self, stream: str, truth: Truth, asked_at: float) -> None:
        """All that was done in *stream* before *asked_at* the server had at the version that it said then."""
        for key, pending in self.items():
            if self._scope.stream_of(key) == stream and pending.since < asked_at:
                pending.end_by(truth.version)
                self._await(stream, key, pending)
        # The cache may be there already, and in a quiet cluster nothing comes that would show it.
        self._pass_all(stream, self._versions.get(stream, 0))
        if stream in self.lost and self.pending[_LOST].since < asked_at:
            self.lost[stream] = truth.version

    @staticmethod
    def _settle_agreed(pending: Pending, truth: Truth, cached: Entry | None) -> None:
        pending.is_settled = True
        pending.leaving.clear()
        if cached is not None or not pending.version:
            pending.forget_write()
        else:
            # What has come and gone may still be on its way into the cache; at this version there is nothing.
            pending.forget_write()
            pending.wrote(truth.version, None)

    def _note(self, effect: Effect, dead: tuple[str, ...], pending: Pending, stream: str) -> None:
        match effect:
            case Written(version=version) | Touched(version=version):
                if version > self._versions.get(stream, 0):
                    self._note_write(effect, pending)
            case Leaving(key=key, uid=uid, version=version):
                cached = self._store.entry(key)
                is_cached = cached is not None and cached.uid == uid and cached.version <= version
                # Otherwise the cache, having seen that version, has seen the end as well.
                if is_cached or version > self._versions.get(stream, 0):
                    pending.leaving[uid] = version
            case Gone(key=key, uid=uid):
                for each in {uid, *dead} - {""}:
                    self._note_end(key, each, pending)

    def _note_write(self, effect: Written | Touched, pending: Pending) -> None:
        if isinstance(effect, Written) and self._scope.is_understood:
            pending.wrote(effect.version, self._entry_of(effect) if self._scope.selects(effect.raw) else None)
        else:
            pending.wrote(effect.version, None, is_known=False)

    def _entry_of(self, written: Written) -> Entry:
        return Entry(written.key, written.uid, written.version, self._kept_of(written.raw))

    def _note_end(self, key: Key, uid: str, pending: Pending) -> None:
        cached = self._store.entry(key)
        is_own = pending.entry is not None and pending.entry.uid == uid
        is_cached = cached is not None and cached.uid == uid
        sees_ends = not self._scope.is_selective
        if sees_ends and not is_own and not is_cached and self._store.has_buried(key, uid):
            # The event was faster than the answer.
            return
        pending.gone[uid] = pending.version if sees_ends and is_own else 0

    def _older(self, age_seconds: float) -> list[tuple[Key, Pending]]:
        before = self._clock.monotonic() - age_seconds
        return [item for item in self.items() if item[1].since <= before]

    def _await(self, stream: str, key: Key, pending: Pending) -> None:
        end = pending.next_end
        if end and not pending.is_awaited:
            pending.is_awaited = True
            heappush(self._heaps.setdefault(stream, []), (end, key))

    def _pass_all(self, stream: str, version: int) -> None:
        heap = self._heaps.get(stream, [])
        while heap and heap[0][0] <= version:
            _, key = heappop(heap)
            pending = self.pending.get(key)
            if pending is not None:
                pending.is_awaited = False
                pending.pass_version(version, self._store.entry(key))
                self._drop_if_empty(key, pending)
                self._await(stream, key, pending)

    def _lose(self, effect: Effect, stream: str) -> None:
        if not self.lost:
            _log.error("own_writes_overflowed", cache=self._name, limit=self._limit)
        self.pending[_LOST] = Pending(self._clock.monotonic())
        known = self.lost.get(stream, 0)
        version = effect.version if isinstance(effect, Written | Touched) else None
        self.lost[stream] = None if known is None or version is None else max(known, version)

    def _found(self, stream: str) -> None:
        self.lost.pop(stream, None)
        if not self.lost:
            self.pending.pop(_LOST, None)

    def _drop_if_empty(self, key: Key, pending: Pending) -> None:
        if pending.is_empty:
            self.pending.pop(key, None)
