"""The generation counts changes of what is desired."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import (
    config_map,
    config_maps,
    deployment,
    deployments,
    gadget,
    gadgets,
    widget,
    widgets,
)

pytestmark = pytest.mark.behaviour("B5")


def _generation(obj: Any) -> int:
    return int(obj["metadata"]["generation"])


def test_it_begins_at_one_whatever_the_client_says(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["generation"] = 7

    assert _generation(api.create(widgets(namespace), obj).ok) == 1


def test_a_change_of_the_spec_adds_one_whatever_the_client_says(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget(size=1)).ok
    obj["spec"]["size"] = 2
    obj["metadata"]["generation"] = 99

    assert _generation(api.put(widgets(namespace, "one"), obj).ok) == 2


def test_a_change_of_metadata_adds_nothing(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    after = api.patch(widgets(namespace, "one"), {"metadata": {"labels": {"a": "b"}, "generation": 5}}).ok

    assert _generation(after) == 1


def test_a_change_of_the_status_adds_nothing_where_it_is_a_subresource(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    after = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}}).ok

    assert _generation(after) == 1


def test_a_change_of_the_status_adds_one_where_it_is_not(api: Api, namespace: str) -> None:
    api.create(gadgets(), gadget(namespace, status={"phase": "Old"}))

    after = api.patch(gadgets(namespace), {"status": {"phase": "New"}}).ok

    assert _generation(after) == 2


def test_the_first_mark_of_deletion_adds_one_and_the_second_nothing(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), obj)

    first = api.delete(widgets(namespace, "one")).ok
    second = api.delete(widgets(namespace, "one")).ok

    assert (_generation(first), _generation(second)) == (2, 2)


def test_a_config_map_has_none(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map(a="b"))

    after = api.patch(config_maps(namespace, "one"), {"data": {"a": "c"}}).ok

    assert "generation" not in after["metadata"]


def test_a_deployment_counts_its_spec_only(api: Api, namespace: str) -> None:
    path = deployments(namespace, "one")
    created = api.create(deployments(namespace), deployment(replicas=0, paused=True)).ok

    labelled = api.patch(path, {"metadata": {"labels": {"a": "b"}}}).ok
    scaled = api.patch(path, {"spec": {"minReadySeconds": 5}}).ok

    assert [_generation(obj) for obj in (created, labelled, scaled)] == [1, 1, 2]
