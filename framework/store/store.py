"""The objects of one resource, by key and by index."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, Literal, TypeVar, cast

import msgspec

from apis.meta import Key, KubeObject
from framework.errors import WindlassError
from framework.runtime import Runtime
from framework.store.change import Change
from framework.store.entry import Entry
from framework.store.index import Indexes, IndexFunction
from framework.store.tombstones import Tombstones

T = TypeVar("T", bound=KubeObject)
EventType = Literal["ADDED", "MODIFIED", "DELETED"]


class Store(Generic[T]):
    """Takes events and replacements, and says what each of them changed."""

    def __init__(self, decode: Callable[[bytes], T], runtime: Runtime) -> None:
        self._decode_bytes = decode
        self._lock = runtime.lock()
        # Invariant, under _lock: the indexes hold exactly the keys of _entries,
        # and no key has both an entry and a tombstone.
        self._entries: dict[Key, Entry] = {}
        self._tombstones = Tombstones()
        self._indexes: Indexes[T] = Indexes(self.decode)
        self.ignored_events = 0

    def decode(self, entry: Entry) -> T:
        """The object of *entry*; raises WindlassError if it does not fit its type."""
        if entry.decoded is None:
            try:
                entry.decoded = self._decode_bytes(entry.raw)
            except msgspec.DecodeError as error:
                raise WindlassError(f"{entry.key} cannot be read: {error}") from error
        return cast("T", entry.decoded)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key) -> T | None:
        entry = self._entries.get(key)
        return None if entry is None else self.decode(entry)

    def entry(self, key: Key) -> Entry | None:
        return self._entries.get(key)

    def has_buried(self, key: Key, uid: str) -> bool:
        """Whether *uid* was the last object at *key*, and its deletion was seen."""
        with self._lock:
            return self._tombstones.uid_of(key) == uid

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries.values())

    def by_index(self, name: str, value: str) -> list[Entry]:
        with self._lock:
            return [self._entries[key] for key in self._indexes.keys(name, value)]

    def index_values(self, name: str, entry: Entry) -> frozenset[str]:
        """Under which values the index *name* would file *entry*, which need not be stored."""
        return self._indexes.values(name, entry)

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Possible at any time; objects that are there already are filed at once."""
        with self._lock:
            self._indexes.add(name, function, self._entries.values())

    def apply(self, events: Iterable[tuple[EventType, Entry]]) -> list[Change[T]]:
        """Take watch events in their order; return what they changed."""
        changes: list[Change[T]] = []
        with self._lock:
            for event_type, entry in events:
                self._apply(event_type, entry, changes)
        return changes

    def replace(self, entries: Mapping[Key, Entry], namespace: str = "", version: int = 0) -> list[Change[T]]:
        """Make *entries*, read at *version*, the whole content (of *namespace*); return exactly the differences."""
        changes: list[Change[T]] = []
        with self._lock:
            # A server restored from a backup counts from an older version: what was deleted may well be back.
            self._tombstones.clear()
            for key, old in list(self._entries.items()):
                if key not in entries and (not namespace or key.namespace == namespace):
                    changes.append(self._remove(old, version))
            for entry in entries.values():
                self._replace_one(entry, changes)
        return changes

    def _apply(self, event_type: EventType, entry: Entry, changes: list[Change[T]]) -> None:
        old = self._entries.get(entry.key)
        if self._is_late(old, entry):
            self.ignored_events += 1
        elif event_type != "DELETED":
            self._put(old, entry, changes)
        elif old is not None:
            changes.append(self._remove(old, entry.version))
        else:
            self._tombstones.add(entry.key, entry.version, entry.uid)
            self.ignored_events += 1

    def _is_late(self, old: Entry | None, entry: Entry) -> bool:
        """Duplicates and events that come late must not turn the cache back.

        A deletion carries the version of the deletion, so it is newer than the
        object; and what is older than its deletion must not bring it back.
        """
        seen = self._tombstones.version_of(entry.key) if old is None else old.version
        return entry.version <= seen

    def _replace_one(self, entry: Entry, changes: list[Change[T]]) -> None:
        old = self._entries.get(entry.key)
        if old is None or old.version != entry.version or old.uid != entry.uid:
            self._put(old, entry, changes)

    def _put(self, old: Entry | None, new: Entry, changes: list[Change[T]]) -> None:
        self._entries[new.key] = new
        if old is None:
            self._tombstones.forget(new.key)
        self._indexes.file(new)
        changes.extend(Change(self.decode, old, new).parts())

    def _remove(self, old: Entry, version: int) -> Change[T]:
        del self._entries[old.key]
        self._tombstones.add(old.key, version or old.version, old.uid)
        self._indexes.unfile(old.key)
        return Change(self.decode, old, None)
