"""Metadata that cannot be changed, or only within limits."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B11")
LONG_AGO = "2001-02-03T04:05:06Z"
CONFIG_MAP = 'ConfigMap "one" is invalid: '


def _held(api: Api, namespace: str) -> Any:
    """An object in the middle of its deletion."""
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), obj)
    return api.delete(widgets(namespace, "one")).ok


def test_another_creation_time_is_ignored(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok
    changed = {**obj, "metadata": {**obj["metadata"], "creationTimestamp": LONG_AGO}}

    assert api.put(widgets(namespace, "one"), changed).ok == obj


def test_nobody_can_mark_a_deletion_by_an_update(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), {"metadata": {"deletionTimestamp": LONG_AGO}})

    why = f'metadata.deletionTimestamp: Invalid value: "{LONG_AGO}": field is immutable'
    assert reply.error == (422, "Invalid", f"{CONFIG_MAP}{why}")


def test_a_mark_of_deletion_that_is_taken_away_or_moved_is_restored(api: Api, namespace: str) -> None:
    marked = _held(api, namespace)
    without = {name: value for name, value in marked["metadata"].items() if not name.startswith("deletion")}
    moved = {**marked["metadata"], "deletionTimestamp": LONG_AGO}

    for metadata in (without, moved):
        after = api.put(widgets(namespace, "one"), {**marked, "metadata": metadata}).ok

        assert after["metadata"]["deletionTimestamp"] == marked["metadata"]["deletionTimestamp"]
        assert after["metadata"]["deletionGracePeriodSeconds"] == 0


def test_the_name_cannot_be_changed(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok
    obj["metadata"]["name"] = "two"

    put = api.put(widgets(namespace, "one"), obj)
    patched = api.patch(widgets(namespace, "one"), {"metadata": {"name": "two"}})

    why = "the name of the object (two) does not match the name on the URL (one)"
    assert put.error == (400, "BadRequest", why)
    assert patched.error == (400, "BadRequest", why)


def _owner(name: str, **more: Any) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": f"uid-of-{name}", **more}


def test_there_is_at_most_one_controller(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"]["ownerReferences"] = [_owner("a", controller=True), _owner("b", controller=True)]

    reply = api.create(config_maps(namespace), obj)

    assert reply.status == 422
    assert "Only one reference can have Controller set to true" in reply.message
    assert [cause["field"] for cause in reply.causes] == ["metadata.ownerReferences"]


@pytest.mark.parametrize("missing", ["apiVersion", "kind", "name", "uid"])
def test_an_owner_is_told_completely(api: Api, namespace: str, missing: str) -> None:
    obj = config_map()
    obj["metadata"]["ownerReferences"] = [{**_owner("a"), missing: ""}]

    reply = api.create(config_maps(namespace), obj)

    assert reply.status == 422
    assert [cause["field"] for cause in reply.causes] == [f"metadata.ownerReferences.{missing}"]


def test_an_owner_that_is_told_twice_counts_once(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"]["ownerReferences"] = [_owner("a"), _owner("a")]

    reply = api.create(config_maps(namespace), obj)

    assert reply.ok["metadata"]["ownerReferences"] == [_owner("a")]
    assert len(reply.warnings) == 1
    assert "duplicate UID(s) observed: uid-of-a" in reply.warnings[0]


def test_a_finalizer_has_a_qualified_name(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"]["finalizers"] = ["hold"]

    reply = api.create(config_maps(namespace), obj)

    problem = "name is neither a standard finalizer name nor is it fully qualified"
    assert reply.error == (422, "Invalid", f'{CONFIG_MAP}metadata.finalizers[0]: Invalid value: "hold": {problem}')


def test_a_custom_resource_is_only_warned_of_a_plain_finalizer(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["hold"]

    created = api.create(widgets(namespace), obj)
    changed = api.patch(widgets(namespace, "one"), {"spec": {"size": 5}})

    advice = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
    assert created.ok["metadata"]["finalizers"] == ["hold"]
    assert created.warnings == (f'299 - "metadata.finalizers: \\"hold\\": {advice}"',)
    assert changed.warnings == ()


def test_a_finalizer_that_is_no_name_is_invalid(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["a b/c"]

    reply = api.create(widgets(namespace), obj)

    assert reply.status == 422
    assert reply.causes[0]["field"] == "metadata.finalizers"


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"labels": {"a": "b c"}}, "metadata.labels"),
        ({"labels": {"a b": "c"}}, "metadata.labels"),
        ({"annotations": {"a b": "c"}}, "metadata.annotations"),
        ({"name": "Not_a_name"}, "metadata.name"),
    ],
)
def test_labels_annotations_and_names_have_rules(api: Api, namespace: str, metadata: Any, field: str) -> None:
    obj = widget()
    obj["metadata"].update(metadata)

    reply = api.create(widgets(namespace), obj)

    assert (reply.status, reply.causes[0]["field"]) == (422, field)
