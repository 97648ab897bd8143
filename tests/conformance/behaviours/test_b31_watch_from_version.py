"""From a version on, a watch shows everything, once, in order."""

from collections.abc import Callable
from typing import Any

import pytest

from framework.runtime import ThreadRuntime
from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B31")
WIDGETS_OF_ALL_NAMESPACES = "/apis/conformance.windlass.dev/v1/widgets"


def _version(obj: Any) -> str:
    return str(obj["metadata"]["resourceVersion"])


def _now(api: Api, namespace: str) -> str:
    return _version(api.get(widgets(namespace)).ok)


def test_every_write_is_one_event_with_the_object_as_it_was_answered(api: Api, namespace: str) -> None:
    start = _now(api, namespace)
    path = widgets(namespace, "one")
    written = [
        api.create(widgets(namespace), widget(size=1)).ok,
        api.patch(path, {"spec": {"size": 2}}).ok,
        api.patch(f"{path}/status", {"status": {"phase": "Ready"}}).ok,
        api.apply(path, widget(replicas=1), "me").ok,
    ]
    api.delete(path)

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        events = watch.take(5)

    assert [event["type"] for event in events] == ["ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]
    assert [event["object"] for event in events[:4]] == written


def test_a_watch_can_go_on_behind_each_event(api: Api, namespace: str) -> None:
    start = _now(api, namespace)
    for name in "abcd":
        api.create(widgets(namespace), widget(name))
    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        events = watch.take(4)

    for position, event in enumerate(events[:3]):
        with api.watch(widgets(namespace), {"resourceVersion": _version(event["object"])}) as watch:
            assert watch.take(3 - position) == events[position + 1 :]


def test_a_deletion_between_list_and_watch_is_told(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    listed = _now(api, namespace)
    api.delete(widgets(namespace, "one"))

    with api.watch(widgets(namespace), {"resourceVersion": listed}) as watch:
        event = watch.next()

    assert (event["type"], event["object"]["metadata"]["name"]) == ("DELETED", "one")


def test_the_version_may_be_that_of_another_kind(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget("before"))
    version = _version(api.create(config_maps(namespace), config_map()).ok)
    api.create(widgets(namespace), widget("after"))

    with api.watch(widgets(namespace), {"resourceVersion": version}) as watch:
        assert watch.next()["object"]["metadata"]["name"] == "after"


def _writer(api: Api, namespace: str, letter: str) -> Callable[[], None]:
    def write() -> None:
        own = api.again()
        for number in range(25):
            own.create(widgets(namespace), widget(f"{letter}{number}")).check()
            if number % 2:
                own.delete(widgets(namespace, f"{letter}{number}")).check()
        own.close()

    return write


def test_nothing_is_lost_or_told_twice_while_many_write(api: Api, namespace: str) -> None:
    start = _now(api, namespace)

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        tasks = [ThreadRuntime().spawn(f"writer-{one}", _writer(api, namespace, one)) for one in "abcd"]
        for task in tasks:
            task.join(30)
        events = watch.take(4 * (25 + 12))

    versions = [int(_version(event["object"])) for event in events]
    assert versions == sorted(set(versions))
    told = {(event["type"], event["object"]["metadata"]["name"]) for event in events}
    assert len(told) == len(events)


def test_a_watch_of_a_namespace_ends_at_it_and_one_of_all_does_not(api: Api, namespace: str) -> None:
    other = f"{namespace}-b"
    api.create("/api/v1/namespaces", {"metadata": {"name": other}})
    start = _now(api, namespace)
    api.create(widgets(other), widget("there"))
    api.create(widgets(namespace), widget("here"))

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        assert watch.next()["object"]["metadata"]["name"] == "here"
    with api.watch(WIDGETS_OF_ALL_NAMESPACES, {"resourceVersion": start}) as watch:
        assert [event["object"]["metadata"]["name"] for event in watch.take(2)] == ["there", "here"]


def test_one_object_can_be_watched_by_its_name_as_a_field(api: Api, namespace: str) -> None:
    start = _now(api, namespace)
    for name in "ab":
        api.create(widgets(namespace), widget(name))

    with api.watch(widgets(namespace), {"resourceVersion": start, "fieldSelector": "metadata.name=b"}) as watch:
        assert watch.next()["object"]["metadata"]["name"] == "b"


def test_a_watch_at_the_path_of_an_object_is_a_read(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok

    assert api.get(widgets(namespace, "one"), query={"watch": "true"}).ok == obj


def test_events_of_built_in_kinds_tell_their_type(api: Api, namespace: str) -> None:
    start = _version(api.get(config_maps(namespace)).ok)
    obj = api.create(config_maps(namespace), config_map()).ok

    query = {"resourceVersion": start, "fieldSelector": "metadata.name=one"}
    with api.watch(config_maps(namespace), query) as watch:
        assert watch.next() == {"type": "ADDED", "object": obj}
