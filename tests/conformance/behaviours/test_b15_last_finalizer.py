"""The removal of the last finalizer is the deletion."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B15")


def _marked(api: Api, namespace: str) -> Any:
    obj = widget(size=1)
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), obj)
    return api.delete(widgets(namespace, "one")).ok


def test_watchers_see_a_single_deletion_with_the_last_stored_content(api: Api, namespace: str) -> None:
    marked = _marked(api, namespace)

    with api.watch(widgets(namespace), {"resourceVersion": marked["metadata"]["resourceVersion"]}) as watch:
        api.patch(widgets(namespace, "one"), {"metadata": {"finalizers": None}, "spec": {"size": 2}})
        mark = api.create(widgets(namespace), widget("mark")).ok
        events = watch.take(2)

    assert [event["type"] for event in events] == ["DELETED", "ADDED"]
    gone = events[0]["object"]
    assert gone["spec"] == {"size": 1, "color": "red"}
    assert gone["metadata"]["finalizers"] == ["example.com/hold"]
    versions = [obj["metadata"]["resourceVersion"] for obj in (marked, gone, mark)]
    assert versions == sorted(set(versions), key=int)


def test_the_write_answers_with_what_was_sent(api: Api, namespace: str) -> None:
    marked = _marked(api, namespace)
    sent = {**marked, "metadata": {**marked["metadata"], "finalizers": []}, "spec": {"size": 2, "color": "red"}}

    reply = api.put(widgets(namespace, "one"), sent)

    assert reply.status == 200
    assert reply.ok["spec"] == {"size": 2, "color": "red"}
    assert reply.ok["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
    assert "finalizers" not in reply.ok["metadata"]
    assert api.get(widgets(namespace, "one")).status == 404


def test_a_second_removal_does_not_find_it(api: Api, namespace: str) -> None:
    _marked(api, namespace)
    patch = {"metadata": {"finalizers": None}}
    api.patch(widgets(namespace, "one"), patch)

    reply = api.patch(widgets(namespace, "one"), patch)

    assert reply.error == (404, "NotFound", 'widgets.conformance.windlass.dev "one" not found')


def test_the_status_can_be_written_until_then(api: Api, namespace: str) -> None:
    _marked(api, namespace)

    reply = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Going"}})

    assert reply.ok["status"] == {"phase": "Going"}
