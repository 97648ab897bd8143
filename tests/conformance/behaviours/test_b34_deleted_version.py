"""A deletion has a version of its own."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B34")


def test_the_event_carries_the_version_of_the_deletion(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget(size=1)).ok

    with api.watch(widgets(namespace), {"resourceVersion": obj["metadata"]["resourceVersion"]}) as watch:
        api.delete(widgets(namespace, "one"))
        after = api.create(widgets(namespace), widget("mark")).ok
        gone = watch.next()["object"]

    versions = [int(one["metadata"]["resourceVersion"]) for one in (obj, gone, after)]
    assert versions == sorted(set(versions))
    assert gone["spec"] == obj["spec"]
    assert gone["metadata"]["uid"] == obj["metadata"]["uid"]
    assert "deletionTimestamp" not in gone["metadata"]


def test_a_watch_from_that_version_does_not_tell_it_again(api: Api, namespace: str) -> None:
    obj = api.create(config_maps(namespace), config_map()).ok
    query = {"fieldSelector": "metadata.name!=kube-root-ca.crt"}
    start = {**query, "resourceVersion": obj["metadata"]["resourceVersion"]}
    with api.watch(config_maps(namespace), start) as watch:
        api.delete(config_maps(namespace, "one"))
        gone = watch.next()["object"]
    api.create(config_maps(namespace), config_map("mark"))

    with api.watch(config_maps(namespace), {**query, "resourceVersion": gone["metadata"]["resourceVersion"]}) as watch:
        assert watch.next()["object"]["metadata"]["name"] == "mark"
