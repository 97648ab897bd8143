from pathlib import Path

import pytest

from apis.meta import Key
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.storage import Journal, Stale, Storage, StorageOptions, WindowExceeded
from framework.apiserver.storage.sqlite import SqliteJournal
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.runtime import ThreadRuntime
from framework.testing.virtual_time import VirtualTime

THINGS = GroupResource("example.com", "things")


def an_object(name: str = "one", **content: object) -> Object:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, **content}


def a_storage(journal: Journal | None = None, options: StorageOptions | None = None) -> Storage:
    return Storage(clock=SystemClock(), runtime=ThreadRuntime(), journal=journal, options=options)


def key(name: str, namespace: str = "ns") -> Key:
    return Key(namespace, name)


def names(storage: Storage, namespace: str = "") -> list[str]:
    return [record.key.name for record in storage.table(THINGS).records(namespace)]


def test_every_write_has_a_larger_revision_than_all_before() -> None:
    storage = a_storage()

    first = storage.write(THINGS, key("one"), None, an_object())
    second = storage.write(GroupResource("", "others"), key("one"), None, an_object())
    third = storage.delete(THINGS, key("one"), first)

    assert first.revision < second.revision < third.revision == storage.revision
    assert third.decode()["metadata"]["resourceVersion"] == str(third.revision)


def test_a_write_on_another_record_than_the_stored_one_is_stale() -> None:
    storage = a_storage()
    old = storage.write(THINGS, key("one"), None, an_object())
    storage.write(THINGS, key("one"), old, an_object(n=2))

    with pytest.raises(Stale):
        storage.write(THINGS, key("one"), old, an_object(n=3))
    with pytest.raises(Stale):
        storage.delete(THINGS, key("one"), old)
    with pytest.raises(Stale):
        storage.write(THINGS, key("one"), None, an_object())

    assert storage.get(THINGS, "ns", "one") == an_object(n=2) | {
        "metadata": {"name": "one", "resourceVersion": str(storage.revision)}
    }


def test_records_come_by_namespace_and_name_and_only_of_the_namespace_asked_for() -> None:
    storage = a_storage()
    for namespace, name in (("b", "x"), ("a-b", "y"), ("a", "z"), ("a", "c")):
        storage.write(THINGS, key(name, namespace), None, an_object(name))

    assert names(storage) == ["c", "z", "y", "x"]
    assert names(storage, "a") == ["c", "z"]
    assert storage.table(THINGS).count("a", after=key("c", "a")) == 1


def test_a_snapshot_undoes_every_later_change() -> None:
    storage = a_storage()
    one = storage.write(THINGS, key("one"), None, an_object(n=1))
    two = storage.write(THINGS, key("two"), None, an_object("two"))
    at = storage.revision
    storage.write(THINGS, key("one"), one, an_object(n=2))
    storage.delete(THINGS, key("two"), two)
    storage.write(THINGS, key("three"), None, an_object("three"))

    assert storage.table(THINGS).records_at(at) == {key("one"): one, key("two"): two}


def test_a_cursor_sees_each_change_after_its_revision_once_and_in_order() -> None:
    storage = a_storage()
    one = storage.write(THINGS, key("one"), None, an_object())
    table = storage.table(THINGS)
    cursor = table.cursor(one.revision)

    two = storage.write(THINGS, key("one"), one, an_object(n=2))
    storage.delete(THINGS, key("one"), two)

    assert [change.type for change in table.changes_from(cursor)] == ["MODIFIED", "DELETED"]
    assert table.changes_from(table.end_cursor()) == []


def test_what_left_the_window_cannot_be_asked_for() -> None:
    storage = a_storage(options=StorageOptions(history_limit=4))
    first = storage.write(THINGS, key("0"), None, an_object("0"))
    cursor = storage.table(THINGS).cursor(first.revision)
    for number in range(1, 12):
        storage.write(THINGS, key(str(number)), None, an_object(str(number)))

    with pytest.raises(WindowExceeded):
        storage.table(THINGS).changes_from(cursor)
    with pytest.raises(WindowExceeded):
        storage.table(THINGS).records_at(first.revision)


