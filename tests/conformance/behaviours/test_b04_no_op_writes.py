"""A write that changes nothing keeps the version and makes no event."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.api import APPLY, JSON_PATCH, STRATEGIC, Api, Reply
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B4")


def _put_as_it_is(api: Api, path: str, obj: Any) -> Reply:
    return api.put(path, obj)


def _put_by_somebody_else(api: Api, path: str, obj: Any) -> Reply:
    return api.put(path, obj, query={"fieldManager": "somebody-else"})


def _put_without_the_default(api: Api, path: str, obj: Any) -> Reply:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return api.put(path, {**obj, "metadata": metadata, "spec": {"size": 1}})


def _empty_merge_patch(api: Api, path: str, obj: Any) -> Reply:
    return api.patch(path, {})


def _merge_patch_to_the_same_value(api: Api, path: str, obj: Any) -> Reply:
    return api.patch(path, {"spec": {"size": 1}})


def _merge_patch_of_status_that_is_ignored(api: Api, path: str, obj: Any) -> Reply:
    return api.patch(path, {"status": {"phase": "Ready"}})


def _json_patch_to_the_same_value(api: Api, path: str, obj: Any) -> Reply:
    return api.patch(path, [{"op": "replace", "path": "/spec/size", "value": 1}], JSON_PATCH)


def _status_patch_to_the_same_value(api: Api, path: str, obj: Any) -> Reply:
    return api.patch(f"{path}/status", {"metadata": {"labels": {"a": "b"}}, "spec": {"size": 5}})


@pytest.mark.parametrize(
    "write",
    [
        _put_as_it_is,
        _put_by_somebody_else,
        _put_without_the_default,
        _empty_merge_patch,
        _merge_patch_to_the_same_value,
        _merge_patch_of_status_that_is_ignored,
        _json_patch_to_the_same_value,
        _status_patch_to_the_same_value,
    ],
    ids=lambda write: write.__name__.strip("_"),
)
def test_nothing_happens(api: Api, namespace: str, write: Callable[[Api, str, Any], Reply]) -> None:
    before = api.create(widgets(namespace), widget(size=1)).ok

    with api.watch(widgets(namespace), {"resourceVersion": before["metadata"]["resourceVersion"]}) as watch:
        answer = write(api, widgets(namespace, "one"), before).ok
        api.create(widgets(namespace), widget("mark"))
        event = watch.next()

    assert answer["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert api.get(widgets(namespace, "one")).ok == before
    assert event["object"]["metadata"]["name"] == "mark"


def test_an_apply_of_the_same_changes_nothing(api: Api, namespace: str) -> None:
    before = api.apply(widgets(namespace, "one"), widget(size=1), "me").ok

    after = api.apply(widgets(namespace, "one"), widget(size=1), "me").ok

    assert after == before


def test_an_apply_by_another_manager_is_a_change_since_it_takes_ownership(api: Api, namespace: str) -> None:
    before = api.apply(widgets(namespace, "one"), widget(size=1), "me").ok

    after = api.apply(widgets(namespace, "one"), widget(size=1), "you").ok

    assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]


def test_a_strategic_merge_patch_to_the_same_value_changes_nothing(api: Api, namespace: str) -> None:
    before = api.create(config_maps(namespace), config_map(a="b")).ok

    after = api.patch(config_maps(namespace, "one"), {"data": {"a": "b"}}, STRATEGIC).ok

    assert after == before


def test_an_apply_as_yaml_of_the_same_changes_nothing(api: Api, namespace: str) -> None:
    manifest = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: b\n"
    path, query = config_maps(namespace, "one"), {"fieldManager": "me"}
    before = api.patch(path, manifest, APPLY, query=query).ok

    after = api.patch(path, manifest, APPLY, query=query).ok

    assert after == before
