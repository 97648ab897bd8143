"""Who begins to match is added, who ceases to is deleted."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B33")


def _told(event: Any) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"]["name"]


def test_labels_that_begin_and_cease_to_match(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget(size=1)).ok["metadata"]["resourceVersion"]
    path = widgets(namespace, "one")

    with api.watch(widgets(namespace), {"resourceVersion": start, "labelSelector": "in=yes"}) as watch:
        api.patch(path, {"spec": {"size": 2}})
        entered = api.patch(path, {"metadata": {"labels": {"in": "yes"}}}).ok
        changed = api.patch(path, {"spec": {"size": 3}}).ok
        left = api.patch(path, {"metadata": {"labels": {"in": "no"}}, "spec": {"size": 4}}).ok
        api.patch(path, {"spec": {"size": 5}})
        api.create(widgets(namespace), widget("mark", labels={"in": "yes"}))
        events = watch.take(4)

    assert [_told(event) for event in events] == [
        ("ADDED", "one"),
        ("MODIFIED", "one"),
        ("DELETED", "one"),
        ("ADDED", "mark"),
    ]
    assert [event["object"] for event in events[:2]] == [entered, changed]
    gone = events[2]["object"]
    assert gone["spec"]["size"] == 3
    assert gone["metadata"]["labels"] == {"in": "yes"}
    assert gone["metadata"]["resourceVersion"] == left["metadata"]["resourceVersion"]


def test_fields_that_begin_and_cease_to_match(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget(color="red")).ok["metadata"]["resourceVersion"]
    path = widgets(namespace, "one")

    with api.watch(widgets(namespace), {"resourceVersion": start, "fieldSelector": "spec.color=blue"}) as watch:
        api.patch(path, {"spec": {"color": "blue"}})
        api.patch(path, {"spec": {"color": "green"}})
        events = watch.take(2)

    assert [(event["type"], event["object"]["spec"]["color"]) for event in events] == [
        ("ADDED", "blue"),
        ("DELETED", "blue"),
    ]


def test_the_end_of_who_does_not_match_is_not_told(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {"resourceVersion": start, "labelSelector": "in=yes"}) as watch:
        api.delete(widgets(namespace, "one"))
        api.create(widgets(namespace), widget("mark", labels={"in": "yes"}))
        assert _told(watch.next()) == ("ADDED", "mark")
