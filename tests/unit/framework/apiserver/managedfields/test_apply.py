"""Server-side apply."""

import copy
import json
from typing import Any

import pytest

from framework.apiserver.managedfields import check_applied
from framework.apiserver.objects import Object
from framework.apiserver.status import status_document
from framework.errors import ApiError, BadRequest, Conflict, ServerError
from tests.unit.framework.apiserver.managedfields.things import (
    FIRST,
    SECOND,
    THIRD,
    V1,
    a_field_manager,
    a_manager,
    a_thing,
    entries,
    entry,
)

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def applied(live: Object | None, spec: Object, manager: str = "one", now: str = SECOND, **options: Any) -> Object:
    force = options.pop("force", False)
    return a_field_manager().apply(live, a_thing(spec, **options), a_manager(manager), now, force=force)


def made_by_update(spec: Object, **metadata: Any) -> Object:
    thing = a_thing(spec, uid="u", **metadata)
    a_field_manager().update(None, thing, a_manager("updater"), FIRST)
    return thing


def test_an_apply_to_nothing_creates() -> None:
    thing = applied(None, {"replicas": 1, "ports": [{"port": 1}]}, now=FIRST)

    ports: Object = {'k:{"port":1,"protocol":"TCP"}': {".": {}, "f:port": {}}}
    fields = {"f:spec": {"f:ports": ports, "f:replicas": {}}}
    expected = a_thing({"replicas": 1, "ports": [{"port": 1}]}, managedFields=[entry("one", "Apply", FIRST, fields)])
    assert thing == expected


def test_the_inputs_stay_as_they_are() -> None:
    live, patch = made_by_update({"texts": {"a": "1"}}), a_thing({"texts": {"b": "2"}})
    before = copy.deepcopy((live, patch))

    result = a_field_manager().apply(live, patch, a_manager("one"), SECOND, force=False)
    result["spec"]["texts"]["c"] = "3"

    assert (live, patch) == before


def test_fields_that_are_not_applied_any_more_go() -> None:
    live = applied(None, {"replicas": 1, "texts": {"a": "1", "b": "2"}, "set": ["x", "y"], "name": "n"})

    again = applied(live, {"texts": {"a": "1"}, "set": ["y"]})

    assert again["spec"] == {"texts": {"a": "1"}, "set": ["y"]}


def test_fields_that_another_manager_has_too_stay() -> None:
    live = applied(applied(None, {"replicas": 1, "set": ["x"]}), {"replicas": 1, "set": ["x"]}, "two")

    again = applied(live, {"name": "n"})

    assert again["spec"] == {"replicas": 1, "set": ["x"], "name": "n"}
    assert [one["manager"] for one in entries(again)] == ["two", "one"]


def test_items_that_nobody_owns_stay_while_their_list_does() -> None:
    live = applied(None, {"ports": [{"port": 1, "name": "a"}]})
    live["spec"]["ports"].append({"port": 2, "protocol": "TCP"})

    again = applied(live, {"ports": [{"port": 3}]})

    assert again["spec"] == {"ports": [{"port": 2, "protocol": "TCP"}, {"port": 3}]}


def test_an_apply_that_changes_nothing_gives_the_same_object_with_the_same_times() -> None:
    live = applied(None, {"replicas": 1}, now=FIRST)

    assert applied(live, {"replicas": 1}, now=SECOND) == live


def test_a_new_applier_of_what_is_there_has_no_time() -> None:
    live = made_by_update({"replicas": 1})

    result = applied(live, {"replicas": 1})

    assert entries(result)[0] == entry("one", "Apply", None, {"f:spec": {"f:replicas": {}}})


def test_another_value_of_another_manager_is_a_conflict() -> None:
    live = made_by_update({"replicas": 1})

    with pytest.raises(Conflict) as refused:
        applied(live, {"replicas": 2})

    message = 'Apply failed with 1 conflict: conflict with "updater" using test/v1: .spec.replicas'
    assert status_document(refused.value) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Conflict",
        "details": {
            "causes": [
                {
                    "reason": "FieldManagerConflict",
                    "message": 'conflict with "updater" using test/v1',
                    "field": ".spec.replicas",
                }
            ]
        },
        "code": 409,
    }


def test_several_conflicts_are_listed_by_manager() -> None:
    live = applied(made_by_update({"replicas": 1, "ports": [{"port": 1, "name": "a"}]}), {"name": "n"}, "applier")

    with pytest.raises(Conflict) as refused:
        applied(live, {"replicas": 2, "name": "m", "ports": [{"port": 1, "name": "b"}]})

    assert refused.value.status.message.split("\n") == [
        'Apply failed with 3 conflicts: conflicts with "applier":',
        "- .spec.name",
        'conflicts with "updater" using test/v1:',
        "- .spec.replicas",
        '- .spec.ports[port=1,protocol="TCP"].name',
    ]


def test_force_takes_the_field() -> None:
    live = made_by_update({"replicas": 1, "name": "n"})

    result = applied(live, {"replicas": 2}, force=True)

    assert result["spec"] == {"replicas": 2, "name": "n"}
    assert entries(result) == [
        entry("one", "Apply", SECOND, {"f:spec": {"f:replicas": {}}}),
        entry("updater", "Update", FIRST, {"f:spec": {".": {}, "f:name": {}}}),
    ]


