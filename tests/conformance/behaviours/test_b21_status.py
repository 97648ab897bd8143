"""The status is written through an endpoint of its own, and nothing else is."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import deployment, deployments, gadget, gadgets, widget, widgets

pytestmark = pytest.mark.behaviour("B21")


def test_a_put_of_the_object_keeps_the_status(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    obj = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}}).ok
    changed = {**obj, "spec": {"size": 2}, "status": {"phase": "Broken"}}

    after = api.put(widgets(namespace, "one"), changed).ok

    assert after["status"] == {"phase": "Ready"}
    assert after["spec"] == {"size": 2, "color": "red"}


def test_a_put_of_the_object_without_a_status_keeps_it(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    obj = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}}).ok
    del obj["status"]

    assert api.put(widgets(namespace, "one"), obj).ok["status"] == {"phase": "Ready"}


def test_a_put_of_the_status_keeps_everything_else(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget(size=1)).ok
    metadata = {**obj["metadata"], "labels": {"a": "b"}, "finalizers": ["example.com/hold"]}
    changed = {**obj, "metadata": metadata, "spec": {"size": 2}, "status": {"phase": "Ready"}}

    after = api.put(widgets(namespace, "one", "status"), changed).ok

    assert after["spec"] == {"size": 1, "color": "red"}
    assert after["status"] == {"phase": "Ready"}
    assert not {"labels", "finalizers"} & set(after["metadata"])


def test_the_status_of_a_deployment_takes_labels_with_it(api: Api, namespace: str) -> None:
    path = deployments(namespace, "one")
    api.create(deployments(namespace), deployment(replicas=0, paused=True))

    after = api.patch(f"{path}/status", {"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 5}}).ok

    assert after["spec"]["replicas"] == 0
    assert "labels" not in after["metadata"]


def test_both_endpoints_share_one_version(api: Api, namespace: str) -> None:
    stale = api.create(widgets(namespace), widget()).ok
    api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}})

    reply = api.put(widgets(namespace, "one"), {**stale, "spec": {"size": 2}})

    assert (reply.status, reply.reason) == (409, "Conflict")


def test_a_put_of_the_status_is_conditional(api: Api, namespace: str) -> None:
    stale = api.create(widgets(namespace), widget()).ok
    api.patch(widgets(namespace, "one"), {"spec": {"size": 2}})

    reply = api.put(widgets(namespace, "one", "status"), {**stale, "status": {"phase": "Ready"}})

    assert (reply.status, reply.reason) == (409, "Conflict")


def test_the_status_is_validated(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": 5}})

    problem = 'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"'
    assert reply.status == 422
    assert problem in reply.message


def test_a_read_of_the_status_shows_the_whole_object(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok

    assert api.get(widgets(namespace, "one", "status")).ok == obj


def test_the_manager_of_the_status_is_told_apart(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    after = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}}).ok

    entries = [(one["manager"], one.get("subresource", "")) for one in after["metadata"]["managedFields"]]
    assert entries == [("conformance", ""), ("conformance", "status")]


def test_a_kind_without_the_subresource_has_no_such_path(api: Api, namespace: str) -> None:
    api.create(gadgets(), gadget(namespace))

    reply = api.get(f"{gadgets(namespace)}/status")

    assert reply.error == (404, "NotFound", f'gadgets.conformance.windlass.dev "{namespace}" not found')
