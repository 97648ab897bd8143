"""Get and list from a store."""

from typing import Generic, TypeVar

from apis.meta import Key, KubeObject
from framework.store import LabelSelector, Store

T = TypeVar("T", bound=KubeObject)


class Lister(Generic[T]):
    def __init__(self, store: Store[T]) -> None:
        self._store = store

    def get(self, key: Key) -> T | None:
        return self._store.get(key)

    def by_index(self, name: str, value: str) -> list[T]:
        """Objects that the index *name* files under *value*, in no order."""
        return [self._store.decode(entry) for entry in self._store.by_index(name, value)]

    def __len__(self) -> int:
        return len(self._store)

    def list(self, namespace: str = "", labels: str = "") -> list[T]:
        """Objects in *namespace* (in all of them by default) that match the label selector *labels*, in no order."""
        entries = self._store.entries()
        objects = [self._store.decode(entry) for entry in entries if not namespace or entry.key.namespace == namespace]
        if not labels:
            return objects
        selector = LabelSelector.parse(labels)
        return [obj for obj in objects if selector.matches(obj.metadata.labels)]
