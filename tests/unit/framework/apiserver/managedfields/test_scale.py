"""Writes to the scale subresource, as the entries of the object behind it tell them."""

from typing import Any

import pytest

from framework.apiserver.managedfields import ScaleFieldManager
from framework.apiserver.objects import Object
from framework.errors import Conflict, ServerError
from tests.unit.framework.apiserver.managedfields.things import FIRST, SECOND, V1, a_thing, entry

_REPLICAS: Object = {"f:spec": {"f:replicas": {}}}


def a_live_thing() -> Object:
    owned: Object = {"f:spec": {"f:name": {}, "f:replicas": {}}}
    return a_thing({"replicas": 1, "name": "n"}, managedFields=[entry("creator", "Update", FIRST, owned)])


def a_scale(replicas: int) -> Object:
    scale: dict[str, Any] = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "it"}}
    return {**scale, "spec": {"replicas": replicas}}


def a_scale_manager() -> ScaleFieldManager:
    return ScaleFieldManager(api_version=V1, replicas={V1: ("spec", "replicas")})


def test_who_scales_takes_the_replicas_and_has_no_time() -> None:
    entries = a_scale_manager().update(a_live_thing(), a_scale(1), a_scale(2), "scaler", SECOND)

    assert entries == [
        entry("scaler", "Update", None, _REPLICAS, "scale"),
        entry("creator", "Update", FIRST, {"f:spec": {"f:name": {}}}),
    ]


def test_nobody_owns_no_replicas() -> None:
    entries = a_scale_manager().update(a_live_thing(), a_scale(1), a_scale(0), "scaler", SECOND)

    assert entries == [entry("creator", "Update", FIRST, {"f:spec": {"f:name": {}}})]


def test_another_number_than_another_manager_applies_is_a_conflict() -> None:
    with pytest.raises(Conflict, match='conflict with "creator" using autoscaling/v1'):
        a_scale_manager().apply(a_live_thing(), a_scale(1), a_scale(2), "applier", SECOND, force=False)


def test_a_forced_apply_takes_the_replicas() -> None:
    scale, entries = a_scale_manager().apply(a_live_thing(), a_scale(1), a_scale(2), "applier", SECOND, force=True)

    assert scale == a_scale(2)
    assert entries == [
        entry("applier", "Apply", None, _REPLICAS, "scale"),
        entry("creator", "Update", FIRST, {"f:spec": {"f:name": {}}}),
    ]


def test_entries_at_unknown_versions_are_dropped() -> None:
    manager = ScaleFieldManager(api_version="test/v9", replicas={"test/v9": ("spec", "replicas")})

    entries = manager.update(a_live_thing(), a_scale(1), a_scale(2), "scaler", SECOND)

    assert entries == []


def test_the_scale_of_a_custom_resource_cannot_be_changed_by_an_apply() -> None:
    manager = ScaleFieldManager(api_version=V1, replicas={V1: ("spec", "replicas")}, is_custom=True)

    manager.apply(a_live_thing(), a_scale(1), a_scale(1), "applier", SECOND, force=True)
    with pytest.raises(ServerError, match="request to convert CR to an invalid group/version: autoscaling/v1"):
        manager.apply(a_live_thing(), a_scale(1), a_scale(2), "applier", SECOND, force=True)
