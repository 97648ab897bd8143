"""A lister that tells the reconcile in which it is used what it read."""

import builtins
from typing import Any, TypeVar

from apis.meta import Key, KubeObject
from framework.listers.lister import Lister
from framework.store import read_notes

T = TypeVar("T", bound=KubeObject)


class NotedLister(Lister[T]):
    def __init__(self, resource: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._resource = resource

    def get(self, key: Key) -> T | None:
        found = super().get(key)
        if (notes := read_notes()) is not None:
            notes.note_read(self._resource, key, "" if found is None else found.metadata.resource_version)
        return found

    def by_index(self, name: str, value: str) -> builtins.list[T]:
        found = super().by_index(name, value)
        if (notes := read_notes()) is not None:
            notes.note_list(self._resource, "", len(found))
        return found

    def list(self, namespace: str = "", labels: str = "") -> builtins.list[T]:
        found = super().list(namespace, labels)
        if (notes := read_notes()) is not None:
            notes.note_list(self._resource, namespace, len(found))
        return found
