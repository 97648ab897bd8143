"""A PUT is conditional on the version in it."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import (
    config_map,
    config_maps,
    deployment,
    deployments,
    lease,
    leases,
    pod,
    pods,
    widget,
    widgets,
)

pytestmark = pytest.mark.behaviour("B3")
CHANGED = "the object has been modified; please apply your changes to the latest version and try again"


def test_a_put_with_a_stale_version_is_a_conflict_and_changes_nothing(api: Api, namespace: str) -> None:
    stale = api.create(widgets(namespace), widget(size=1)).ok
    current = api.patch(widgets(namespace, "one"), {"spec": {"size": 2}}).ok

    reply = api.put(widgets(namespace, "one"), {**stale, "spec": {"size": 3}})

    name = "widgets.conformance.windlass.dev"
    assert reply.error == (409, "Conflict", f'Operation cannot be fulfilled on {name} "one": {CHANGED}')
    assert reply.document["details"] == {"name": "one", "group": "conformance.windlass.dev", "kind": "widgets"}
    assert api.get(widgets(namespace, "one")).ok == current


def test_a_put_with_a_version_from_the_future_is_a_conflict(api: Api, namespace: str) -> None:
    obj = api.create(config_maps(namespace), config_map()).ok
    obj["metadata"]["resourceVersion"] = "999999999"

    reply = api.put(config_maps(namespace, "one"), obj)

    assert reply.error == (409, "Conflict", f'Operation cannot be fulfilled on configmaps "one": {CHANGED}')


@pytest.mark.parametrize("version", ["", "0"])
def test_a_put_of_a_custom_resource_without_a_version_is_invalid(api: Api, namespace: str, version: str) -> None:
    api.create(widgets(namespace), widget(size=1))
    obj = widget(size=2)
    obj["metadata"]["resourceVersion"] = version

    reply = api.put(widgets(namespace, "one"), obj)

    problem = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    assert reply.error == (422, "Invalid", f'widgets.conformance.windlass.dev "one" is invalid: {problem}')
    assert reply.document["details"] == {
        "name": "one",
        "group": "conformance.windlass.dev",
        "kind": "widgets",
        "causes": [
            {
                "reason": "FieldValueInvalid",
                "message": "Invalid value: 0: must be specified for an update",
                "field": "metadata.resourceVersion",
            }
        ],
    }


SECRET: Any = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "stringData": {"a": "b"}}


@pytest.mark.parametrize(
    ("collection", "obj"),
    [
        ("/api/v1/namespaces/{}/configmaps", config_map()),
        ("/api/v1/namespaces/{}/secrets", SECRET),
        (pods("{}"), pod()),
        (deployments("{}"), deployment(replicas=0)),
    ],
    ids=["ConfigMap", "Secret", "Pod", "Deployment"],
)
def test_some_built_in_kinds_may_be_overwritten_without_a_version(
    api: Api, namespace: str, collection: str, obj: Any
) -> None:
    path = collection.format(namespace)
    before = api.create(path, obj).ok
    wanted = {**before, "metadata": {"name": "one", "labels": {"over": "written"}}}

    after = api.put(f"{path}/one", wanted).ok

    assert after["metadata"]["labels"] == {"over": "written"}
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


def test_a_lease_may_not_be_overwritten_without_a_version(api: Api, namespace: str) -> None:
    api.create(leases(namespace), lease())

    reply = api.put(leases(namespace, "one"), lease(holderIdentity="me"))

    problem = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    assert reply.error == (422, "Invalid", f'leases.coordination.k8s.io "one" is invalid: {problem}')


def test_a_put_to_a_name_that_does_not_exist_is_not_found(api: Api, namespace: str) -> None:
    reply = api.put(config_maps(namespace, "one"), config_map())

    assert reply.error == (404, "NotFound", 'configmaps "one" not found')


def test_a_put_to_a_lease_that_does_not_exist_creates_it(api: Api, namespace: str) -> None:
    reply = api.put(leases(namespace, "one"), lease(holderIdentity="me"))

    assert reply.status == 201
    assert reply.ok["spec"] == {"holderIdentity": "me"}


def test_a_version_that_is_no_number_is_refused(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok
    obj["metadata"]["resourceVersion"] = "many"

    reply = api.put(widgets(namespace, "one"), obj)

    assert reply.status == 500
    assert "reason" not in reply.document
    assert reply.message == 'strconv.ParseUint: parsing "many": invalid syntax'
