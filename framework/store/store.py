"""The objects of one resource, by key and by index."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, Literal, TypeVar, cast

import structlog

from apis.meta import Key, KubeObject
from framework.errors import ConfigurationError
from framework.runtime import Runtime
from framework.store.change import Change
from framework.store.entry import Entry

T = TypeVar("T", bound=KubeObject)
IndexFunction = Callable[[T], Iterable[str]]
_log = structlog.get_logger("windlass.store")
EventType = Literal["ADDED", "MODIFIED", "DELETED"]


class Store(Generic[T]):
    """Takes events and replacements, and says what each of them changed."""

    def __init__(self, decode: Callable[[bytes], T], runtime: Runtime) -> None:
        self._decode_bytes = decode
        self._lock = runtime.lock()
        # Invariant, under _lock: for every index, a key is filed under exactly
        # the values that the index function gives for its entry.
        self._entries: dict[Key, Entry] = {}
        self._index_functions: dict[str, IndexFunction[T]] = {}
        self._indexes: dict[str, dict[str, set[Key]]] = {}
        self.ignored_events = 0

    def decode(self, entry: Entry) -> T:
        if entry.decoded is None:
            entry.decoded = self._decode_bytes(entry.raw)
        return cast("T", entry.decoded)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Key) -> T | None:
        entry = self._entries.get(key)
        return None if entry is None else self.decode(entry)

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries.values())

    def by_index(self, name: str, value: str) -> list[Entry]:
        with self._lock:
            if name not in self._indexes:
                known = ", ".join(sorted(self._indexes)) or "none"
                raise ConfigurationError(f"there is no index {name!r}; known: {known}")
            return [self._entries[key] for key in self._indexes[name].get(value, ())]

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Possible at any time; objects that are there already are filed at once."""
        with self._lock:
            if name in self._index_functions and self._index_functions[name] is not function:
                raise ConfigurationError(f"index {name!r} exists already with another function")
            self._index_functions[name] = function
            self._indexes[name] = {}
            for entry in self._entries.values():
                self._file_under(name, entry)

    def apply(self, events: Iterable[tuple[EventType, Entry]]) -> list[Change[T]]:
        """Take watch events in their order; return what they changed."""
        changes: list[Change[T]] = []
        with self._lock:
            for event_type, entry in events:
                changes.extend(self._apply(event_type, entry))
        return changes

    def replace(self, entries: Mapping[Key, Entry], namespace: str = "") -> list[Change[T]]:
        """Make *entries* the whole content (of *namespace*); return exactly the differences."""
        changes: list[Change[T]] = []
        with self._lock:
            for key, old in list(self._entries.items()):
                if key not in entries and (not namespace or key.namespace == namespace):
                    changes.append(self._remove(old))
            for entry in entries.values():
                changes.extend(self._replace_one(entry))
        return changes

    def _apply(self, event_type: EventType, entry: Entry) -> list[Change[T]]:
        old = self._entries.get(entry.key)
        # Duplicates and events that come late must not turn the cache back. A
        # deletion carries the version of the deletion, so it is newer as well.
        if old is not None and entry.version <= old.version:
            self.ignored_events += 1
            return []
        if event_type != "DELETED":
            return self._put(old, entry)
        if old is None:
            self.ignored_events += 1
            return []
        return [self._remove(old)]

    def _replace_one(self, entry: Entry) -> list[Change[T]]:
        old = self._entries.get(entry.key)
        if old is not None and old.version == entry.version and old.uid == entry.uid:
            return []
        return self._put(old, entry)

    def _put(self, old: Entry | None, new: Entry) -> list[Change[T]]:
        # Another uid is another object: the deletion in between was not seen, but it happened.
        if old is not None and old.uid != new.uid:
            return [self._remove(old), *self._put(None, new)]
        if old is not None:
            self._unfile(old)
        self._entries[new.key] = new
        for name in self._index_functions:
            self._file_under(name, new)
        return [Change(self.decode, old, new)]

    def _remove(self, old: Entry) -> Change[T]:
        self._unfile(old)
        del self._entries[old.key]
        return Change(self.decode, old, None)

    def _file_under(self, name: str, entry: Entry) -> None:
        for value in self._values(name, entry):
            self._indexes[name].setdefault(value, set()).add(entry.key)

    def _unfile(self, entry: Entry) -> None:
        for name, index in self._indexes.items():
            for value in self._values(name, entry):
                keys = index.get(value, set())
                keys.discard(entry.key)
                if not keys:
                    index.pop(value, None)

    def _values(self, name: str, entry: Entry) -> Iterable[str]:
        try:
            return tuple(self._index_functions[name](self.decode(entry)))
        except Exception as error:  # noqa: BLE001 - an index function is foreign code
            # One object that cannot be read must not stop the stream of all others.
            _log.warning("object_not_indexed", index=name, object=str(entry.key), error=str(error))
            return ()
