"""Which objects went away lately, and at which version."""

from typing import NamedTuple

from apis.meta import Key

# A late event is late by seconds; this many deletions cover that, and bound the memory.
LONGEST = 4096


class _Tombstone(NamedTuple):
    version: int
    uid: str


_NONE = _Tombstone(-1, "")


class Tombstones:
    """Forgets the oldest when there are more than *longest*."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._by_key: dict[Key, _Tombstone] = {}

    def add(self, key: Key, version: int, uid: str = "") -> None:
        # Put at the end, also if the key had one before: a dict keeps the order of insertion.
        self.forget(key)
        self._by_key[key] = _Tombstone(version, uid)
        if len(self._by_key) > self._longest:
            self.forget(next(iter(self._by_key)))

    def version_of(self, key: Key) -> int:
        """At which version *key* was deleted; -1, which is older than everything, if nothing is known."""
        return self._by_key.get(key, _NONE).version

    def uid_of(self, key: Key) -> str:
        """Which object was deleted from *key* last; empty if nothing is known."""
        return self._by_key.get(key, _NONE).uid

    def forget(self, key: Key) -> None:
        self._by_key.pop(key, None)

    def clear(self) -> None:
        self._by_key.clear()
