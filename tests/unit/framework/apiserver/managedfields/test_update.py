"""Entries after creates, updates and patches."""

import copy
from typing import Any

import pytest

from framework.apiserver.managedfields import SchemaFieldManager, keep_times_if_unchanged
from framework.apiserver.managedfields.schema import schema_from_json
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager
from tests.unit.framework.apiserver.managedfields.things import (
    FIRST,
    SCHEMA,
    SECOND,
    THIRD,
    V1,
    V2,
    a_field_manager,
    a_manager,
    a_thing,
    entries,
    entry,
)


def created(spec: Object, manager: str = "one", **metadata: Any) -> Object:
    thing = a_thing(spec, **metadata)
    a_field_manager().update(None, thing, a_manager(manager), FIRST)
    return thing


def updated(live: Object, manager: str = "two", subresource: str = "", **changes: Any) -> Object:
    new = {**copy.deepcopy(live), **changes}
    a_field_manager().update(live, new, a_manager(manager, subresource), SECOND)
    return new


def test_a_create_owns_all_but_status_and_what_the_server_sets() -> None:
    thing = a_thing({"replicas": 1}, labels={"a": "1"}, uid="u", resourceVersion="1", generation=1)
    thing["status"] = {"phase": "x"}

    a_field_manager().update(None, thing, a_manager("one"), FIRST)

    fields = {"f:metadata": {"f:labels": {".": {}, "f:a": {}}}, "f:spec": {".": {}, "f:replicas": {}}}
    assert entries(thing) == [entry("one", "Update", FIRST, fields)]


def test_an_update_takes_the_fields_it_changes_from_their_owners() -> None:
    live = created({"replicas": 1, "name": "x"})

    new = updated(live, spec={"replicas": 2, "name": "x"})

    assert entries(new) == [
        entry("one", "Update", FIRST, {"f:spec": {".": {}, "f:name": {}}}),
        entry("two", "Update", SECOND, {"f:spec": {"f:replicas": {}}}),
    ]


def test_a_manager_of_nothing_is_forgotten() -> None:
    live = created({"replicas": 1})

    new = updated(updated(live, spec={"replicas": 2}), "three")
    emptied = updated(new, "three", spec={})

    assert entries(emptied) == [entry("one", "Update", FIRST, {"f:spec": {}})]


def test_an_update_that_changes_nothing_keeps_every_entry_untouched() -> None:
    live = created({"replicas": 1})

    new = updated(live, metadata=a_thing()["metadata"])

    assert entries(new)[0] is entries(live)[0]


def test_the_same_manager_keeps_one_entry_with_the_latest_time() -> None:
    live = created({"replicas": 1, "name": "x"})

    new = updated(live, "one", spec={"replicas": 2, "name": "x"})

    assert entries(new) == [entry("one", "Update", SECOND, {"f:spec": {".": {}, "f:name": {}, "f:replicas": {}}})]


def test_a_status_write_owns_status_alone() -> None:
    live = created({"replicas": 1})

    new = updated(live, "two", "status", spec={"replicas": 9}, status={"phase": "x"})

    status: Object = {"f:status": {".": {}, "f:phase": {}}}
    assert entries(new) == [*entries(live), entry("two", "Update", SECOND, status, "status")]


def test_a_nameless_manager_is_unknown() -> None:
    thing = a_thing({"replicas": 1})

    a_field_manager().update(None, thing, a_manager(""), FIRST)

    assert entries(thing)[0]["manager"] == "unknown"


@pytest.mark.parametrize("reset", [[], [{}]])
def test_a_client_can_reset_the_entries_and_nobody_is_tracked_then(reset: list[Object]) -> None:
    live = created({"replicas": 1}, uid="u")

    new = updated(live, metadata={**live["metadata"], "managedFields": reset})
    later = updated(new, spec={"replicas": 3})

    assert "managedFields" not in new["metadata"]
    assert "managedFields" not in later["metadata"]


def test_an_empty_list_resets_nothing_in_a_custom_resource() -> None:
    live = created({"replicas": 1})
    new = {**live, "metadata": {**live["metadata"], "managedFields": []}}

    a_field_manager(is_custom=True).update(live, new, a_manager("two"), SECOND)

    assert entries(new) == entries(live)


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        "text",
        [1],
        [{"operation": "Nonsense", "apiVersion": V1, "fieldsType": "FieldsV1"}],
        [{"operation": "Update", "fieldsType": "FieldsV1"}],
        [{"operation": "Update", "apiVersion": V1}],
        [{"operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV2"}],
        [{"operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV1", "fieldsV1": {"spec": {}}}],
        [{"operation": "Update", "apiVersion": V1, "fieldsType": "FieldsV1", "time": "yesterday"}],
        [{"operation": "Update", "apiVersion": 1, "fieldsType": "FieldsV1"}],
    ],
)
def test_nonsense_from_a_client_leaves_the_live_entries(nonsense: Any) -> None:
    live = created({"replicas": 1})

    new = updated(live, metadata={**live["metadata"], "managedFields": nonsense})

    assert entries(new) == entries(live)


