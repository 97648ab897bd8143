"""Deletes the instances of definitions that are being deleted, and then lets the definitions go."""

from framework.apiserver.controllers.conditions import is_true, set_condition
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import DEFINITIONS
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.definitions.cleanup import CLEANUP_FINALIZER
from framework.apiserver.objects import GroupResource, Object
from framework.errors import NotFound


class DefinitionFinalizer:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._storage = tools.storage
        self._follower = Follower(tools.storage, DEFINITIONS.storage)
        self._due: DueItems[tuple[str]] = DueItems(tools.clock)
        # Definitions that are being deleted, with their instances and the revision of these at the last look.
        self._terminating: dict[str, tuple[GroupResource, int]] = {}

    def step(self) -> float | None:
        if self._follower.look() is not None:
            self._find_terminating()
        for name, (instances, seen) in self._terminating.items():
            if self._storage.revision_of(instances) != seen:
                self._due.add((name,))
        return work_off(self._due, self._finalize)

    def _find_terminating(self) -> None:
        known, self._terminating = self._terminating, {}
        for crd in self._storage.list(DEFINITIONS.storage):
            if "deletionTimestamp" in crd["metadata"] and _is_held(crd):
                name = crd["metadata"]["name"]
                self._terminating[name] = known.get(name, (_instances(crd), -1))

    def _finalize(self, item: tuple[str]) -> None:
        (name,) = item
        crd = self._storage.get(DEFINITIONS.storage, "", name)
        if crd is None or name not in self._terminating or not _is_held(crd):
            return
        instances = _instances(crd)
        self._terminating[name] = (instances, self._storage.revision_of(instances))
        crd = self._tell(crd, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        if not is_true(crd["status"]["conditions"], "Established"):
            self._release(self._tell(crd, "False", "NeverEstablished", "resource was never established"))
            return
        self._delete_instances(instances)
        if not self._storage.list(instances):
            self._release(self._tell(crd, "False", "InstanceDeletionCompleted", "removed all instances"))

    def _delete_instances(self, instances: GroupResource) -> None:
        resource = next((one for one in self._tools.registry.all() if one.storage == instances), None)
        for instance in self._storage.list(instances):
            if "deletionTimestamp" in instance["metadata"]:
                continue
            if resource is None:
                self._delete_unserved(instances, instance)
                continue
            try:
                self._tools.loopback.delete(resource, instance)
            except NotFound:
                continue

    def _delete_unserved(self, instances: GroupResource, instance: Object) -> None:
        """Of a definition none of whose versions is served: no request can reach it, and no finalizer be removed."""
        record = self._storage.table(instances).get(key_of(instance))
        if record is not None:
            self._storage.delete(instances, record.key, record)

    def _tell(self, crd: Object, status: str, reason: str, message: str) -> Object:
        conditions = [dict(one) for one in crd["status"]["conditions"]]
        condition = {"type": "Terminating", "status": status, "reason": reason, "message": message}
        set_condition(conditions, condition, self._tools.now())
        if conditions == crd["status"]["conditions"]:
            return crd
        crd["status"]["conditions"] = conditions
        return self._tools.loopback.update(DEFINITIONS, crd, "status")

    def _release(self, crd: Object) -> None:
        metadata = crd["metadata"]
        metadata["finalizers"] = [one for one in metadata["finalizers"] if one != CLEANUP_FINALIZER]
        self._tools.loopback.update(DEFINITIONS, crd)
        # Now, and not when the next request comes: watches of the instances end.
        self._tools.registry.refresh()


def _is_held(crd: Object) -> bool:
    return CLEANUP_FINALIZER in (crd["metadata"].get("finalizers") or ())


def _instances(crd: Object) -> GroupResource:
    return GroupResource(crd["spec"]["group"], crd["spec"]["names"]["plural"])
