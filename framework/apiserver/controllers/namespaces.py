"""Empties namespaces that are being deleted, and lets them go when nothing is left in them."""

from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import NAMESPACES, PODS
from framework.apiserver.controllers.namespace_conditions import Remaining
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import Resource
from framework.errors import NotFound

_FINALIZER = "kubernetes"
_Revisions = dict[GroupResource, int]


class NamespaceFinalizer:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._storage = tools.storage
        self._follower = Follower(tools.storage, NAMESPACES.storage)
        self._due: DueItems[tuple[str]] = DueItems(tools.clock)
        # The namespaces that are being deleted, with the revisions of all contents when they were last looked at.
        self._terminating: dict[str, _Revisions] = {}
        self._served: tuple[Resource, ...] = ()
        self._contents: list[Resource] = []

    def step(self) -> float | None:
        if self._follower.look() is not None:
            self._find_terminating()
        if self._terminating:
            self._find_contents()
            revisions = self._revisions()
            for name, seen in self._terminating.items():
                if seen != revisions:
                    self._due.add((name,))
        return work_off(self._due, self._empty)

    def _find_terminating(self) -> None:
        known, self._terminating = self._terminating, {}
        for namespace in self._storage.list(NAMESPACES.storage):
            if "deletionTimestamp" in namespace["metadata"] and _is_held(namespace):
                name = namespace["metadata"]["name"]
                self._terminating[name] = known.get(name, {})

    def _find_contents(self) -> None:
        """One version of each resource that can be in a namespace."""
        served = self._tools.registry.all()
        if served is not self._served:
            self._served = served
            ranked = sorted(served, key=lambda one: one.api_version == one.storage_api_version)
            kinds = {one.group_resource: one for one in ranked if one.is_namespaced and "delete" in one.verbs}
            self._contents = list(kinds.values())

    def _revisions(self) -> _Revisions:
        return {one.storage: self._storage.revision_of(one.storage) for one in self._contents}

    def _empty(self, item: tuple[str]) -> None:
        (name,) = item
        namespace = self._storage.get(NAMESPACES.storage, "", name)
        if namespace is None or name not in self._terminating or not _is_held(namespace):
            return
        # Before anything is deleted: what is not gone at once deserves another look.
        self._terminating[name] = self._revisions()
        pods, others = self._delete_contents(name)
        namespace = self._tell(namespace, others)
        if not pods and not others:
            namespace["spec"]["finalizers"] = [one for one in namespace["spec"]["finalizers"] if one != _FINALIZER]
            self._tools.loopback.update(NAMESPACES, namespace, "finalize")

    def _tell(self, namespace: Object, remaining: Remaining) -> Object:
        conditions = namespace["status"].get("conditions") or []
        told = remaining.conditions(conditions, self._tools.now())
        if told == conditions:
            return namespace
        namespace["status"]["conditions"] = told
        return self._tools.loopback.update(NAMESPACES, namespace, "status")

    def _delete_contents(self, name: str) -> tuple[Remaining, Remaining]:
        """Ask for the deletion of all there is; what is left of pods, and of the rest."""
        pods, others = Remaining(), Remaining()
        for resource in self._contents:
            if resource.storage == PODS.storage:
                self._delete_all(resource, name, pods)
        # Pods may need their configuration until their end, so that everything else waits for it.
        if not pods:
            for resource in self._contents:
                if resource.storage != PODS.storage:
                    self._delete_all(resource, name, others)
        return pods, others

    def _delete_all(self, resource: Resource, namespace: str, remaining: Remaining) -> None:
        for obj in self._storage.list(resource.storage, namespace):
            if "deletionTimestamp" not in obj["metadata"]:
                self._delete(resource, obj)
        for obj in self._storage.list(resource.storage, namespace):
            remaining.add(resource.group_resource, obj["metadata"].get("finalizers") or [])

    def _delete(self, resource: Resource, obj: Object) -> None:
        try:
            self._tools.loopback.delete(resource, obj, propagation="Background")
        except NotFound:
            return


def _is_held(namespace: Object) -> bool:
    return _FINALIZER in (namespace["spec"].get("finalizers") or ())
