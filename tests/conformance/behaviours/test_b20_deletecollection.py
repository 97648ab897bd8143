"""A deletion of many."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B20")


def _names(listed: Any) -> list[str]:
    return [item["metadata"]["name"] for item in listed["items"]]


def test_all_that_match_the_labels_go(api: Api, namespace: str) -> None:
    for name, color in (("a", "red"), ("b", "blue"), ("c", "red")):
        api.create(widgets(namespace), widget(name, labels={"color": color}))

    reply = api.delete(widgets(namespace), query={"labelSelector": "color=red"})

    assert reply.ok["kind"] == "WidgetList"
    assert _names(reply.ok) == ["a", "c"]
    assert _names(api.get(widgets(namespace)).ok) == ["b"]


def test_all_that_match_the_fields_go(api: Api, namespace: str) -> None:
    for name, color in (("a", "red"), ("b", "blue")):
        api.create(widgets(namespace), widget(name, color=color))

    api.delete(widgets(namespace), query={"fieldSelector": "spec.color=blue"})

    assert _names(api.get(widgets(namespace)).ok) == ["a"]


def test_who_has_finalizers_is_marked(api: Api, namespace: str) -> None:
    held = widget("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), held)
    api.create(widgets(namespace), widget("free"))

    assert api.delete(widgets(namespace)).status == 200

    (left,) = api.get(widgets(namespace)).ok["items"]
    assert left["metadata"]["name"] == "held"
    assert "deletionTimestamp" in left["metadata"]


def test_it_ends_at_its_namespace(api: Api, namespace: str) -> None:
    other = f"{namespace}-b"
    api.create("/api/v1/namespaces", {"metadata": {"name": other}})
    for one in (namespace, other):
        api.create(widgets(one), widget())

    api.delete(widgets(namespace))

    assert _names(api.get(widgets(other)).ok) == ["one"]


def test_each_deletion_is_an_event(api: Api, namespace: str) -> None:
    for name in ("a", "b"):
        api.create(widgets(namespace), widget(name))
    version = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {"resourceVersion": version}) as watch:
        api.delete(widgets(namespace))
        events = watch.take(2)

    assert sorted((event["type"], event["object"]["metadata"]["name"]) for event in events) == [
        ("DELETED", "a"),
        ("DELETED", "b"),
    ]


def test_a_dry_run_deletes_nothing(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    assert api.delete(widgets(namespace), query={"dryRun": "All"}).status == 200

    assert _names(api.get(widgets(namespace)).ok) == ["one"]