def test_history_is_forgotten_after_its_time() -> None:
    time = VirtualTime()
    options = StorageOptions(history_seconds=10.0)
    storage = Storage(clock=time.clock, runtime=time.runtime, options=options)
    first = storage.write(THINGS, key("0"), None, an_object("0"))
    storage.write(THINGS, key("1"), None, an_object("1"))

    time.advance(25.0)
    storage.write(THINGS, key("2"), None, an_object("2"))

    with pytest.raises(WindowExceeded):
        storage.table(THINGS).cursor(first.revision)


def test_what_watchers_share_of_a_change_is_forgotten_when_it_is_old_and_made_again_if_asked_for() -> None:
    storage = a_storage()
    one = storage.write(THINGS, key("one"), None, an_object(n=1))
    change = storage.table(THINGS).changes_from(0)[0]
    frame, obj = change.frame("json", lambda: b"first"), change.obj

    for number in range(1_500):
        one = storage.write(THINGS, key("one"), one, an_object(n=number))

    assert change.frame("json", lambda: b"again") == b"again" != frame
    assert change.obj == obj
    assert change.obj is not obj


def test_compaction_leaves_the_present_alone() -> None:
    storage = a_storage()
    first = storage.write(THINGS, key("0"), None, an_object("0"))
    storage.write(THINGS, key("1"), None, an_object("1"))

    storage.compact()

    assert names(storage) == ["0", "1"]
    assert storage.table(THINGS).cursor(storage.revision) == storage.table(THINGS).end_cursor()
    with pytest.raises(WindowExceeded):
        storage.table(THINGS).cursor(first.revision)


def test_a_journal_brings_back_objects_and_the_revision_also_after_a_deletion(tmp_path: Path) -> None:
    path = tmp_path / "objects.sqlite"
    storage = a_storage(SqliteJournal(path))
    kept = storage.write(THINGS, key("kept"), None, an_object("kept"))
    gone = storage.write(THINGS, key("gone"), None, an_object("gone"))
    storage.delete(THINGS, key("gone"), gone)
    last = storage.revision
    storage.close()

    again = a_storage(SqliteJournal(path))

    assert again.revision == last
    assert [record.raw for record in again.table(THINGS).records()] == [kept.raw]
    again.close()


def test_after_a_restart_only_the_newest_version_can_be_watched_from(tmp_path: Path) -> None:
    path = tmp_path / "objects.sqlite"
    storage = a_storage(SqliteJournal(path))
    first = storage.write(THINGS, key("one"), None, an_object())
    storage.delete(THINGS, key("one"), first)
    storage.close()

    again = a_storage(SqliteJournal(path))

    assert again.table(THINGS).changes_from(again.table(THINGS).cursor(again.revision)) == []
    with pytest.raises(WindowExceeded):
        again.table(THINGS).cursor(first.revision)
    with pytest.raises(WindowExceeded):
        again.table(GroupResource("", "never-stored")).cursor(first.revision)
    again.close()


def test_a_database_that_another_server_uses_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "objects.sqlite"
    storage = a_storage(SqliteJournal(path))
    storage.write(THINGS, key("one"), None, an_object())

    with pytest.raises(ConfigurationError, match="another server"):
        SqliteJournal(path)

    storage.close()


def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "objects.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be one" * 10)

    with pytest.raises(ConfigurationError, match="cannot use"):
        SqliteJournal(path)


def test_a_write_that_the_journal_refuses_did_not_happen() -> None:
    class FullDisk:
        def load(self) -> tuple[int, list[object]]:
            return 0, []

        def commit(self, *_: object) -> None:
            raise OSError("no space left on device")

        def close(self) -> None:
            return

    storage = a_storage(FullDisk())  # type: ignore[arg-type]  # rows of no type are rows of any
    before = storage.revision

    with pytest.raises(OSError, match="no space"):
        storage.write(THINGS, key("one"), None, an_object())

    assert (storage.revision, names(storage)) == (before, [])
