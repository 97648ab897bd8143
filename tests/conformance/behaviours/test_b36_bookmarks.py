"""Bookmarks tell how far a watch has come."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B36")


def _bookmarks(api: Api, namespace: str) -> tuple[list[Any], list[int]]:
    """What a watch of one namespace says until its end, while things happen in another; and the versions of those."""
    elsewhere = f"{namespace}-b"
    api.create("/api/v1/namespaces", {"metadata": {"name": elsewhere}})
    start = api.create(widgets(namespace), widget()).ok

    query = {"resourceVersion": start["metadata"]["resourceVersion"], "allowWatchBookmarks": "true"}
    with api.watch(widgets(namespace), {**query, "timeoutSeconds": 4}) as watch:
        end = api.create(widgets(elsewhere), widget()).ok
        events = watch.rest()
    return events, [int(obj["metadata"]["resourceVersion"]) for obj in (start, end)]


def test_one_comes_before_the_end_to_those_who_ask(api: Api, namespace: str) -> None:
    events, (_, end) = _bookmarks(api, namespace)

    assert {event["type"] for event in events} == {"BOOKMARK"}
    bookmark = events[-1]["object"]
    assert set(bookmark) == {"kind", "apiVersion", "metadata"}
    assert (bookmark["kind"], bookmark["apiVersion"]) == ("Widget", "conformance.windlass.dev/v1")
    assert set(bookmark["metadata"]) == {"resourceVersion"}
    assert int(bookmark["metadata"]["resourceVersion"]) >= end


def test_a_watch_can_go_on_from_a_bookmark(api: Api, namespace: str) -> None:
    events, _ = _bookmarks(api, namespace)
    version = events[-1]["object"]["metadata"]["resourceVersion"]
    api.create(widgets(namespace), widget("mark"))

    with api.watch(widgets(namespace), {"resourceVersion": version}) as watch:
        assert watch.next()["object"]["metadata"]["name"] == "mark"


def test_none_comes_to_others(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {"resourceVersion": start, "timeoutSeconds": 4}) as watch:
        api.create(widgets(namespace), widget("mark"))
        events = watch.rest()

    assert [event["type"] for event in events] == ["ADDED"]
