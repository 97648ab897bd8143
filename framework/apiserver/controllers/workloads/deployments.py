"""Deployments: one ReplicaSet for each revision, and a rollout from the old ones to the new."""

from framework.apiserver.controllers.kinds import DEPLOYMENTS, REPLICA_SETS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import is_in_vain
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.controllers.workloads.claiming import claim
from framework.apiserver.controllers.workloads.deployment_status import DeploymentStatus
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import is_terminating
from framework.apiserver.controllers.workloads.revisions import (
    DESIRED,
    REVISION,
    Revisions,
    annotations_for_new,
    new_replica_set,
    revision_of,
    revisions_of,
    size_annotations,
)
from framework.apiserver.controllers.workloads.rolling import (
    limits_of,
    size_of,
    size_of_new,
    sizes_of_old,
    sizes_when_scaled,
)
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.objects import Object
from framework.errors import AlreadyExists, ApiError


class DeploymentController:
    """Each look takes one step; what it writes brings the next look."""

    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._replica_sets = Children(tools.storage, REPLICA_SETS, DEPLOYMENTS)
        self._loop = OwnerLoop(tools, DEPLOYMENTS, [self._replica_sets], self._sync)

    def step(self) -> float | None:
        return self._loop.step()

    def _sync(self, deployment: Object) -> float | None:
        revisions = revisions_of(deployment, claim(self._tools, deployment, REPLICA_SETS, self._replica_sets))
        if is_terminating(deployment):
            self._write(deployment, self._status(deployment, revisions))
            return None
        if revisions.new is not None and self._number(deployment, revisions):
            return None
        spec = deployment["spec"]
        if spec.get("paused") or _was_scaled(deployment, revisions):
            self._scale(deployment, revisions)
            status = self._status(deployment, revisions)
            status.tell_pause()
            self._write(deployment, status, revisions.new)
            return None
        if spec["strategy"]["type"] == "Recreate":
            return self._recreate(deployment, revisions)
        return self._roll(deployment, revisions)

    def _number(self, deployment: Object, revisions: Revisions) -> bool:
        """Whether the new ReplicaSet had to learn its revision, or what is copied from the Deployment."""
        new = revisions.new
        if new is None:
            return False
        annotations = annotations_for_new(deployment, revisions)
        min_ready = deployment["spec"].get("minReadySeconds", 0)
        if annotations == new["metadata"].get("annotations") and min_ready == new["spec"].get("minReadySeconds", 0):
            return False
        new["metadata"]["annotations"] = annotations
        new["spec"]["minReadySeconds"] = min_ready
        self._tools.loopback.update(REPLICA_SETS, new)
        return True

    def _roll(self, deployment: Object, revisions: Revisions) -> float | None:
        limits = limits_of(deployment)
        new = revisions.new
        if new is None:
            return self._create(deployment, revisions, size_of_new(limits, None, revisions.old))
        if self._resize(deployment, new, size_of_new(limits, new, revisions.old)):
            return self._tell(deployment, revisions)
        sizes = sizes_of_old(limits, new, revisions.old)
        scaled = [self._resize(deployment, one, sizes[one["metadata"]["name"]]) for one in revisions.old]
        if not any(scaled):
            self._clean_up(deployment, revisions)
        return self._tell(deployment, revisions)

    def _recreate(self, deployment: Object, revisions: Revisions) -> float | None:
        scaled = [self._resize(deployment, one, 0) for one in revisions.old]
        # The status of a ReplicaSet tells of all its pods, so that no two revisions ever run side by side.
        if any(scaled) or any(_has_pods(one) for one in revisions.old):
            return self._tell(deployment, revisions)
        replicas = limits_of(deployment).replicas
        if revisions.new is None:
            return self._create(deployment, revisions, replicas)
        if not self._resize(deployment, revisions.new, replicas):
            self._clean_up(deployment, revisions)
        return self._tell(deployment, revisions)

    def _scale(self, deployment: Object, revisions: Revisions) -> None:
        limits = limits_of(deployment)
        sizes = sizes_when_scaled(limits, revisions.new, revisions.old)
        for one in revisions.all:
            size = sizes.get(one["metadata"]["name"], size_of(one))
            self._resize(deployment, one, size, notes_goal=size > 0)

    def _create(self, deployment: Object, revisions: Revisions, replicas: int) -> float | None:
        status = self._status(deployment, revisions)
        limits = limits_of(deployment)
        annotations = {**annotations_for_new(deployment, revisions), **size_annotations(limits)}
        made = new_replica_set(deployment, annotations, replicas)
        try:
            created = self._tools.loopback.create(REPLICA_SETS, deployment["metadata"]["namespace"], made)
        except AlreadyExists:
            # Somebody else's: the next look takes another name.
            counted = deployment["status"].get("collisionCount", 0) + 1
            write_status(self._tools, DEPLOYMENTS, deployment, {**deployment["status"], "collisionCount": counted})
            return None
        except ApiError as error:
            if not is_in_vain(error):
                name = made["metadata"]["name"]
                status.tell_failed_creation(f'Failed to create new replica set "{name}": {error.status.message}')
                self._write(deployment, status)
            raise
        status.tell_creation(created["metadata"]["name"])
        self._write(deployment, status, created)
        return None

    def _resize(self, deployment: Object, replica_set: Object, size: int, *, notes_goal: bool = False) -> bool:
        """Whether *replica_set* had another size; with *notes_goal* the new goal is written down in any case."""
        annotations = replica_set["metadata"].get("annotations") or {}
        noted = {**annotations, **size_annotations(limits_of(deployment))}
        is_resized = size_of(replica_set) != size
        if is_resized or (notes_goal and noted != annotations):
            replica_set["spec"]["replicas"] = size
            replica_set["metadata"]["annotations"] = noted
            self._tools.loopback.update(REPLICA_SETS, replica_set)
        return is_resized

    def _clean_up(self, deployment: Object, revisions: Revisions) -> None:
        """Keep only so many old revisions as may be rolled back to."""
        limit = deployment["spec"].get("revisionHistoryLimit", 10)
        kept = [one for one in revisions.old if not is_terminating(one)]
        surplus = len(kept) - limit
        if surplus <= 0 or not self._status(deployment, revisions).is_complete:
            return
        for one in sorted(kept, key=revision_of)[:surplus]:
            if not size_of(one) and not _has_pods(one):
                self._tools.loopback.delete(REPLICA_SETS, one)

    def _tell(self, deployment: Object, revisions: Revisions) -> float | None:
        status = self._status(deployment, revisions)
        status.tell_pause()
        status.tell_progress()
        self._write(deployment, status, revisions.new)
        return status.seconds_to_deadline()

    def _status(self, deployment: Object, revisions: Revisions) -> DeploymentStatus:
        return DeploymentStatus(deployment, revisions, self._tools.clock.now())

    def _write(self, deployment: Object, status: DeploymentStatus, new: Object | None = None) -> None:
        """Together with the number of the revision: through the status it does not count as a change of the spec."""
        number = None if new is None else (new["metadata"].get("annotations") or {}).get(REVISION)
        annotations = deployment["metadata"].get("annotations") or {}
        is_numbered = number is None or annotations.get(REVISION) == number
        if is_numbered:
            write_status(self._tools, DEPLOYMENTS, deployment, status.document())
            return
        metadata = {**deployment["metadata"], "annotations": {**annotations, REVISION: number}}
        document = {name: value for name, value in status.document().items() if value is not None}
        self._tools.loopback.update(DEPLOYMENTS, {**deployment, "metadata": metadata, "status": document}, "status")


def _was_scaled(deployment: Object, revisions: Revisions) -> bool:
    """Whether the number of replicas is another one than the ReplicaSets were last told."""
    wanted = str(deployment["spec"].get("replicas", 1))
    told = [
        (one["metadata"].get("annotations") or {}).get(DESIRED, wanted) for one in revisions.all if size_of(one) > 0
    ]
    return any(one != wanted for one in told)


def _has_pods(replica_set: Object) -> bool:
    status = replica_set["status"]
    is_behind = status.get("observedGeneration", 0) < replica_set["metadata"].get("generation", 0)
    return is_behind or bool(status.get("replicas", 0)) or bool(status.get("terminatingReplicas", 0))
