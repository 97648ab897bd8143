"""Deletes objects whose owners, known by uid, are gone; carries out foreground and orphaning deletions."""

from typing import Any, NamedTuple

from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.ownership import Ownership, Place
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.deletion import FOREGROUND, ORPHAN


class _Owners(NamedTuple):
    """The references of one object, by what is known of their owners."""

    solid: list[Any]
    waiting: list[Any]
    dangling: list[Any]


class GarbageCollector:
    def __init__(self, tools: ControllerTools) -> None:
        self._storage = tools.storage
        self._registry = tools.registry
        self._loopback = tools.loopback
        self._ownership = Ownership(tools.storage)
        self._due: DueItems[Place] = DueItems(tools.clock)
        # Objects with an owner of a kind that is not served: nothing is known until it is.
        self._undecided: set[Place] = set()
        self._served: tuple[Resource, ...] = ()
        self._by_storage: dict[Any, Resource] = {}
        self._by_kind: dict[tuple[str, str], Resource] = {}

    def step(self) -> float | None:
        self._follow_definitions()
        if touched := self._ownership.update():
            self._undecided = {place for place in self._undecided if place in self._ownership}
            for place in touched:
                self._due.add(place)
        return work_off(self._due, self._look_at)

    def _follow_definitions(self) -> None:
        served = self._registry.all()
        if served is self._served:
            return
        self._served = served
        self._by_kind = {(one.api_version, one.kind): one for one in served}
        # Of several versions the stored one, which needs no conversion.
        ranked = sorted(served, key=lambda one: one.api_version == one.storage_api_version)
        self._by_storage = {one.storage: one for one in ranked if "delete" in one.verbs}
        self._ownership.follow(self._by_storage)
        for place in self._undecided:
            self._due.add(place)
        self._undecided = set()

    def _look_at(self, place: Place) -> None:
        found = self._read(place)
        if found is None:
            return
        resource, obj = found
        if "deletionTimestamp" not in obj["metadata"]:
            self._judge(place, resource, obj)
            return
        finalizers = obj["metadata"].get("finalizers") or ()
        if ORPHAN in finalizers:
            self._orphan(resource, obj)
        elif FOREGROUND in finalizers:
            self._delete_in_foreground(resource, obj)

    def _orphan(self, resource: Resource, owner: Object) -> None:
        for _, one, dependent in self._dependents(owner):
            self._remove_owners(one, dependent, {owner["metadata"]["uid"]})
        self._remove_finalizer(resource, owner, ORPHAN)

    def _delete_in_foreground(self, resource: Resource, owner: Object) -> None:
        for place, one, dependent in self._dependents(owner):
            if "deletionTimestamp" not in dependent["metadata"]:
                self._judge(place, one, dependent)
        # What has gone at once does not hold its owner any more.
        uid = owner["metadata"]["uid"]
        if not any(_blocks(dependent, uid) for _, _, dependent in self._dependents(owner)):
            self._remove_finalizer(resource, owner, FOREGROUND)

    def _judge(self, place: Place, resource: Resource, obj: Object) -> None:
        references = obj["metadata"].get("ownerReferences") or []
        owners = self._sort(resource, obj, references)
        if owners is None:
            self._undecided.add(place)
        elif owners.solid:
            if gone := {one["uid"] for one in (*owners.waiting, *owners.dangling)}:
                self._remove_owners(resource, obj, gone)
        elif owners.waiting and (dependents := self._dependents(obj)):
            # An owner deleted in the foreground waits for the whole tree below it.
            if any(_waits_for_dependents(dependent) for _, _, dependent in dependents):
                obj = self._unblock_owners(resource, obj)
            self._loopback.delete(resource, obj, propagation="Foreground", only_unchanged=True)
        elif references:
            self._loopback.delete(resource, obj, propagation=_policy(obj), only_unchanged=True)

    def _sort(self, resource: Resource, obj: Object, references: list[Any]) -> _Owners | None:
        """None if nothing can be said, because an owner is of an unknown kind or cannot be an owner of this object."""
        owners = _Owners([], [], [])
        for reference in references:
            kind = self._by_kind.get((reference.get("apiVersion", ""), reference.get("kind", "")))
            if kind is None or (kind.is_namespaced and not resource.is_namespaced):
                return None
            namespace = obj["metadata"].get("namespace", "") if kind.is_namespaced else ""
            owner = self._storage.get(kind.storage, namespace, reference.get("name", ""))
            if owner is None or owner["metadata"]["uid"] != reference.get("uid"):
                owners.dangling.append(reference)
            elif _waits_for_dependents(owner):
                owners.waiting.append(reference)
            else:
                owners.solid.append(reference)
        return owners

    def _dependents(self, owner: Object) -> list[tuple[Place, Resource, Object]]:
        """As they are stored now."""
        uid = owner["metadata"]["uid"]
        found = [(place, self._read(place)) for place in self._ownership.dependents_of(uid)]
        return [(place, *one) for place, one in found if one is not None and _is_owned(one[1], uid)]

    def _read(self, place: Place) -> tuple[Resource, Object] | None:
        resource = self._by_storage.get(place.resource)
        record = self._storage.table(place.resource).get(place.key)
        return None if resource is None or record is None else (resource, record.decode())

    def _remove_owners(self, resource: Resource, obj: Object, gone: set[str]) -> None:
        kept = [one for one in obj["metadata"].get("ownerReferences") or () if one.get("uid") not in gone]
        self._patch(resource, obj, {"ownerReferences": kept or None})

    def _unblock_owners(self, resource: Resource, obj: Object) -> Object:
        """In a circle everybody would wait for everybody."""
        references = [{**one, "blockOwnerDeletion": False} for one in obj["metadata"]["ownerReferences"]]
        return self._patch(resource, obj, {"ownerReferences": references})

    def _remove_finalizer(self, resource: Resource, obj: Object, finalizer: str) -> None:
        kept = [one for one in obj["metadata"].get("finalizers") or () if one != finalizer]
        self._patch(resource, obj, {"finalizers": kept or None})

    def _patch(self, resource: Resource, obj: Object, metadata: dict[str, Any]) -> Object:
        seen = {name: obj["metadata"][name] for name in ("uid", "resourceVersion")}
        return self._loopback.merge_patch(resource, key_of(obj), {"metadata": {**seen, **metadata}})


def _policy(obj: Object) -> str:
    finalizers = obj["metadata"].get("finalizers") or ()
    if ORPHAN in finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in finalizers else "Background"


def _waits_for_dependents(owner: Object) -> bool:
    metadata = owner["metadata"]
    return "deletionTimestamp" in metadata and FOREGROUND in (metadata.get("finalizers") or ())


def _is_owned(dependent: Object, uid: str) -> bool:
    return any(one.get("uid") == uid for one in dependent["metadata"].get("ownerReferences") or ())


def _blocks(dependent: Object, uid: str) -> bool:
    references = dependent["metadata"].get("ownerReferences") or ()
    return any(one.get("uid") == uid and one.get("blockOwnerDeletion") for one in references)
