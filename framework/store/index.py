"""Finds keys by values that functions derive from the objects."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import structlog

from apis.meta import Key, KubeObject
from framework.errors import ConfigurationError
from framework.store.entry import Entry

T = TypeVar("T", bound=KubeObject)
# Called while the store is locked: it looks at its object and at nothing else.
IndexFunction = Callable[[T], Iterable[str]]

_log = structlog.get_logger("windlass.store")


class Indexes(Generic[T]):
    """All indexes of one store; not safe for several tasks by itself."""

    def __init__(self, decode: Callable[[Entry], T]) -> None:
        self._decode = decode
        self._by_name: dict[str, _Index[T]] = {}

    def add(self, name: str, function: IndexFunction[T], entries: Iterable[Entry]) -> None:
        known = self._by_name.get(name)
        if known is not None:
            if known.function is not function:
                raise ConfigurationError(f"index {name!r} exists already with another function")
            return
        index = self._by_name[name] = _Index(function)
        for entry in entries:
            self._file_under(name, index, entry)

    def keys(self, name: str, value: str) -> Iterable[Key]:
        return self._named(name).keys.get(value, ())

    def values(self, name: str, entry: Entry) -> frozenset[str]:
        """Under which values *entry* would be filed."""
        return self._values(name, self._named(name), entry)

    def file(self, entry: Entry) -> None:
        """File *entry*, instead of what was filed for its key before."""
        for name, index in self._by_name.items():
            self._file_under(name, index, entry)

    def unfile(self, key: Key) -> None:
        for index in self._by_name.values():
            index.put(key, frozenset())

    def _named(self, name: str) -> "_Index[T]":
        if name not in self._by_name:
            known = ", ".join(sorted(self._by_name)) or "none"
            raise ConfigurationError(f"there is no index {name!r}; known: {known}")
        return self._by_name[name]

    def _file_under(self, name: str, index: "_Index[T]", entry: Entry) -> None:
        index.put(entry.key, self._values(name, index, entry))

    def _values(self, name: str, index: "_Index[T]", entry: Entry) -> frozenset[str]:
        try:
            return _distinct(index.function(self._decode(entry)))
        except Exception as error:  # noqa: BLE001 - an index function is foreign code
            # One object that cannot be read must not stop the stream of all others.
            _log.warning("object_not_indexed", index=name, object=str(entry.key), error=str(error))
            return frozenset()


class _Index(Generic[T]):
    def __init__(self, function: IndexFunction[T]) -> None:
        self.function = function
        # Invariant: keys is the inverse of values. What was filed is remembered and
        # not asked for again: the function might answer differently the second time.
        # Not a set of keys: its order would be another one in each process, and with it that of what follows.
        self.keys: dict[str, dict[Key, None]] = {}
        self._values: dict[Key, frozenset[str]] = {}

    def put(self, key: Key, values: frozenset[str]) -> None:
        before = self._values.pop(key, frozenset())
        if values:
            self._values[key] = values
        for value in before - values:
            self._drop(value, key)
        for value in values - before:
            self.keys.setdefault(value, {})[key] = None

    def _drop(self, value: str, key: Key) -> None:
        keys = self.keys[value]
        del keys[key]
        if not keys:
            del self.keys[value]


def _distinct(values: Iterable[str]) -> frozenset[str]:
    if isinstance(values, str):
        # Otherwise it would be filed under each of its letters.
        raise TypeError(f"an index function returns any number of values, not the one text {values!r}")
    return frozenset(values)
