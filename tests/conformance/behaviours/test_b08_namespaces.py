"""The namespace of a request."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import config_map, config_maps, gadget, gadgets, widget, widgets

pytestmark = pytest.mark.behaviour("B8")


def test_the_namespace_of_the_url_fills_the_body(api: Api, namespace: str) -> None:
    assert api.create(widgets(namespace), widget()).ok["metadata"]["namespace"] == namespace


def test_another_namespace_in_the_body_is_a_bad_request(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["namespace"] = "default"

    reply = api.create(widgets(namespace), obj)

    why = "the namespace of the provided object does not match the namespace sent on the request"
    assert reply.error == (400, "BadRequest", why)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_update_cannot_move_an_object(api: Api, namespace: str, method: str) -> None:
    obj = api.create(config_maps(namespace), config_map()).ok
    obj["metadata"]["namespace"] = "default"

    type_ = "application/json" if method == "PUT" else "application/merge-patch+json"
    reply = api.request(method, config_maps(namespace, "one"), obj, content_type=type_)

    why = "the namespace of the provided object does not match the namespace sent on the request"
    assert reply.error == (400, "BadRequest", why)


@pytest.mark.parametrize(
    ("collection", "obj"), [(widgets("nowhere"), widget()), (config_maps("nowhere"), config_map())]
)
def test_a_namespace_that_does_not_exist_is_not_found(api: Api, collection: str, obj: object) -> None:
    reply = api.create(collection, obj)

    assert reply.error == (404, "NotFound", 'namespaces "nowhere" not found')
    assert reply.document["details"] == {"name": "nowhere", "kind": "namespaces"}


def test_a_list_in_a_namespace_that_does_not_exist_is_empty(api: Api) -> None:
    assert api.get(widgets("nowhere")).ok["items"] == []


def test_an_object_without_namespaces_loses_the_one_it_names(api: Api, namespace: str) -> None:
    obj = gadget(namespace)
    obj["metadata"]["namespace"] = namespace

    assert "namespace" not in api.create(gadgets(), obj).ok["metadata"]


def test_nothing_new_comes_into_a_namespace_that_is_terminating(api: Api, namespace: str) -> None:
    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(config_maps(namespace), held)
    api.delete(f"/api/v1/namespaces/{namespace}")

    reply = eventually(
        lambda: api.create(config_maps(namespace), config_map(), query={"dryRun": "All"}), lambda r: r.status != 201
    )

    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    assert reply.error == (403, "Forbidden", f'configmaps "one" is forbidden: {why}')
    assert reply.causes == [
        {
            "reason": "NamespaceTerminating",
            "message": f"namespace {namespace} is being terminated",
            "field": "metadata.namespace",
        }
    ]


def test_what_is_in_a_terminating_namespace_can_still_be_changed(api: Api, namespace: str) -> None:
    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(config_maps(namespace), held)
    api.delete(f"/api/v1/namespaces/{namespace}")

    assert api.patch(config_maps(namespace, "held"), {"data": {"a": "b"}}).ok["data"] == {"a": "b"}