def test_an_applier_of_nothing_is_forgotten() -> None:
    live = applied(made_by_update({"name": "n"}), {"replicas": 1})

    result = a_field_manager().apply(live, a_thing(), a_manager("one"), THIRD, force=False)

    assert result["spec"] == {"name": "n"}
    assert [one["manager"] for one in entries(result)] == ["updater"]


def test_fields_from_before_the_first_apply_have_an_owner() -> None:
    live = made_by_update({"replicas": 1, "name": "n"})
    del live["metadata"]["managedFields"]

    with pytest.raises(Conflict, match=r'conflict with "before-first-apply" using test/v1: \.spec\.replicas'):
        applied(live, {"replicas": 2})
    result = applied(live, {"name": "n"}, now=THIRD)

    assert entries(result)[1] == entry(
        "before-first-apply", "Update", THIRD, {"f:spec": {".": {}, "f:name": {}, "f:replicas": {}}}
    )


def test_a_status_apply_owns_status_alone() -> None:
    live = made_by_update({"replicas": 1})
    patch = {**a_thing({"replicas": 9}, labels={"a": "1"}), "status": {"phase": "x"}}

    result = a_field_manager().apply(live, patch, a_manager("one", "status"), SECOND, force=False)

    assert entries(result)[0] == entry("one", "Apply", SECOND, {"f:status": {"f:phase": {}}}, "status")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"foo": 1}, ".spec.foo: field not declared in schema"),
        ({"replicas": "x"}, ".spec.replicas: expected numeric (int or float), got string"),
        ({"replicas": True, "name": 1}, None),
        (
            {"name": {"a": 1}},
            '.spec.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}',
        ),
        ({"isOn": "yes"}, ".spec.isOn: expected boolean, got &{yes}"),
        ({"set": "x"}, ".spec.set: expected list, got &{x}"),
        ({"texts": [1.5, "a"]}, ".spec.texts: expected map, got &{[1.5 a]}"),
        ({"set": ["a", "a"]}, '.spec.set: duplicate entries for key [="a"]'),
        (
            {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]},
            '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
        ),
        ({"ports": [None]}, ".spec.ports: element 0: associative list with keys may not have a null element"),
        ({"set": [{}]}, ".spec.set: element 0: associative list without keys has an element that's a map type"),
        ({"list": [1]}, ".spec.list[0]: expected string, got &value.valueUnstructured{Value:1}"),
    ],
)
def test_a_configuration_that_does_not_fit_the_schema_is_refused(spec: Object, message: str | None) -> None:
    with pytest.raises(ServerError) as refused:
        applied(None, spec)

    start = "failed to create typed patch object (ns/it; test/v1, Kind=Thing): "
    status = refused.value.status
    assert (status.code, status.reason, status.details) == (500, "", None)
    assert status.message == start + message if message else status.message.startswith(start + "errors:\n  .spec.")


def test_entries_that_cannot_be_read_are_an_error() -> None:
    live = made_by_update({"replicas": 1})
    entries(live)[0]["fieldsType"] = "FieldsV9"

    with pytest.raises(ApiError, match="failed to decode managed fields: invalid fieldsType"):
        applied(live, {"replicas": 1})


def test_a_custom_resource_cannot_be_applied_to_while_a_manager_is_at_a_version_that_is_gone() -> None:
    live = made_by_update({"replicas": 1})
    entries(live)[0]["apiVersion"] = "test/v0"

    with pytest.raises(ApiError, match="request to convert CR to an invalid group/version: test/v0"):
        a_field_manager(is_custom=True).apply(live, a_thing({}), a_manager("one"), SECOND, force=False)


def client_side_applied() -> Object:
    annotation = json.dumps(a_thing({"replicas": 1, "name": "n"}))
    return made_by_update({"replicas": 1, "name": "changed"}, annotations={_LAST_APPLIED: annotation})


def test_kubectl_takes_over_what_it_applied_on_the_client() -> None:
    result = applied(client_side_applied(), {"replicas": 2}, "kubectl")

    assert result["spec"]["replicas"] == 2
    assert result["metadata"]["annotations"][_LAST_APPLIED] == (
        '{"apiVersion":"test/v1","kind":"Thing","metadata":{"name":"it","namespace":"ns"},"spec":{"replicas":2}}\n'
    )


def test_kubectl_does_not_take_over_what_changed_since() -> None:
    with pytest.raises(Conflict) as refused:
        applied(client_side_applied(), {"replicas": 2, "name": "m"}, "kubectl")

    assert [cause.field for cause in refused.value.causes] == [".spec.name"]


def test_other_managers_do_not_take_over_from_kubectl() -> None:
    with pytest.raises(Conflict):
        applied(client_side_applied(), {"replicas": 2}, "other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "Other"}, "invalid object type: test/v1, Kind=Other"),
        ({"apiVersion": "v1"}, "invalid object type: /v1, Kind=Thing"),
        ({"metadata": {"managedFields": []}}, "metadata.managedFields must be nil"),
    ],
)
def test_configurations_for_something_else_are_refused(change: Object, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_applied({**a_thing({}), **change}, V1, "Thing")

    assert refused.value.status.message == message


def test_a_configuration_for_this_kind_is_not_refused() -> None:
    check_applied(a_thing({}), V1, "Thing")
