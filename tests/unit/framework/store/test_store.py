"""Events and replacements, one by one."""

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, resource_type_of
from framework.client import Codec
from framework.errors import ConfigurationError, WindlassError
from framework.runtime import ThreadRuntime
from framework.store import Change, Entry, Store, decode_envelope
from framework.store.tombstones import Tombstones

DECODE = Codec(ConfigMap, resource_type_of(ConfigMap)).decode


def a_store(*entries: Entry) -> Store[ConfigMap]:
    store = Store(DECODE, ThreadRuntime())
    store.replace({entry.key: entry for entry in entries})
    return store


def an_entry(name: str, version: int, uid: str = "u", *, namespace: str = "ns", **data: str) -> Entry:
    metadata = {"name": name, "namespace": namespace, "uid": uid, "resourceVersion": str(version)}
    return decode_envelope(msgspec.json.encode({"metadata": metadata, "data": data}))


def texts(changes: list[Change[ConfigMap]]) -> list[str]:
    return [str(change) for change in changes]


def names_of(entries: list[Entry]) -> set[str]:
    return {entry.key.name for entry in entries}


def by_color(obj: ConfigMap) -> list[str]:
    return [obj.data["color"]]


def test_an_object_is_decoded_when_somebody_looks_and_then_kept() -> None:
    calls: list[bytes] = []

    def decode(raw: bytes) -> ConfigMap:
        calls.append(raw)
        return DECODE(raw)

    store = Store(decode, ThreadRuntime())
    store.apply([("ADDED", an_entry("a", 1))])
    before = len(calls)

    first, second = store.get(Key("ns", "a")), store.get(Key("ns", "a"))

    assert before == 0
    assert first is second is not None
    assert len(calls) == 1


def test_an_object_that_does_not_fit_its_type_says_which_one_it_is() -> None:
    raw = b'{"metadata":{"name":"a","namespace":"ns","resourceVersion":"1"},"data":5}'
    store = a_store(decode_envelope(raw), an_entry("b", 1))

    with pytest.raises(WindlassError, match="ns/a cannot be read: Expected `object`"):
        store.get(Key("ns", "a"))

    assert store.get(Key("ns", "b")) is not None


def test_a_change_carries_the_object_before_and_after() -> None:
    store = a_store(an_entry("a", 1, color="red"))

    (change,) = store.apply([("MODIFIED", an_entry("a", 2, color="blue"))])

    assert change.old is not None
    assert change.new is not None
    assert (change.old.data, change.new.data) == ({"color": "red"}, {"color": "blue"})


@pytest.mark.parametrize("event_type", ["ADDED", "MODIFIED", "DELETED"])
@pytest.mark.parametrize("version", [4, 5])
def test_an_event_that_is_not_newer_than_the_object_changes_nothing(event_type: str, version: int) -> None:
    store = a_store(an_entry("a", 5))

    changes = store.apply([(event_type, an_entry("a", version))])  # type: ignore[list-item]

    assert changes == []
    assert store.entries()[0].version == 5
    assert store.ignored_events == 1


def test_versions_compare_as_numbers_of_any_size() -> None:
    store = a_store(an_entry("a", 99))

    changes = store.apply([("MODIFIED", an_entry("a", 100)), ("MODIFIED", an_entry("a", 2**70))])

    assert texts(changes) == ["Change(ns/a, 99 -> 100)", f"Change(ns/a, 100 -> {2**70})"]


def test_a_deletion_of_something_unknown_is_ignored_and_counted() -> None:
    store = a_store()

    changes = store.apply([("DELETED", an_entry("a", 5))])

    assert changes == []
    assert store.ignored_events == 1


@pytest.mark.parametrize("was_known", [True, False])
def test_a_late_event_does_not_bring_a_deleted_object_back(*, was_known: bool) -> None:
    store = a_store(*([an_entry("a", 5)] if was_known else []))
    store.apply([("DELETED", an_entry("a", 9))])

    changes = store.apply([("MODIFIED", an_entry("a", 8))])

    assert changes == []
    assert len(store) == 0


def test_an_event_older_than_the_list_that_no_longer_had_the_object_does_not_bring_it_back() -> None:
    store = a_store(an_entry("a", 5))
    store.replace({}, version=20)

    changes = store.apply([("MODIFIED", an_entry("a", 15))])

    assert changes == []


def test_a_new_object_of_a_deleted_name_is_taken() -> None:
    store = a_store(an_entry("a", 5))
    store.apply([("DELETED", an_entry("a", 9))])

    changes = store.apply([("ADDED", an_entry("a", 10, uid="new"))])

    assert texts(changes) == ["Change(ns/a, None -> 10)"]


