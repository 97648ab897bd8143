"""What becomes of the dependents. Owners are known by their uid."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B18")


def _owner(obj: Any, **more: Any) -> Any:
    metadata = obj["metadata"]
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": metadata["name"], "uid": metadata["uid"], **more}


def _create(api: Api, namespace: str, name: str, *owners: Any, finalizers: Any = None) -> Any:
    obj = config_map(name)
    obj["metadata"].update(ownerReferences=list(owners), finalizers=finalizers or [])
    return api.create(config_maps(namespace), obj).ok


def _is_gone(api: Api, namespace: str, name: str) -> None:
    eventually(lambda: api.get(config_maps(namespace, name)).status, lambda status: status == 404)


def _metadata(api: Api, namespace: str, name: str) -> Any:
    return api.get(config_maps(namespace, name)).ok["metadata"]


def test_in_the_background_the_owner_goes_first_and_the_whole_tree_after_it(api: Api, namespace: str) -> None:
    owner = _create(api, namespace, "owner")
    child = _create(api, namespace, "child", _owner(owner))
    _create(api, namespace, "grandchild", _owner(child))

    reply = api.delete(config_maps(namespace, "owner"), {"propagationPolicy": "Background"})

    assert reply.document["kind"] == "Status"
    assert api.get(config_maps(namespace, "owner")).status == 404
    _is_gone(api, namespace, "child")
    _is_gone(api, namespace, "grandchild")


def test_in_the_foreground_the_owner_waits_for_dependents_that_block(api: Api, namespace: str) -> None:
    owner = _create(api, namespace, "owner")
    _create(api, namespace, "child", _owner(owner, blockOwnerDeletion=True), finalizers=["example.com/hold"])

    reply = api.delete(config_maps(namespace, "owner"), {"propagationPolicy": "Foreground"})

    assert reply.status == 200
    assert reply.document["metadata"]["finalizers"] == ["foregroundDeletion"]
    eventually(lambda: _metadata(api, namespace, "child"), lambda metadata: "deletionTimestamp" in metadata)
    assert api.get(config_maps(namespace, "owner")).status == 200
    api.patch(config_maps(namespace, "child"), {"metadata": {"finalizers": None}})
    _is_gone(api, namespace, "child")
    _is_gone(api, namespace, "owner")


def test_in_the_foreground_nobody_waits_for_dependents_that_do_not_block(api: Api, namespace: str) -> None:
    owner = _create(api, namespace, "owner")
    _create(api, namespace, "child", _owner(owner), finalizers=["example.com/hold"])

    api.delete(config_maps(namespace, "owner"), {"propagationPolicy": "Foreground"})

    _is_gone(api, namespace, "owner")
    eventually(lambda: _metadata(api, namespace, "child"), lambda metadata: "deletionTimestamp" in metadata)


def test_orphans_stay_and_lose_their_owner(api: Api, namespace: str) -> None:
    owner = _create(api, namespace, "owner")
    _create(api, namespace, "child", _owner(owner))

    reply = api.delete(config_maps(namespace, "owner"), {"propagationPolicy": "Orphan"})

    assert reply.document["metadata"]["finalizers"] == ["orphan"]
    _is_gone(api, namespace, "owner")
    assert "ownerReferences" not in _metadata(api, namespace, "child")


def test_an_owner_of_the_same_name_with_another_uid_is_no_owner(api: Api, namespace: str) -> None:
    owner = _create(api, namespace, "owner")

    _create(api, namespace, "child", {**_owner(owner), "uid": "00000000-0000-4000-8000-000000000000"})

    _is_gone(api, namespace, "child")
    assert api.get(config_maps(namespace, "owner")).status == 200


def test_who_has_another_owner_stays(api: Api, namespace: str) -> None:
    first, second = _create(api, namespace, "first"), _create(api, namespace, "second")
    _create(api, namespace, "child", _owner(first), _owner(second))

    api.delete(config_maps(namespace, "first"), {"propagationPolicy": "Background"})

    metadata = eventually(
        lambda: _metadata(api, namespace, "child"), lambda metadata: len(metadata["ownerReferences"]) == 1
    )
    assert metadata["ownerReferences"] == [_owner(second)]


def test_an_owner_in_another_namespace_does_not_exist(api: Api, namespace: str) -> None:
    elsewhere = api.create(config_maps("default"), config_map(namespace)).ok

    _create(api, namespace, "child", _owner(elsewhere))

    _is_gone(api, namespace, "child")
    assert api.delete(config_maps("default", namespace)).status == 200


def test_owners_may_form_a_circle(api: Api, namespace: str) -> None:
    first = _create(api, namespace, "first")
    second = _create(api, namespace, "second", _owner(first, blockOwnerDeletion=True))
    owners = [_owner(second, blockOwnerDeletion=True)]
    api.patch(config_maps(namespace, "first"), {"metadata": {"ownerReferences": owners}}).check()

    api.delete(config_maps(namespace, "first"), {"propagationPolicy": "Foreground"})

    _is_gone(api, namespace, "first")
    _is_gone(api, namespace, "second")


def test_another_policy_is_invalid(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.delete(widgets(namespace, "one"), {"propagationPolicy": "Sideways"})

    problem = 'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"'
    assert reply.error == (
        422,
        "Invalid",
        f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: {problem}',
    )


def test_policy_and_the_older_switch_exclude_each_other(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    options = {"propagationPolicy": "Background", "orphanDependents": True}
    reply = api.delete(widgets(namespace, "one"), options)

    assert (reply.status, reply.causes[0]["field"]) == (422, "propagationPolicy")
