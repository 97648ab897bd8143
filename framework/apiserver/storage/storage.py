"""The store of one server: tables by resource, one revision for all."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.status import failure
from framework.apiserver.storage.journal import Journal, JournalWrite
from framework.apiserver.storage.proposal import Proposal
from framework.apiserver.storage.record import Change, Record
from framework.apiserver.storage.table import Table
from framework.clock import Clock
from framework.runtime import Runtime


class Stale(Exception):
    """The object is not the one that was read any more."""


class StorageOptions(msgspec.Struct, frozen=True):
    """How much history is kept for each resource: at most so many changes, and none for longer than so long."""

    history_limit: int = 10_000
    history_seconds: float = 300.0
    # As etcd, whose limit is for a whole request: its key and what is around it take some of it.
    max_object_bytes: int = 1_572_864 - 256


class Storage:
    """Reads need the lock only where they look at more than one thing: `with storage.lock`."""

    def __init__(
        self, *, clock: Clock, runtime: Runtime, journal: Journal | None = None, options: StorageOptions | None = None
    ) -> None:
        self._clock = clock
        self._journal = journal
        self._options = options or StorageOptions()
        # Held for moments only; a write that waits for the disk does not hold it, so that reads go on.
        self.lock = runtime.condition()
        # Tables change only under both locks: who holds this one may read them and knows that they stay as they are.
        self._committing = runtime.lock()
        self._waiting: deque[Proposal] = deque()
        self._tables: dict[GroupResource, Table] = {}
        self._revision = 1
        # Of what came before this revision nobody knows the history.
        self._start = 0
        if journal is not None:
            self._load(journal)

    @property
    def revision(self) -> int:
        return self._revision

    def table(self, resource: GroupResource) -> Table:
        table = self._tables.get(resource)
        if table is None:
            table = self._tables.setdefault(resource, self._new_table())
        return table

    def resources(self) -> Iterable[GroupResource]:
        return tuple(self._tables)

    def get(self, resource: GroupResource, namespace: str, name: str) -> Object | None:
        record = self.table(resource).get(Key(namespace, name))
        return None if record is None else record.decode()

    def list(self, resource: GroupResource, namespace: str = "") -> list[Object]:
        with self.lock:
            records = list(self.table(resource).records(namespace))
        return [record.decode() for record in records]

    def revision_of(self, resource: GroupResource) -> int:
        return self.table(resource).revision

    def write(
        self, resource: GroupResource, key: Key, expected: Record | None, obj: Object, *, is_complete: bool = True
    ) -> Record:
        """Commit *obj* in place of *expected*, which must be what is stored; sets its resourceVersion."""
        return self._commit(Proposal(resource, key, expected, obj, is_complete=is_complete))

    def create_all(self, objects: Iterable[tuple[GroupResource, Key, Object]]) -> None:
        """Commit *objects*, none of which may be stored yet, with one sync of the disk."""
        proposals = [Proposal(resource, key, None, obj) for resource, key, obj in objects]
        with self._committing:
            self._commit_all(proposals)
        for proposal in proposals:
            proposal.result()

    def delete(self, resource: GroupResource, key: Key, expected: Record) -> Record:
        """Remove *expected*, which must be what is stored; the answer carries the revision of the deletion."""
        return self._commit(Proposal(resource, key, expected, expected.decode(), is_deletion=True))

    def wait_for(self, revision: int, seconds: float) -> bool:
        """Whether the store reaches *revision* within *seconds*."""
        limit = self._clock.monotonic() + seconds
        with self.lock:
            while self._revision < revision:
                left = limit - self._clock.monotonic()
                if left <= 0:
                    return False
                self.lock.wait(left)
        return True

    def wait_change(self, seen: int, seconds: float, is_cancelled: Callable[[], bool]) -> None:
        """Return after a change beyond *seen*, after *seconds*, or when it *is_cancelled* and the lock is notified."""
        limit = self._clock.monotonic() + seconds
        with self.lock:
            while self._revision == seen and not is_cancelled():
                left = limit - self._clock.monotonic()
                if left <= 0:
                    return
                self.lock.wait(left)

    def compact(self) -> None:
        """Forget all history: whoever asks for an older version than the newest of a resource gets 410."""
        with self.lock:
            for table in self._tables.values():
                table.forget_all()
                table.wake_all()

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def _commit(self, proposal: Proposal) -> Record:
        """Return when *proposal* is safe and everybody sees it.

        Who comes first commits for all who wait behind it, so that many writers share one sync of the disk.
        """
        self._waiting.append(proposal)
        with self._committing:
            if proposal.outcome is None:
                self._commit_all([self._waiting.popleft() for _ in range(len(self._waiting))])
        return proposal.result()

    def _commit_all(self, proposals: Sequence[Proposal]) -> None:
        changes: dict[tuple[GroupResource, Key], tuple[Proposal, Change]] = {}
        try:
            for proposal in proposals:
                place = proposal.resource, proposal.key
                if place in changes or self.table(proposal.resource).get(proposal.key) is not proposal.expected:
                    proposal.outcome = Stale()
                    continue
                change = proposal.change_at(self._revision + len(changes) + 1)
                if len(change.record.raw) > self._options.max_object_bytes and not proposal.is_deletion:
                    proposal.outcome = failure("etcdserver: request is too large")
                else:
                    changes[place] = proposal, change
            self._write_journal(changes.values())
        except BaseException as error:  # noqa: BLE001 - each of those who wait must learn of it, and raises it
            for proposal in proposals:
                proposal.outcome = proposal.outcome or error
            return
        self._apply(changes.values())

    def _write_journal(self, changes: Collection[tuple[Proposal, Change]]) -> None:
        if self._journal is not None and changes:
            self._journal.commit(
                [
                    JournalWrite(change.revision, by.resource, by.key, None if by.is_deletion else change.record.raw)
                    for by, change in changes
                ]
            )

    def _apply(self, changes: Collection[tuple[Proposal, Change]]) -> None:
        with self.lock:
            now = self._clock.monotonic()
            for proposal, change in changes:
                self._revision = change.revision
                self.table(proposal.resource).apply(change, now)
                proposal.outcome = change.record
            self.lock.notify_all()

    def _load(self, journal: Journal) -> None:
        revision, rows = journal.load()
        self._start = revision
        self._revision = max(revision, 1)
        for row in rows:
            table = self._tables.get(row.resource)
            if table is None:
                table = self._tables[row.resource] = self._new_table()
            table.load(Record(row.key, row.revision, row.raw))

    def _new_table(self) -> Table:
        return Table(self._start, self._options.history_limit, self._options.history_seconds)