def test_a_server_restored_from_a_backup_is_believed_after_a_list() -> None:
    store = a_store(an_entry("a", 500), an_entry("b", 510))
    store.apply([("DELETED", an_entry("b", 520))])
    store.replace({Key("ns", "a"): an_entry("a", 300)}, version=400)

    changes = store.apply([("ADDED", an_entry("b", 410, uid="restored"))])

    assert texts(changes) == ["Change(ns/b, None -> 410)"]
    assert {entry.key.name: entry.version for entry in store.entries()} == {"a": 300, "b": 410}


def test_deletions_are_remembered_up_to_a_limit_newest_first() -> None:
    tombstones = Tombstones(longest=2)

    for version, name in enumerate(["a", "b", "a", "c"], start=1):
        tombstones.add(Key("ns", name), version)

    assert [tombstones.version_of(Key("ns", name)) for name in "abc"] == [3, -1, 4]


def test_a_replacement_yields_exactly_the_differences() -> None:
    store = a_store(an_entry("gone", 1), an_entry("same", 2), an_entry("changed", 3), an_entry("recreated", 4, "old"))
    state = [an_entry("same", 2), an_entry("changed", 8), an_entry("recreated", 9, "new"), an_entry("fresh", 7)]

    changes = store.replace({entry.key: entry for entry in state})

    assert sorted(texts(changes)) == [
        "Change(ns/changed, 3 -> 8)",
        "Change(ns/fresh, None -> 7)",
        "Change(ns/gone, 1 -> None)",
        "Change(ns/recreated, 4 -> None)",
        "Change(ns/recreated, None -> 9)",
    ]


def test_the_deletion_of_a_recreated_object_comes_before_its_creation() -> None:
    store = a_store(an_entry("a", 4, "old"))

    changes = store.apply([("MODIFIED", an_entry("a", 9, "new"))])

    assert texts(changes) == ["Change(ns/a, 4 -> None)", "Change(ns/a, None -> 9)"]


def test_a_replacement_of_one_namespace_leaves_the_others_alone() -> None:
    store = a_store(an_entry("a", 1, namespace="one"), an_entry("a", 2, namespace="two"))

    changes = store.replace({}, "one")

    assert texts(changes) == ["Change(one/a, 1 -> None)"]
    assert len(store) == 1


def test_an_index_follows_its_objects() -> None:
    store = a_store(an_entry("a", 1, color="red"))
    store.add_index("color", by_color)

    found = [names_of(store.by_index("color", "red"))]
    store.apply([("ADDED", an_entry("b", 2, color="red")), ("MODIFIED", an_entry("a", 3, color="blue"))])
    found += [names_of(store.by_index("color", color)) for color in ("red", "blue")]
    store.apply([("DELETED", an_entry("b", 4, color="red"))])
    found += [names_of(store.by_index("color", "red"))]

    assert found == [{"a"}, {"b"}, {"a"}, set()]


def test_an_index_names_its_objects_in_an_order_that_no_hash_decides() -> None:
    names = [f"n{number}" for number in range(50)]
    store = a_store(*(an_entry(name, 1, color="red") for name in names))

    store.add_index("color", by_color)

    assert [entry.key.name for entry in store.by_index("color", "red")] == names


def test_an_unknown_index_names_those_that_there_are() -> None:
    store = a_store()
    store.add_index("color", by_color)

    with pytest.raises(ConfigurationError, match="there is no index 'colour'; known: color"):
        store.by_index("colour", "red")


def test_an_index_cannot_be_two_functions() -> None:
    store = a_store(an_entry("a", 1, color="red"))
    store.add_index("color", by_color)

    store.add_index("color", by_color)
    with pytest.raises(ConfigurationError, match="exists already"):
        store.add_index("color", lambda _: [])

    assert names_of(store.by_index("color", "red")) == {"a"}


@pytest.mark.parametrize(
    "values",
    [
        lambda obj: obj.missing,
        lambda obj: obj.data["color"],
        lambda _: [[]],
        lambda _: 1 / 0,
    ],
    ids=["attribute", "bare text", "unhashable", "arithmetic"],
)
def test_an_object_that_cannot_be_indexed_is_stored_all_the_same(values: object) -> None:
    store = a_store()
    store.add_index("broken", values)  # type: ignore[arg-type]
    store.add_index("color", by_color)

    changes = store.apply([("ADDED", an_entry("a", 1, color="red"))])

    assert len(changes) == 1
    assert store.by_index("broken", "r") == []
    assert names_of(store.by_index("color", "red")) == {"a"}


def test_an_index_function_that_changes_its_mind_leaves_nothing_behind() -> None:
    answers = iter([["first"], ["second"], ["third"]])
    store = a_store()
    store.add_index("moody", lambda _: next(answers))

    store.apply([("ADDED", an_entry("a", 1)), ("MODIFIED", an_entry("a", 2)), ("DELETED", an_entry("a", 3))])

    assert [store.by_index("moody", value) for value in ("first", "second", "third")] == [[], [], []]
