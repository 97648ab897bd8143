from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from apis.meta import Key
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.storage import JournalWrite, Record, Stale, Storage, StoredRow
from framework.apiserver.storage.sqlite import SqliteJournal
from framework.clock import SystemClock
from framework.runtime import Task, ThreadRuntime

THINGS = GroupResource("example.com", "things")


class SlowDisk:
    """A journal whose commits wait until the test lets them go."""

    def __init__(self, runtime: ThreadRuntime) -> None:
        self.commits: list[list[JournalWrite]] = []
        self.is_full = False
        self.go = runtime.event()

    def load(self) -> tuple[int, Sequence[StoredRow]]:
        return 0, ()

    def commit(self, writes: Sequence[JournalWrite]) -> None:
        assert self.go.wait(30)
        if self.is_full:
            raise OSError("no space left on device")
        self.commits.append(list(writes))

    def close(self) -> None:
        return


class Bench:
    def __init__(self) -> None:
        self.runtime = ThreadRuntime()
        self.disk = SlowDisk(self.runtime)
        self.storage = Storage(clock=SystemClock(), runtime=self.runtime, journal=self.disk)
        self.outcomes: list[Record | Exception] = []
        self._tasks: list[Task] = []

    def write(self, name: str, expected: Record | None = None) -> None:
        self._spawn(lambda: self.storage.write(THINGS, Key("ns", name), expected, an_object(name)))

    def wait_for_waiting(self, number: int) -> None:
        """Until so many writers wait behind the one whose write is under way."""
        limit = SystemClock().monotonic() + 10
        while len(self.storage._waiting) != number:
            assert SystemClock().monotonic() < limit
            SystemClock().wait(0.001)

    def let_go(self) -> None:
        self.disk.go.set()
        for task in self._tasks:
            task.join()

    def _spawn(self, act: Callable[[], Record]) -> None:
        def run() -> None:
            try:
                self.outcomes.append(act())
            except Exception as error:  # noqa: BLE001 - the test looks at it
                self.outcomes.append(error)

        before = len(self._tasks)
        self._tasks.append(self.runtime.spawn("writer", run))
        if before == 0:
            # The first is alone with the disk before anybody comes behind it.
            limit = SystemClock().monotonic() + 10
            while not self.storage._committing.locked() or self.storage._waiting:  # type: ignore[attr-defined]
                assert SystemClock().monotonic() < limit
                SystemClock().wait(0.001)


def an_object(name: str) -> Object:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}}


def test_writers_who_wait_for_the_disk_share_its_next_sync() -> None:
    bench = Bench()

    bench.write("first")
    for name in ("a", "b", "c"):
        bench.write(name)
    bench.wait_for_waiting(3)
    bench.let_go()

    assert [len(writes) for writes in bench.disk.commits] == [1, 3]
    revisions = [write.revision for writes in bench.disk.commits for write in writes]
    assert revisions == sorted(set(revisions))
    assert {one.revision for one in bench.outcomes if isinstance(one, Record)} == set(revisions)
    assert bench.storage.revision == revisions[-1]


def test_nobody_sees_a_write_before_it_is_on_the_disk_and_reads_do_not_wait_for_it() -> None:
    bench = Bench()
    before = bench.storage.revision

    bench.write("first")
    seen = bench.storage.list(THINGS), bench.storage.revision
    bench.let_go()

    assert seen == ([], before)
    assert len(bench.storage.list(THINGS)) == 1


def test_of_two_who_wait_to_write_the_same_object_one_is_stale() -> None:
    bench = Bench()

    bench.write("first")
    bench.write("same")
    bench.write("same")
    bench.wait_for_waiting(2)
    bench.let_go()

    assert sorted(type(one).__name__ for one in bench.outcomes) == ["Record", "Record", "Stale"]
    assert [len(writes) for writes in bench.disk.commits] == [1, 1]


def test_when_the_disk_refuses_all_who_shared_the_sync_learn_it_and_nothing_has_changed() -> None:
    bench = Bench()
    before = bench.storage.revision
    bench.disk.is_full = True

    bench.write("first")
    bench.write("a")
    bench.write("b")
    bench.wait_for_waiting(2)
    bench.let_go()

    assert [str(one) for one in bench.outcomes] == ["no space left on device"] * 3
    assert (bench.storage.list(THINGS), bench.storage.revision) == ([], before)
    bench.disk.is_full = False
    assert bench.storage.write(THINGS, Key("ns", "a"), None, an_object("a")).revision == before + 1


def test_an_object_that_cannot_be_encoded_leaves_no_trace() -> None:
    bench = Bench()
    bench.let_go()

    with pytest.raises(TypeError):
        bench.storage.write(THINGS, Key("ns", "odd"), None, {**an_object("odd"), "spec": object()})

    with pytest.raises(Stale):
        bench.storage.delete(THINGS, Key("ns", "odd"), Record(Key("ns", "odd"), 1, b"{}"))
    assert bench.storage.write(THINGS, Key("ns", "odd"), None, an_object("odd")).revision == bench.storage.revision


def test_every_commit_is_synced_to_the_disk(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "objects.sqlite")

    settings = [journal._database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]

    assert settings == ["wal", 2]
    journal.close()


def test_many_new_objects_share_one_sync_and_if_one_exists_already_it_is_stale() -> None:
    bench = Bench()
    bench.let_go()

    bench.storage.create_all([(THINGS, Key("ns", name), an_object(name)) for name in ("a", "b")])
    with pytest.raises(Stale):
        bench.storage.create_all([(THINGS, Key("ns", name), an_object(name)) for name in ("b", "c")])

    assert [len(writes) for writes in bench.disk.commits] == [2, 1]
    assert [obj["metadata"]["name"] for obj in bench.storage.list(THINGS)] == ["a", "b", "c"]