def test_a_client_can_write_entries_itself() -> None:
    live = created({"replicas": 1})
    written = entry("other", "Update", "2024-01-01T01:00:00+01:00", {"f:spec": {".": {}, "f:replicas": {".": {}}}})

    new = updated(live, metadata={**live["metadata"], "managedFields": [written]})

    expected = entry("other", "Update", "2024-01-01T00:00:00Z", {"f:spec": {".": {}, "f:replicas": {}}})
    assert entries(new) == [expected]


def test_a_status_write_cannot_touch_the_entries_directly() -> None:
    live = created({"replicas": 1})

    new = updated(live, "two", "status", metadata={**live["metadata"], "managedFields": []})

    assert entries(new) == entries(live)


def test_appliers_come_first_and_then_the_oldest() -> None:
    live = created({"replicas": 1}, "z")
    field_manager = a_field_manager()

    applied = field_manager.apply(live, a_thing({"name": "x"}), a_manager("applier"), THIRD, force=False)
    new = {**applied, "spec": {**applied["spec"], "isOn": True}}
    field_manager.update(applied, new, a_manager("a"), SECOND)

    assert [one["manager"] for one in entries(new)] == ["applier", "z", "a"]


def test_more_than_ten_updaters_make_the_oldest_ancient() -> None:
    live = created({"texts": {}}, "manager-00")
    for number in range(1, 12):
        new = copy.deepcopy(live)
        new["spec"]["texts"][f"k{number}"] = "v"
        a_field_manager().update(live, new, a_manager(f"manager-{number:02}"), f"2024-01-01T00:01:{number:02}Z")
        live = new

    names = [one["manager"] for one in entries(live)]
    assert names == ["ancient-changes", *(f"manager-{number:02}" for number in range(3, 12))]
    assert entries(live)[0]["time"] == "2024-01-01T00:01:02Z"
    assert entries(live)[0]["fieldsV1"] == {"f:spec": {".": {}, "f:texts": {".": {}, "f:k1": {}, "f:k2": {}}}}


def renaming(obj: Object, api_version: str) -> Object:
    """Between versions, replicas is called size."""
    names = ("replicas", "size") if api_version == V2 else ("size", "replicas")
    spec = {names[1] if name == names[0] else name: value for name, value in obj.get("spec", {}).items()}
    return {**obj, "apiVersion": api_version, "spec": spec}


def test_managers_at_other_versions_lose_what_is_changed_there() -> None:
    first = a_field_manager(other_versions={V2: schema_from_json(SCHEMA)}, convert=renaming)
    live = created({"replicas": 1, "name": "x"})
    foreign = {**entry("two", "Update", FIRST, {"f:spec": {"f:size": {}, "f:name": {}}}), "apiVersion": V2}
    live["metadata"]["managedFields"] = [foreign]

    new = {**copy.deepcopy(live), "spec": {"replicas": 2, "name": "x"}}
    first.update(live, new, a_manager("one"), SECOND)

    assert entries(new) == [
        {**entry("two", "Update", FIRST, {"f:spec": {"f:name": {}}}), "apiVersion": V2},
        entry("one", "Update", SECOND, {"f:spec": {"f:replicas": {}}}),
    ]


def test_managers_at_unknown_versions_are_dropped() -> None:
    live = created({"replicas": 1})
    live["metadata"]["managedFields"].append({**entry("old", "Update", FIRST, {"f:spec": {}}), "apiVersion": "test/v0"})

    new = updated(live)

    assert [one["manager"] for one in entries(new)] == ["one"]


def test_times_go_back_if_a_write_turns_out_to_change_nothing() -> None:
    live = created({"replicas": 1})
    new = copy.deepcopy(live)
    entries(new)[0]["time"] = SECOND

    keep_times_if_unchanged(new, live)

    assert new == live


@pytest.mark.parametrize("change", [{"spec": {"replicas": 2}}, {"spec": {"replicas": True}}])
def test_times_stay_if_anything_else_changed(change: Object) -> None:
    live = created({"replicas": 1})
    new = {**copy.deepcopy(live), **change}
    entries(new)[0]["time"] = SECOND

    keep_times_if_unchanged(new, live)

    assert entries(new)[0]["time"] == SECOND


def test_an_object_that_fits_no_schema_has_no_managers() -> None:
    field_manager: SchemaFieldManager = a_field_manager()
    thing = a_thing({"unknown": 1})

    field_manager.update(None, thing, Manager("one", V1), FIRST)

    assert "managedFields" not in thing["metadata"]
