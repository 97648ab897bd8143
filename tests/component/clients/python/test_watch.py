"""watch.Watch, and what is built on it."""

import itertools
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException

from tests.component.clients.package import watch
from tests.component.clients.python.conftest import GROUP, VERSION, WIDGETS, a_config_map, a_widget


def test_watch_begins_with_what_is_there_and_goes_on_with_changes(core: Any, namespace: str) -> None:
    core.create_namespaced_config_map(namespace, a_config_map("one", color="red"))

    seen = []
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, namespace, label_selector="app=sample", timeout_seconds=20
    )
    for event in stream:
        seen.append((event["type"], event["object"].metadata.name, event["object"].data))
        if event["type"] == "ADDED":
            core.patch_namespaced_config_map("one", namespace, {"data": {"color": "blue"}})
        elif event["type"] == "MODIFIED":
            core.delete_namespaced_config_map("one", namespace)
        else:
            break

    assert seen == [
        ("ADDED", "one", {"color": "red"}),
        ("MODIFIED", "one", {"color": "blue"}),
        ("DELETED", "one", {"color": "blue"}),
    ]


def test_watch_from_a_version_sees_what_came_after_it(custom: Any, namespace: str) -> None:
    where = (GROUP, VERSION, namespace, WIDGETS)
    custom.create_namespaced_custom_object(*where, a_widget("before"))
    version = custom.list_namespaced_custom_object(*where)["metadata"]["resourceVersion"]
    custom.create_namespaced_custom_object(*where, a_widget("after"))

    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object, *where, resource_version=version, timeout_seconds=20
    )

    (event,) = itertools.islice(stream, 1)
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "after")


def test_watch_ends_after_the_time_it_asked_for(core: Any, namespace: str) -> None:
    stream = watch.Watch().stream(core.list_namespaced_secret, namespace, label_selector="a=b", timeout_seconds=1)

    assert list(stream) == []


def test_watch_from_a_version_that_is_none_is_refused(core: Any, namespace: str) -> None:
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, namespace, resource_version="not-a-version", timeout_seconds=5
    )

    with pytest.raises(ApiException, match="Invalid value"):
        next(stream)
