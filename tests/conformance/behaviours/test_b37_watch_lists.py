"""A list through a watch."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B37")
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


def _initial(watch: Any) -> tuple[list[Any], Any]:
    events: list[Any] = []
    while (event := watch.next())["type"] != "BOOKMARK":
        events.append(event)
    return events, event["object"]


def test_all_that_there_is_then_a_mark_then_what_comes(api: Api, namespace: str) -> None:
    created = [api.create(widgets(namespace), widget(name)).ok for name in "abc"]

    with api.watch(widgets(namespace), STREAMED) as watch:
        events, mark = _initial(watch)
        api.delete(widgets(namespace, "b"))
        live = watch.next()

    assert {event["type"] for event in events} == {"ADDED"}
    listed = sorted((event["object"] for event in events), key=lambda obj: str(obj["metadata"]["name"]))
    assert listed == created
    assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(mark["metadata"]["resourceVersion"]) >= int(created[-1]["metadata"]["resourceVersion"])
    assert (live["type"], live["object"]["metadata"]["name"]) == ("DELETED", "b")


def test_of_nothing_only_the_mark_comes(api: Api, namespace: str) -> None:
    with api.watch(widgets(namespace), STREAMED) as watch:
        events, mark = _initial(watch)

    assert events == []
    assert int(mark["metadata"]["resourceVersion"]) > 0


def test_it_waits_until_the_version_is_there(api: Api, namespace: str) -> None:
    version = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {**STREAMED, "resourceVersion": version}) as watch:
        events, mark = _initial(watch)

    assert len(events) == 1
    assert int(mark["metadata"]["resourceVersion"]) >= int(version)


def test_the_match_is_required(api: Api, namespace: str) -> None:
    with api.watch(widgets(namespace), {"sendInitialEvents": "true"}) as watch:
        status = watch.next()

    problem = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
    assert (watch.status, status["reason"]) == (422, "Invalid")
    assert status["message"] == f'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: {problem}'


def test_the_match_belongs_to_it(api: Api, namespace: str) -> None:
    with api.watch(widgets(namespace), {"resourceVersionMatch": "NotOlderThan"}) as watch:
        status = watch.next()

    problem = "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
    assert status["message"] == f'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: {problem}'


def test_a_list_knows_no_initial_events(api: Api, namespace: str) -> None:
    reply = api.get(widgets(namespace), query={"sendInitialEvents": "true"})

    problem = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
    assert reply.status == 422
    assert problem in reply.message


def test_without_initial_events_only_what_comes_is_told(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    query = {**STREAMED, "sendInitialEvents": "false"}
    with api.watch(widgets(namespace), query) as watch:
        api.create(widgets(namespace), widget("mark"))
        event = watch.next()

    assert event["object"]["metadata"]["name"] == "mark"
