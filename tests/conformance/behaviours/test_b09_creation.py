"""What a create may not say."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, deployment, deployments, gadget, gadgets, widget, widgets

pytestmark = pytest.mark.behaviour("B9")


def test_a_create_with_a_version_is_refused(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["resourceVersion"] = "1"

    reply = api.create(widgets(namespace), obj)

    assert (reply.status, reply.message) == (500, "resourceVersion should not be set on objects to be created")
    assert api.get(widgets(namespace, "one")).status == 404


def test_a_create_of_a_built_in_kind_with_a_version_is_refused(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"]["resourceVersion"] = "1"

    reply = api.create(config_maps(namespace), obj)

    assert (reply.status, reply.message) == (500, "resourceVersion should not be set on objects to be created")


def test_the_status_is_dropped_where_it_is_a_subresource(api: Api, namespace: str) -> None:
    obj = {**widget(), "status": {"phase": "Ready"}}

    assert "status" not in api.create(widgets(namespace), obj).ok


def test_the_status_stays_where_it_is_not(api: Api, namespace: str) -> None:
    obj = gadget(namespace, status={"phase": "Ready"})

    assert api.create(gadgets(), obj).ok["status"] == {"phase": "Ready"}


def test_the_status_of_a_deployment_is_dropped(api: Api, namespace: str) -> None:
    obj = {**deployment(replicas=0), "status": {"replicas": 5}}

    assert api.create(deployments(namespace), obj).ok["status"] == {}


def test_marks_of_a_deletion_are_dropped(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"].update(deletionTimestamp="2001-02-03T04:05:06Z", deletionGracePeriodSeconds=5)

    metadata = api.create(widgets(namespace), obj).ok["metadata"]

    assert not {"deletionTimestamp", "deletionGracePeriodSeconds"} & set(metadata)
