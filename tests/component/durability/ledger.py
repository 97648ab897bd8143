"""What the writers know: for each object the last answered write, and the one whose answer never came."""

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.runtime import Lock

# A write of this many bytes spans several pages of the database, so that half of it could be seen as such.
_FILLER_BYTES = 1_000


class Kind(msgspec.Struct, frozen=True):
    path: str
    api_version: str
    name: str
    has_status: bool


class State(msgspec.Struct, frozen=True):
    """What an object holds; None in place of it: there is no such object."""

    content: int
    status: int = 0


def document(kind: Kind, name: str, state: State) -> dict[str, Any]:
    filler = str(state.content) * (_FILLER_BYTES // len(str(state.content)))
    head = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name}}
    if not kind.has_status:
        return {**head, "data": {"number": str(state.content), "filler": filler}}
    return {**head, "spec": {"number": state.content, "filler": filler}}


def state_of(kind: Kind, obj: Mapping[str, Any]) -> State:
    """Fails if *obj* is not whole."""
    number = int(obj["spec"]["number"] if kind.has_status else obj["data"]["number"])
    state = State(number, (obj.get("status") or {}).get("number", 0))
    expected = document(kind, obj["metadata"]["name"], state)
    part = "spec" if kind.has_status else "data"
    assert obj[part] == expected[part], f"half a write: {obj}"
    return state


class Entry:
    """One object, written by one writer, one write after the other."""

    def __init__(self, kind: Kind, name: str) -> None:
        self.kind = kind
        self.name = name
        self.state: State | None = None
        # Of the last answered write; a deletion is answered without one.
        self.revision = 0
        # What was sent last, if its answer has not come.
        self.sent: tuple[State | None] | None = None

    def is_explained_by(self, found: State | None, revision: int) -> bool:
        """Whether what the server has is the last answered write, or the one that was under way."""
        if found == self.state and revision == self.revision * (found is not None):
            return True
        return self.sent is not None and found == self.sent[0] and (found is None or revision > self.revision)

    def settle(self, found: State | None, revision: int) -> None:
        self.state, self.revision, self.sent = found, revision, None


class Ledger:
    """Shared by all writers and watchers: every revision stands for one write, for ever."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self._writes: dict[int, tuple[str, str]] = {}
        self.answered = 0
        self.highest = 0

    def note_answer(self, entry: Entry, revision: int | None) -> None:
        with self._lock:
            self.answered += 1
            if revision is not None:
                assert self._writes.get(revision, self._key(entry)) == self._key(entry), f"{revision} was used twice"
                assert revision > entry.revision, f"{entry.name}: {revision} after {entry.revision}"
                self._writes[revision] = self._key(entry)
                self.highest = max(self.highest, revision)

    def note_event(self, kind: Kind, name: str, revision: int) -> None:
        """A watcher may be told before the writer is."""
        with self._lock:
            assert self._writes.get(revision, (kind.name, name)) == (kind.name, name), f"{revision} was used twice"
            self._writes[revision] = (kind.name, name)
            self.highest = max(self.highest, revision)

    def revisions(self, kind: Kind, after: int, until: int) -> set[int]:
        """Of all known writes of *kind*."""
        with self._lock:
            return {at for at, (name, _) in self._writes.items() if name == kind.name and after < at <= until}

    @staticmethod
    def _key(entry: Entry) -> tuple[str, str]:
        return entry.kind.name, entry.name
