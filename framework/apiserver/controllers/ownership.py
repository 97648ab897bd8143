"""Who owns whom, kept up to date from the changes of every resource."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from apis.meta import Key
from framework.apiserver.controllers.following import Follower, News
from framework.apiserver.objects import GroupResource
from framework.apiserver.rest.deletion import FOREGROUND, ORPHAN
from framework.apiserver.storage import Record, Storage

_OF_COLLECTOR = frozenset({FOREGROUND, ORPHAN})


class Place(NamedTuple):
    resource: GroupResource
    key: Key


class Bond(NamedTuple):
    """All about an object that a collector goes by; as long as it is the same there is nothing new to decide."""

    uid: str
    # The uid of each owner, and whether it waits for this object.
    owners: tuple[tuple[str, bool], ...]
    is_terminating: bool
    finalizers: tuple[str, ...]


class _Reference(msgspec.Struct, rename="camel", gc=False):
    uid: str = ""
    block_owner_deletion: bool | None = None


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    uid: str = ""
    owner_references: list[_Reference] | None = None
    finalizers: list[str] | None = None
    deletion_timestamp: str | None = None


class _Object(msgspec.Struct, gc=False):
    metadata: _Metadata


_decode = msgspec.json.Decoder(_Object).decode


class Ownership:
    """An index of dependents by the uid of their owners.

    Only objects with owners, and objects in the middle of their deletion, are ever of interest.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._followers: dict[GroupResource, Follower] = {}
        # Invariant: _dependents[uid] holds exactly the places whose bond names uid as an owner.
        self._dependents: dict[str, set[Place]] = defaultdict(set)
        self._bonds: dict[Place, Bond] = {}
        # Owners in the middle of their deletion, by uid: the end of a dependent may be what they wait for.
        self._waiting: dict[str, Place] = {}
        self._touched: set[Place] = set()

    def __contains__(self, place: Place) -> bool:
        return place in self._bonds

    def follow(self, resources: Iterable[GroupResource]) -> None:
        for resource in resources:
            if resource not in self._followers:
                self._followers[resource] = Follower(self._storage, resource)

    def update(self) -> set[Place]:
        """Take in what has changed; the objects that are to be judged again."""
        has_gaps = False
        for resource, follower in self._followers.items():
            news = follower.look()
            if news is not None:
                has_gaps |= news.is_anew
                self._take(resource, news)
        if has_gaps:
            # Whoever went unseen may have been an owner of any of them.
            self._touched |= set(self._bonds)
        touched, self._touched = self._touched, set()
        return touched

    def dependents_of(self, uid: str) -> list[Place]:
        return sorted(self._dependents.get(uid, ()))

    def _take(self, resource: GroupResource, news: News) -> None:
        if news.is_anew:
            for place in [place for place in self._bonds if place.resource == resource]:
                self._forget(place)
        for record in news.records:
            self._put(Place(resource, record.key), record)
        for change in news.changes:
            place = Place(resource, change.record.key)
            if change.type == "DELETED":
                self._remove(place, change.record)
            else:
                self._put(place, change.record)

    def _put(self, place: Place, record: Record) -> None:
        bond = _bond(record)
        if bond == self._bonds.get(place):
            return
        self._forget(place)
        if bond is None:
            return
        self._bonds[place] = bond
        for uid, _ in bond.owners:
            self._dependents[uid].add(place)
        self._touched.add(place)
        if bond.is_terminating:
            self._waiting[bond.uid] = place
            self._touched |= self._dependents.get(bond.uid, set())

    def _remove(self, place: Place, record: Record) -> None:
        self._forget(place)
        self._touched.discard(place)
        self._touched |= self._dependents.get(_decode(record.raw).metadata.uid, set())

    def _forget(self, place: Place) -> None:
        bond = self._bonds.pop(place, None)
        if bond is None:
            return
        for uid, _ in bond.owners:
            self._dependents[uid].discard(place)
            if not self._dependents[uid]:
                del self._dependents[uid]
            if uid in self._waiting:
                self._touched.add(self._waiting[uid])
        self._waiting.pop(bond.uid, None)


def _bond(record: Record) -> Bond | None:
    # Most objects have neither; looking for the words is much cheaper than decoding.
    if b'"ownerReferences"' not in record.raw and b'"deletionTimestamp"' not in record.raw:
        return None
    metadata = _decode(record.raw).metadata
    owners = tuple((one.uid, bool(one.block_owner_deletion)) for one in metadata.owner_references or ())
    is_terminating = metadata.deletion_timestamp is not None
    if not owners and not is_terminating:
        return None
    finalizers = tuple(one for one in metadata.finalizers or () if one in _OF_COLLECTOR)
    return Bond(metadata.uid, owners, is_terminating, finalizers)
