"""Which changes pass `generation_changed`."""

from datetime import UTC, datetime
from typing import Any

from apis.meta import KubeObject, ObjectMeta, kind, resource_type_of
from framework.client import Codec
from framework.controller import generation_changed
from framework.store import Change, decode_envelope


@kind(group="example.com", version="v1", plural="widgets")
class Widget(KubeObject, frozen=True, kw_only=True):
    pass


CODEC: Codec[Widget] = Codec(Widget, resource_type_of(Widget))
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def widget(**metadata: Any) -> Widget:
    given = {"name": "a", "uid": "1", "generation": 1, "resource_version": "1", **metadata}
    return Widget(metadata=ObjectMeta(**given))


def change(old: Widget | None, new: Widget | None) -> Change[Widget]:
    entries = [None if each is None else decode_envelope(CODEC.encode(each)) for each in (old, new)]
    return Change(lambda entry: CODEC.decode(entry.raw), *entries)


def test_creation_and_deletion_pass() -> None:
    assert generation_changed(change(None, widget()))
    assert generation_changed(change(widget(), None))


def test_an_update_of_the_spec_passes() -> None:
    assert generation_changed(change(widget(), widget(generation=2, resource_version="2")))


def test_an_update_of_the_status_or_of_labels_does_not_pass() -> None:
    assert not generation_changed(change(widget(), widget(resource_version="2")))
    assert not generation_changed(change(widget(), widget(resource_version="2", labels={"a": "b"})))


def test_the_begin_of_a_deletion_passes_even_if_the_generation_stays() -> None:
    assert generation_changed(change(widget(), widget(resource_version="2", deletion_timestamp=NOW)))


def test_the_removal_of_one_of_several_finalizers_during_a_deletion_does_not_pass() -> None:
    before = widget(deletion_timestamp=NOW, finalizers=["a", "b"])
    after = widget(deletion_timestamp=NOW, finalizers=["b"], resource_version="2")

    assert not generation_changed(change(before, after))


def test_another_object_of_the_same_name_passes() -> None:
    assert generation_changed(change(widget(), widget(uid="2", resource_version="2")))


def test_every_update_of_a_kind_without_generation_passes() -> None:
    assert generation_changed(change(widget(generation=0), widget(generation=0, resource_version="2")))


def test_a_resync_passes() -> None:
    told = change(None, widget())

    assert generation_changed(Change(told._decode, told.new_entry, told.new_entry))
