"""The kinds of patch."""

from typing import Any

import pytest

from tests.conformance.api import APPLY, JSON_PATCH, MERGE, STRATEGIC, Api
from tests.conformance.kinds import config_map, config_maps, deployment, deployments, widget, widgets

pytestmark = pytest.mark.behaviour("B23")
CUSTOM = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]
UNKNOWN_FORMAT = "the body of the request was in an unknown format - accepted media types include: "


def test_a_json_patch_does_what_it_says(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(size=1, tags=["a", "b"]))
    operations: Any = [
        {"op": "test", "path": "/spec/size", "value": 1},
        {"op": "add", "path": "/spec/tags/-", "value": "c"},
        {"op": "remove", "path": "/spec/tags/0"},
        {"op": "copy", "from": "/spec/size", "path": "/spec/replicas"},
        {"op": "move", "from": "/spec/tags/0", "path": "/spec/name"},
    ]

    after = api.patch(widgets(namespace, "one"), operations, JSON_PATCH).ok

    assert after["spec"] == {"size": 1, "color": "red", "tags": ["c"], "replicas": 1, "name": "b"}


def test_a_test_that_fails_is_unprocessable_and_changes_nothing(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget(size=1)).ok
    operations: Any = [
        {"op": "replace", "path": "/spec/size", "value": 2},
        {"op": "test", "path": "/spec/color", "value": "blue"},
    ]

    reply = api.patch(widgets(namespace, "one"), operations, JSON_PATCH)

    assert reply.error == (422, "Invalid", "the server rejected our request due to an error in our request")
    assert api.get(widgets(namespace, "one")).ok == before


def test_a_json_patch_of_a_path_that_does_not_exist_is_unprocessable(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one"), [{"op": "remove", "path": "/spec/nothing"}], JSON_PATCH)

    assert (reply.status, reply.reason) == (422, "Invalid")


def test_a_json_patch_that_is_no_list_is_a_bad_request(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one"), {"op": "remove"}, JSON_PATCH)

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith("error decoding patch: ")


def test_in_a_merge_patch_null_deletes_and_lists_are_replaced(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(size=1, tags=["a", "b"], settings={"a": "b", "c": "d"}))

    patch = {"spec": {"size": None, "tags": ["c"], "settings": {"a": None, "e": "f"}}}
    after = api.patch(widgets(namespace, "one"), patch).ok

    assert after["spec"] == {"color": "red", "tags": ["c"], "settings": {"c": "d", "e": "f"}}


def test_in_a_strategic_patch_lists_are_merged_by_their_keys(api: Api, namespace: str) -> None:
    obj = deployment(replicas=0)
    obj["spec"]["template"]["spec"]["containers"].append({"name": "other", "image": "example.com/other"})
    api.create(deployments(namespace), obj)
    containers = [{"name": "main", "image": "example.com/new"}, {"name": "other", "$patch": "delete"}]

    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    after = api.patch(deployments(namespace, "one"), patch, STRATEGIC).ok

    left = after["spec"]["template"]["spec"]["containers"]
    assert [(one["name"], one["image"]) for one in left] == [("main", "example.com/new")]


def test_a_custom_resource_knows_no_strategic_patch(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one"), {}, STRATEGIC)

    assert reply.error == (415, "UnsupportedMediaType", UNKNOWN_FORMAT + ", ".join(CUSTOM))


def test_another_format_is_unsupported(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), {}, "application/json")

    assert reply.error == (415, "UnsupportedMediaType", "415: Unsupported Media Type")


@pytest.mark.parametrize("content_type", [MERGE, JSON_PATCH, STRATEGIC])
def test_a_patch_with_a_version_is_conditional(api: Api, namespace: str, content_type: str) -> None:
    stale = api.create(config_maps(namespace), config_map(a="b")).ok["metadata"]["resourceVersion"]
    api.patch(config_maps(namespace, "one"), {"data": {"a": "c"}})
    patch: Any = {"metadata": {"resourceVersion": stale}, "data": {"a": "d"}}
    if content_type == JSON_PATCH:
        patch = [{"op": "replace", "path": "/metadata/resourceVersion", "value": stale}]

    reply = api.patch(config_maps(namespace, "one"), patch, content_type)

    why = "the object has been modified; please apply your changes to the latest version and try again"
    assert reply.error == (409, "Conflict", f'Operation cannot be fulfilled on configmaps "one": {why}')


def test_an_apply_with_a_version_is_conditional(api: Api, namespace: str) -> None:
    stale = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]
    api.patch(widgets(namespace, "one"), {"spec": {"size": 1}})
    wanted = widget(replicas=2)
    wanted["metadata"]["resourceVersion"] = stale

    reply = api.apply(widgets(namespace, "one"), wanted, "me")

    assert (reply.status, reply.reason) == (409, "Conflict")


@pytest.mark.parametrize("content_type", [MERGE, JSON_PATCH, STRATEGIC])
def test_a_patch_that_is_no_json_is_a_bad_request(api: Api, namespace: str, content_type: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), b"{nope", content_type)

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert "invalid character 'n' looking for beginning of object key string" in reply.message
    assert reply.message.startswith("error decoding patch: ") == (content_type != STRATEGIC)


def test_an_apply_that_is_no_yaml_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.patch(config_maps(namespace, "one"), b"a: [", APPLY, query={"fieldManager": "me"})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith("error decoding YAML: ")


@pytest.mark.parametrize("content_type", [MERGE, JSON_PATCH, STRATEGIC])
def test_only_an_apply_creates(api: Api, namespace: str, content_type: str) -> None:
    body: Any = [] if content_type == JSON_PATCH else {}

    reply = api.patch(config_maps(namespace, "one"), body, content_type)

    assert reply.error == (404, "NotFound", 'configmaps "one" not found')


def test_a_patch_that_makes_a_wrong_type_of_a_built_in_kind_is_invalid(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), {"data": {"a": 5}})

    assert (reply.status, reply.reason) == (422, "Invalid")
    assert reply.causes[0]["field"] == "patch"


def test_force_belongs_to_apply(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), {}, query={"force": "true"})

    why = "force: Forbidden: may not be specified for non-apply patch"
    assert reply.error == (422, "Invalid", f'PatchOptions.meta.k8s.io "" is invalid: {why}')
