"""Get and list from a store, with what this process wrote on top of it."""

import builtins
from typing import Generic, TypeVar

from apis.meta import Key, KubeObject
from framework.own_writes import Overlay
from framework.store import Entry, LabelSelector, Store

T = TypeVar("T", bound=KubeObject)


class Lister(Generic[T]):
    def __init__(self, store: Store[T], overlay: Overlay[T] | None = None, *, is_whole: bool = True) -> None:
        self._store = store
        self._overlay = overlay
        # Empty, and that is all there is to find out, unless a write is on its way.
        self._pending = {} if overlay is None else overlay.pending
        self._is_whole = is_whole

    def get(self, key: Key) -> T | None:
        if not self._pending:
            return self._store.get(key)
        entry = self._entry(key)
        return None if entry is None else self._store.decode(entry)

    def as_sent(self, key: Key) -> bytes | None:
        """The object's JSON as the server sent it; None if it is not cached, or only a part of it."""
        entry = self._entry(key) if self._is_whole else None
        return None if entry is None else entry.raw

    def by_index(self, name: str, value: str) -> list[T]:
        """Objects that the index *name* files under *value*, in no order."""
        source = self._overlay if self._pending and self._overlay is not None else self._store
        return [self._store.decode(entry) for entry in source.by_index(name, value)]

    def __len__(self) -> int:
        return len(self._entries()) if self._pending else len(self._store)

    def list(self, namespace: str = "", labels: str = "") -> list[T]:
        """Objects in *namespace* (in all of them by default) that match the label selector *labels*, in no order."""
        entries = self._entries(namespace)
        objects = [self._store.decode(entry) for entry in entries if not namespace or entry.key.namespace == namespace]
        if not labels:
            return objects
        selector = LabelSelector.parse(labels)
        return [obj for obj in objects if selector.matches(obj.metadata.labels)]

    def _entry(self, key: Key) -> Entry | None:
        source = self._overlay if self._pending and self._overlay is not None else self._store
        return source.entry(key)

    def _entries(self, namespace: str = "") -> builtins.list[Entry]:
        if self._pending and self._overlay is not None:
            return self._overlay.entries(namespace)
        return self._store.entries()
