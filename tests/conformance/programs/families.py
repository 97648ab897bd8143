"""Families of objects that own each other, and what becomes of them when some are deleted."""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps

_POLICIES = ("Background", "Foreground", "Orphan")
FINALIZER = "example.com/one"


class Member(msgspec.Struct, frozen=True, omit_defaults=True):
    """*owners* are members that come earlier."""

    owners: list[int] = []
    blocks_owner: bool = False
    has_finalizer: bool = False


class Family(msgspec.Struct, frozen=True):
    members: list[Member]
    # Who is deleted and how, one after the other.
    deletions: list[tuple[int, str]]

    def __str__(self) -> str:
        return msgspec.json.encode(self).decode()


@st.composite
def families(draw: st.DrawFn) -> Family:
    ownership = [
        draw(st.lists(st.integers(0, number - 1), max_size=2, unique=True)) if number else []
        for number in range(draw(st.integers(2, 6)))
    ]
    owners = {owner for owners in ownership for owner in owners}
    blocks_owner = draw(st.booleans())
    members = []
    for number, owners_of_one in enumerate(ownership):
        # While an owner waits for its finalizer, dependents that do not block it go or stay by chance.
        may_wait = blocks_owner or number not in owners
        has_finalizer = may_wait and draw(st.sampled_from([False, False, False, True]))
        members.append(Member(owners_of_one, blocks_owner, has_finalizer))
    deleted = draw(st.lists(st.integers(0, len(members) - 1), min_size=1, max_size=2, unique=True))
    return Family(members, [(number, draw(st.sampled_from(_POLICIES))) for number in deleted])


def create(api: Api, namespace: str, surname: str, family: Family) -> None:
    uids: list[str] = []
    for number, member in enumerate(family.members):
        owners = [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": f"{surname}-{owner}",
                "uid": uids[owner],
                "blockOwnerDeletion": member.blocks_owner,
            }
            for owner in member.owners
        ]
        obj = config_map(f"{surname}-{number}")
        obj["metadata"]["ownerReferences"] = owners
        obj["metadata"]["finalizers"] = [FINALIZER] if member.has_finalizer else []
        uids.append(api.create(config_maps(namespace), obj).ok["metadata"]["uid"])


def delete(api: Api, namespace: str, surname: str, deletion: tuple[int, str]) -> None:
    number, policy = deletion
    api.delete(config_maps(namespace, f"{surname}-{number}"), {"propagationPolicy": policy})


def state(api: Api, namespace: str, surnames: Sequence[str]) -> dict[str, Any]:
    """Of each family, who is still there and how."""
    states: dict[str, Any] = {surname: {} for surname in surnames}
    for obj in api.get(config_maps(namespace)).ok["items"]:
        metadata = obj["metadata"]
        surname, _, number = metadata["name"].rpartition("-")
        if surname in states:
            states[surname][number] = {
                "owners": sorted(owner["name"] for owner in metadata.get("ownerReferences") or ()),
                "finalizers": sorted(metadata.get("finalizers") or ()),
                "is_going": "deletionTimestamp" in metadata,
            }
    return states
