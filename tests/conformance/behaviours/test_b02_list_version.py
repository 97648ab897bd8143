"""A list has the version of its snapshot."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B2")


def test_the_version_of_a_list_moves_with_writes_of_other_kinds(api: Api, namespace: str) -> None:
    item = api.create(widgets(namespace), widget()).ok
    other = api.create(config_maps(namespace), config_map()).ok

    listed = api.get(widgets(namespace)).ok

    assert [one["metadata"]["resourceVersion"] for one in listed["items"]] == [item["metadata"]["resourceVersion"]]
    assert int(listed["metadata"]["resourceVersion"]) >= int(other["metadata"]["resourceVersion"])


def test_a_list_of_nothing_has_a_version(api: Api, namespace: str) -> None:
    listed = api.get(widgets(namespace)).ok

    assert listed["items"] == []
    assert int(listed["metadata"]["resourceVersion"]) > 0


def test_a_watch_from_the_version_of_a_list_shows_what_came_after_it(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget("before"))
    version = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]
    api.create(widgets(namespace), widget("after"))

    with api.watch(widgets(namespace), {"resourceVersion": version}) as watch:
        event = watch.next()

    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "after")
