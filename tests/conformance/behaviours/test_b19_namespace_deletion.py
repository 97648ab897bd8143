"""A namespace is emptied before it goes."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B19")


def _namespace(api: Api, name: str) -> Any:
    return api.get(f"/api/v1/namespaces/{name}")


def test_a_namespace_takes_its_contents_with_it(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())
    api.create(widgets(namespace), widget())

    reply = api.delete(f"/api/v1/namespaces/{namespace}")

    assert reply.ok["status"] == {"phase": "Terminating"}
    assert reply.ok["spec"] == {"finalizers": ["kubernetes"]}
    eventually(lambda: _namespace(api, namespace).status, lambda status: status == 404)
    assert api.get(widgets(namespace, "one")).status == 404
    assert api.get(config_maps(namespace, "one")).status == 404


def test_a_namespace_waits_for_the_finalizers_in_it(api: Api, namespace: str) -> None:
    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(config_maps(namespace), held)
    api.create(config_maps(namespace), config_map("free"))

    api.delete(f"/api/v1/namespaces/{namespace}")

    path = config_maps(namespace, "held")
    eventually(lambda: api.get(path).ok["metadata"], lambda metadata: "deletionTimestamp" in metadata)
    eventually(lambda: api.get(config_maps(namespace, "free")).status, lambda status: status == 404)
    assert _namespace(api, namespace).ok["status"]["phase"] == "Terminating"
    api.patch(path, {"metadata": {"finalizers": None}})
    eventually(lambda: _namespace(api, namespace).status, lambda status: status == 404)


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_cannot_be_deleted(api: Api, name: str) -> None:
    reply = api.delete(f"/api/v1/namespaces/{name}")

    assert reply.error == (
        403,
        "Forbidden",
        f'namespaces "{name}" is forbidden: this namespace may not be deleted',
    )
