"""What the garbage collectors of both servers do with less usual owners."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import config_map, config_maps, gadget, gadgets

BACKGROUND, FOREGROUND = "Background", "Foreground"
pytestmark = pytest.mark.behaviour("B18")


def owner_of(obj: Any, **more: Any) -> Any:
    metadata = obj["metadata"]
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        **more,
    }


def create(api: Api, namespace: str, name: str, *owners: Any) -> Any:
    obj = config_map(name)
    obj["metadata"]["ownerReferences"] = list(owners)
    return api.create(config_maps(namespace), obj).ok


def wait_until_gone(api: Api, path: str) -> None:
    eventually(lambda: api.get(path).status, lambda status: status == 404)


def owners_in(api: Api, path: str) -> list[str]:
    return [one["name"] for one in api.get(path).ok["metadata"].get("ownerReferences") or ()]


@pytest.mark.parametrize("policy", [BACKGROUND, FOREGROUND])
def test_a_circle_of_owners_goes_as_a_whole(api: Api, namespace: str, policy: str) -> None:
    one = create(api, namespace, "one")
    two = create(api, namespace, "two", owner_of(one, blockOwnerDeletion=True))
    back = {"metadata": {"ownerReferences": [owner_of(two, blockOwnerDeletion=True)]}}
    assert api.patch(config_maps(namespace, "one"), back).status == 200

    api.delete(config_maps(namespace, "one"), {"propagationPolicy": policy})

    wait_until_gone(api, config_maps(namespace, "one"))
    wait_until_gone(api, config_maps(namespace, "two"))


def test_a_foreground_deletion_does_not_wait_for_what_another_owner_keeps(api: Api, namespace: str) -> None:
    first, second = create(api, namespace, "first"), create(api, namespace, "second")
    references = [owner_of(one, blockOwnerDeletion=True) for one in (first, second)]
    create(api, namespace, "shared", *references)

    api.delete(config_maps(namespace, "first"), {"propagationPolicy": FOREGROUND})

    wait_until_gone(api, config_maps(namespace, "first"))
    shared = config_maps(namespace, "shared")
    eventually(lambda: owners_in(api, shared), lambda owners: owners == ["second"])


def test_an_owner_in_another_namespace_is_no_owner(api: Api, namespace: str) -> None:
    owner = create(api, namespace, "owner")

    create(api, "default", f"stray-{namespace}", owner_of(owner))

    wait_until_gone(api, config_maps("default", f"stray-{namespace}"))
    assert api.get(config_maps(namespace, "owner")).status == 200


def test_an_object_without_namespace_is_not_collected_for_an_owner_in_one(api: Api, namespace: str) -> None:
    owner = create(api, namespace, "owner")
    stray = gadget(f"stray-{namespace}")
    stray["metadata"]["ownerReferences"] = [owner_of(owner)]
    api.create(gadgets(), stray)
    create(api, namespace, "child", owner_of(owner))

    api.delete(config_maps(namespace, "owner"))

    # The collector has been there by then.
    wait_until_gone(api, config_maps(namespace, "child"))
    assert api.get(gadgets(f"stray-{namespace}")).status == 200
    api.delete(gadgets(f"stray-{namespace}"))


def test_an_owner_without_namespace_may_own_what_is_in_one(api: Api, namespace: str) -> None:
    owner = api.create(gadgets(), gadget(f"owner-{namespace}")).ok
    create(api, namespace, "child", owner_of(owner))

    api.delete(gadgets(f"owner-{namespace}"))

    wait_until_gone(api, config_maps(namespace, "child"))
