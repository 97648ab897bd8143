"""Which objects went away lately, and at which version."""

from apis.meta import Key

# A late event is late by seconds; this many deletions cover that, and bound the memory.
LONGEST = 4096


class Tombstones:
    """Forgets the oldest when there are more than *longest*."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._versions: dict[Key, int] = {}

    def add(self, key: Key, version: int) -> None:
        # Put at the end, also if the key had one before: a dict keeps the order of insertion.
        self.forget(key)
        self._versions[key] = version
        if len(self._versions) > self._longest:
            self.forget(next(iter(self._versions)))

    def version_of(self, key: Key) -> int:
        """At which version *key* was deleted; -1, which is older than everything, if nothing is known."""
        return self._versions.get(key, -1)

    def forget(self, key: Key) -> None:
        self._versions.pop(key, None)

    def clear(self) -> None:
        self._versions.clear()
