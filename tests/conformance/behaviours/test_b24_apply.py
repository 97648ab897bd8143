"""Server-side apply: everybody owns the fields that they have applied."""

from typing import Any

import pytest

from tests.conformance.api import APPLY, Api
from tests.conformance.kinds import config_map, config_maps, deployment, deployments, widget, widgets

pytestmark = pytest.mark.behaviour("B24")


def _managers(obj: Any) -> dict[tuple[str, str], Any]:
    entries = obj["metadata"]["managedFields"]
    return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in entries}


def test_it_creates_what_does_not_exist(api: Api, namespace: str) -> None:
    first = api.apply(widgets(namespace, "one"), widget(size=1), "me")
    second = api.apply(widgets(namespace, "one"), widget(size=2), "me")

    assert (first.status, second.status) == (201, 200)
    assert second.ok["spec"] == {"size": 2, "color": "red"}
    assert _managers(second.ok) == {("me", "Apply"): {"f:spec": {"f:size": {}}}}


def test_what_is_no_longer_applied_is_removed(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1, replicas=2), "me")

    after = api.apply(widgets(namespace, "one"), widget(replicas=2), "me").ok

    assert after["spec"] == {"replicas": 2, "color": "red"}


def test_what_somebody_else_applies_too_stays(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1, replicas=2), "me")
    api.apply(widgets(namespace, "one"), widget(size=1), "you")

    after = api.apply(widgets(namespace, "one"), widget(replicas=2), "me").ok

    assert after["spec"] == {"size": 1, "replicas": 2, "color": "red"}
    assert set(_managers(after)) == {("me", "Apply"), ("you", "Apply")}


def test_another_value_for_a_field_of_somebody_else_is_a_conflict(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1), "me")

    reply = api.apply(widgets(namespace, "one"), widget(size=2), "you")

    assert reply.error == (
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "me": .spec.size',
    )
    assert reply.document["details"] == {
        "causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "me"', "field": ".spec.size"}]
    }


def test_conflicts_with_updates_tell_the_version(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(size=1, replicas=1))

    reply = api.apply(widgets(namespace, "one"), widget(size=2, replicas=2), "you")

    whose = '"conformance" using conformance.windlass.dev/v1'
    why = f"Apply failed with 2 conflicts: conflicts with {whose}:\n- .spec.replicas\n- .spec.size"
    assert reply.error == (409, "Conflict", why)


def test_force_takes_the_field(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1, replicas=1), "me")

    after = api.apply(widgets(namespace, "one"), widget(size=2), "you", force=True).ok

    assert after["spec"]["size"] == 2
    assert _managers(after) == {
        ("me", "Apply"): {"f:spec": {"f:replicas": {}}},
        ("you", "Apply"): {"f:spec": {"f:size": {}}},
    }


def test_updates_and_applies_of_one_manager_are_two_managers(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1), "me")

    after = api.patch(widgets(namespace, "one"), {"spec": {"replicas": 2}}, query={"fieldManager": "me"}).ok

    assert _managers(after) == {
        ("me", "Apply"): {"f:spec": {"f:size": {}}},
        ("me", "Update"): {"f:spec": {"f:replicas": {}}},
    }


def test_an_update_takes_the_field_without_asking(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1), "me")
    api.patch(widgets(namespace, "one"), {"spec": {"size": 2}}, query={"fieldManager": "you"})

    reply = api.apply(widgets(namespace, "one"), widget(size=1), "me")

    assert (reply.status, len(reply.causes)) == (409, 1)


def test_lists_with_keys_are_owned_entry_by_entry(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(ports=[{"name": "a", "number": 1}], tags=["x"]), "me")
    api.apply(widgets(namespace, "one"), widget(ports=[{"name": "b", "number": 2}], tags=["y"]), "you")

    after = api.apply(widgets(namespace, "one"), widget(), "me").ok

    assert after["spec"]["ports"] == [{"name": "b", "number": 2}]
    assert after["spec"]["tags"] == ["y"]


def test_lists_without_keys_have_one_owner(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(args=["a"]), "me")

    reply = api.apply(widgets(namespace, "one"), widget(args=["a", "b"]), "you")

    assert [cause["field"] for cause in reply.causes] == [".spec.args"]


def test_the_containers_of_a_deployment_are_owned_by_name(api: Api, namespace: str) -> None:
    api.apply(deployments(namespace, "one"), deployment(replicas=0), "me")
    other = deployment(replicas=0)
    other["spec"]["template"]["spec"]["containers"] = [{"name": "other", "image": "example.com/other"}]

    after = api.apply(deployments(namespace, "one"), other, "you").ok

    containers = after["spec"]["template"]["spec"]["containers"]
    assert [container["name"] for container in containers] == ["main", "other"]


def test_managed_fields_must_not_be_told(api: Api, namespace: str) -> None:
    obj = api.apply(widgets(namespace, "one"), widget(size=1), "me").ok

    reply = api.apply(widgets(namespace, "one"), obj, "me")

    assert reply.error == (400, "BadRequest", "metadata.managedFields must be nil")


def test_a_manager_must_be_told(api: Api, namespace: str) -> None:
    reply = api.patch(config_maps(namespace, "one"), config_map(), APPLY)

    why = "fieldManager: Required value: is required for apply patch"
    assert reply.error == (422, "Invalid", f'PatchOptions.meta.k8s.io "" is invalid: {why}')


def test_an_update_can_reset_managed_fields(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1), "me")

    after = api.patch(widgets(namespace, "one"), {"metadata": {"managedFields": [{}]}}).ok

    assert "managedFields" not in after["metadata"]


def test_the_status_is_applied_through_its_own_endpoint(api: Api, namespace: str) -> None:
    api.apply(widgets(namespace, "one"), widget(size=1), "me")
    wanted = {**widget(), "status": {"phase": "Ready"}}
    del wanted["spec"]

    after = api.apply(widgets(namespace, "one", "status"), wanted, "me").ok

    assert after["status"] == {"phase": "Ready"}
    assert after["spec"]["size"] == 1
    entries = [(one["operation"], one.get("subresource")) for one in after["metadata"]["managedFields"]]
    assert entries == [("Apply", None), ("Apply", "status")]


def test_a_body_of_another_kind_is_refused(api: Api, namespace: str) -> None:
    reply = api.apply(widgets(namespace, "one"), config_map(), "me")

    assert (reply.status, reply.reason) == (400, "BadRequest")
