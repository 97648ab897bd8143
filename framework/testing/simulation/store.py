"""What a simulated server keeps: begins from a snapshot, and remembers every change."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.apiserver.storage.journal import JournalWrite, StoredRow
from framework.testing.simulation.shown import Shown

# Written by everybody all the time, and of no account for what a controller has achieved.
_NOISE = frozenset({("", "events"), ("events.k8s.io", "events"), ("coordination.k8s.io", "leases")})


class Snapshot(NamedTuple):
    revision: int
    rows: tuple[StoredRow, ...]


class Commit(NamedTuple):
    revision: int
    resource: GroupResource
    key: Key
    # "create", "update" or "delete".
    act: str
    raw: bytes | None
    elapsed: float
    writer: str = ""
    # The newest revision of this object that a process had been shown when it wrote; -1: not the write of a process.
    read: int = -1

    @property
    def is_of_process(self) -> bool:
        return self.read >= 0

    @property
    def is_noise(self) -> bool:
        return is_noise(self.resource)


def is_noise(resource: GroupResource) -> bool:
    return (resource.group, resource.resource) in _NOISE


class Writer(NamedTuple):
    name: str
    # None: not a process, but the user or something inside the cluster.
    shown: Shown | None = None


class RecordingJournal:
    """A Journal in memory."""

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self._snapshot = snapshot or Snapshot(1, ())
        self._rows = {(row.resource, row.key): row for row in self._snapshot.rows}
        self._revision = self._snapshot.revision
        self.elapsed: Callable[[], float] = lambda: 0.0
        self.writer: Callable[[], Writer] = lambda: Writer("")
        self.commits: list[Commit] = []
        self.committed: Callable[[Commit], None] = lambda _commit: None
        # When something that counts was last written.
        self.last_change = 0.0

    def load(self) -> tuple[int, Iterable[StoredRow]]:
        return self._snapshot.revision, self._snapshot.rows

    @property
    def start(self) -> Snapshot:
        return self._snapshot

    def commit(self, writes: Sequence[JournalWrite]) -> None:
        writer, shown = self.writer()
        for write in writes:
            place = write.resource, write.key
            if write.raw is None:
                act = "delete"
                self._rows.pop(place, None)
            else:
                act = "update" if place in self._rows else "create"
                self._rows[place] = StoredRow(write.resource, write.key, write.revision, write.raw)
            self._revision = write.revision
            read = (
                -1
                if shown is None
                else 0
                if write.raw is None
                else shown.revision_of(str(write.resource), write.key, write.raw)
            )
            elapsed = self.elapsed()
            commit = Commit(write.revision, write.resource, write.key, act, write.raw, elapsed, writer, read)
            self.commits.append(commit)
            self.committed(commit)
            if not commit.is_noise:
                self.last_change = commit.elapsed

    def close(self) -> None:
        return

    def snapshot(self) -> Snapshot:
        rows = sorted(self._rows.values(), key=lambda row: (str(row.resource), row.key))
        return Snapshot(self._revision, tuple(rows))

    def rows_of(self, resource: GroupResource) -> list[StoredRow]:
        return [row for row in self._rows.values() if row.resource == resource]

    def written_objects(self) -> list[tuple[GroupResource, Key, dict[str, Any]]]:
        """Those that are there and were not, or not so, in the snapshot."""
        start = self._snapshot.revision
        rows = [row for row in self._rows.values() if row.revision > start]
        rows.sort(key=lambda row: (str(row.resource), row.key, row.revision))
        return [(row.resource, row.key, msgspec.json.decode(row.raw)) for row in rows]
