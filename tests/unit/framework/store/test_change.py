"""Changes, merged and taken apart."""

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, resource_type_of
from framework.client import Codec
from framework.store import Change, Entry, decode_envelope, drop_managed_fields, transformed

CODEC = Codec(ConfigMap, resource_type_of(ConfigMap))


def an_entry(version: int, uid: str = "u") -> Entry:
    metadata = {"name": "a", "namespace": "ns", "uid": uid, "resourceVersion": str(version)}
    return decode_envelope(msgspec.json.encode({"metadata": metadata}))


def a_change(old: Entry | None, new: Entry | None, *, is_initial: bool = False) -> Change[ConfigMap]:
    return Change(lambda entry: CODEC.decode(entry.raw), old, new, is_initial=is_initial)


def test_merged_changes_have_the_first_old_and_the_last_new() -> None:
    first, second, third = an_entry(1), an_entry(2), an_entry(3)

    merged = a_change(first, second).followed_by(a_change(second, third))

    assert (merged.old_entry, merged.new_entry) == (first, third)


def test_an_initial_object_that_changed_meanwhile_is_no_longer_only_initial() -> None:
    initial = a_change(None, an_entry(1), is_initial=True)

    assert not initial.followed_by(a_change(an_entry(1), an_entry(2))).is_initial
    assert initial.followed_by(a_change(None, an_entry(1), is_initial=True)).is_initial


def test_a_change_to_another_uid_is_a_deletion_and_a_creation() -> None:
    changes = a_change(an_entry(1, "old"), an_entry(2, "new"), is_initial=True).parts()

    assert [str(change) for change in changes] == ["Change(ns/a, 1 -> None)", "Change(ns/a, None -> 2)"]
    assert [change.is_initial for change in changes] == [False, True]


def test_other_changes_have_one_part() -> None:
    whole = [a_change(None, an_entry(1)), a_change(an_entry(1), None), a_change(an_entry(1), an_entry(2))]

    assert [change.parts() for change in whole] == [[change] for change in whole]


def test_only_the_same_entry_twice_is_a_resync() -> None:
    entry = an_entry(1)

    assert a_change(entry, entry).is_resync
    assert not a_change(an_entry(1), an_entry(2)).is_resync
    assert not a_change(None, entry).is_resync


def test_a_key_needs_an_object() -> None:
    assert a_change(None, an_entry(1)).key == a_change(an_entry(1), None).key == Key("ns", "a")
    with pytest.raises(ValueError, match="an old or a new object"):
        _ = a_change(None, None).key


def test_an_entry_holds_a_copy_and_not_the_page_it_came_from() -> None:
    page = b'{"items":[{"metadata":{"name":"a","resourceVersion":"1"}}]}' + b" " * 1000
    raw = msgspec.json.decode(page, type=dict[str, list[msgspec.Raw]])["items"][0]

    entry = decode_envelope(raw)

    assert entry.raw == b'{"metadata":{"name":"a","resourceVersion":"1"}}'


@pytest.mark.parametrize("metadata", [b"{}", b'{"name":"a"}', b'{"resourceVersion":"1"}', b"null", b"[]"])
def test_what_has_no_name_or_version_is_no_object(metadata: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_envelope(b'{"metadata":' + metadata + b"}")


def test_managed_fields_are_dropped_and_nothing_else() -> None:
    content = {"metadata": {"name": "a", "managedFields": [{}]}, "data": {"x": "1"}}

    kept = msgspec.json.decode(transformed(msgspec.json.encode(content), drop_managed_fields))

    assert kept == {"metadata": {"name": "a"}, "data": {"x": "1"}}


def test_an_object_that_cannot_be_transformed_is_kept_as_it_is() -> None:
    def fail(_: dict[str, object]) -> dict[str, object]:
        raise KeyError("spec")

    assert transformed(b'{"data":1}', fail) == b'{"data":1}'
