"""A pod on a node is terminating until its kubelet says that it is gone."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import pod, pods

pytestmark = [pytest.mark.behaviour("B16"), pytest.mark.usefixtures("service_account")]


def _running(api: Api, namespace: str) -> Any:
    return api.create(pods(namespace), pod(node="nowhere", terminationGracePeriodSeconds=40)).ok


def test_a_pod_on_a_node_terminates_without_any_finalizer(api: Api, namespace: str) -> None:
    _running(api, namespace)

    metadata = api.delete(pods(namespace, "one")).ok["metadata"]

    assert metadata["deletionGracePeriodSeconds"] == 40
    assert metadata["deletionTimestamp"] > metadata["creationTimestamp"]
    assert "finalizers" not in metadata
    assert api.get(pods(namespace, "one")).ok["metadata"] == metadata


def test_a_terminating_pod_can_be_changed(api: Api, namespace: str) -> None:
    _running(api, namespace)
    api.delete(pods(namespace, "one"))

    after = api.patch(pods(namespace, "one"), {"metadata": {"labels": {"a": "b"}}})

    assert after.ok["metadata"]["labels"] == {"a": "b"}


def test_a_shorter_grace_period_moves_the_end_and_a_longer_one_does_not(api: Api, namespace: str) -> None:
    _running(api, namespace)
    first = api.delete(pods(namespace, "one")).ok["metadata"]

    longer = api.delete(pods(namespace, "one"), {"gracePeriodSeconds": 60}).ok["metadata"]
    shorter = api.delete(pods(namespace, "one"), {"gracePeriodSeconds": 10}).ok["metadata"]

    assert longer == first
    assert shorter["deletionGracePeriodSeconds"] == 10
    assert shorter["deletionTimestamp"] < first["deletionTimestamp"]


def test_without_grace_it_goes_at_once(api: Api, namespace: str) -> None:
    _running(api, namespace)
    api.delete(pods(namespace, "one"))

    reply = api.delete(pods(namespace, "one"), {"gracePeriodSeconds": 0})

    assert reply.status == 200
    assert api.get(pods(namespace, "one")).status == 404


def test_a_pod_on_no_node_goes_at_once(api: Api, namespace: str) -> None:
    api.create(pods(namespace), pod(schedulerName="nobody"))

    reply = api.delete(pods(namespace, "one"))

    assert reply.document["kind"] == "Pod"
    assert api.get(pods(namespace, "one")).status == 404
