"""A deletion that has to wait."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B13")


def _create_held(api: Api, namespace: str) -> Any:
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    return api.create(widgets(namespace), obj).ok


def test_a_deletion_marks_an_object_with_finalizers_and_answers_with_it(api: Api, namespace: str) -> None:
    before = _create_held(api, namespace)

    reply = api.delete(widgets(namespace, "one"))

    assert reply.status == 200
    assert reply.document["kind"] == "Widget"
    metadata = reply.document["metadata"]
    assert metadata["deletionTimestamp"] >= before["metadata"]["creationTimestamp"]
    assert metadata["deletionGracePeriodSeconds"] == 0
    assert metadata["finalizers"] == ["example.com/hold"]
    assert api.get(widgets(namespace, "one")).ok == reply.document


def test_watchers_see_one_modification(api: Api, namespace: str) -> None:
    before = _create_held(api, namespace)

    with api.watch(widgets(namespace), {"resourceVersion": before["metadata"]["resourceVersion"]}) as watch:
        marked = api.delete(widgets(namespace, "one")).ok
        api.create(widgets(namespace), widget("mark"))
        events = watch.take(2)

    assert [event["type"] for event in events] == ["MODIFIED", "ADDED"]
    assert events[0]["object"] == marked


def test_a_second_deletion_changes_nothing(api: Api, namespace: str) -> None:
    _create_held(api, namespace)
    first = api.delete(widgets(namespace, "one")).ok

    second = api.delete(widgets(namespace, "one"))

    assert second.ok == first


def test_a_deletion_without_finalizers_answers_with_a_status(api: Api, namespace: str) -> None:
    uid = api.create(config_maps(namespace), config_map()).ok["metadata"]["uid"]

    reply = api.delete(config_maps(namespace, "one"))

    assert reply.status == 200
    assert reply.document == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "one", "kind": "configmaps", "uid": uid},
    }
    assert api.get(config_maps(namespace, "one")).status == 404


def test_a_deletion_of_what_does_not_exist_is_not_found(api: Api, namespace: str) -> None:
    reply = api.delete(widgets(namespace, "one"))

    assert reply.error == (404, "NotFound", 'widgets.conformance.windlass.dev "one" not found')


def test_a_name_is_taken_while_its_object_is_being_deleted(api: Api, namespace: str) -> None:
    _create_held(api, namespace)
    api.delete(widgets(namespace, "one"))

    reply = api.create(widgets(namespace), widget())

    why = 'object is being deleted: widgets.conformance.windlass.dev "one" already exists'
    assert reply.error == (409, "AlreadyExists", why)
