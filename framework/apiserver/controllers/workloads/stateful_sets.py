"""StatefulSets: pods with numbers, begun in order and replaced from the last to the first.

There are neither volume claims nor ControllerRevisions here: pods get the volumes of their claims by name, and one that
has to be made again below the partition of an update gets the new template.
"""

from typing import Any

from framework.apiserver.controllers.kinds import PODS, STATEFUL_SETS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.controllers.workloads.claiming import claim
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import Readiness, has_ended, is_active, is_terminating, pod_from
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.controllers.workloads.template_hash import hash_of
from framework.apiserver.objects import Object

_REVISION = "controller-revision-hash"
_POD_NAME, _POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


class StatefulSetController:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._pods = Children(tools.storage, PODS, STATEFUL_SETS)
        self._loop = OwnerLoop(tools, STATEFUL_SETS, [self._pods], self._sync)

    def step(self) -> float | None:
        return self._loop.step()

    def _sync(self, stateful_set: Object) -> float | None:
        spec = stateful_set["spec"]
        revision = f"{stateful_set['metadata']['name']}-{hash_of(spec['template'])}"
        pods = claim(self._tools, stateful_set, PODS, self._pods)
        if not is_terminating(stateful_set):
            self._manage(stateful_set, {_ordinal(stateful_set, pod): pod for pod in pods}, revision)
        readiness = Readiness(
            [pod for pod in pods if is_active(pod)], spec.get("minReadySeconds", 0), self._tools.clock.now()
        )
        self._write_status(stateful_set, pods, readiness, revision)
        return readiness.next_seconds

    def _manage(self, stateful_set: Object, pods: dict[int, Object], revision: str) -> None:
        """One step: make what is missing, then remove what is too much, then replace what is old."""
        spec = stateful_set["spec"]
        start = (spec.get("ordinals") or {}).get("start", 0)
        wanted = range(start, start + spec.get("replicas", 1))
        is_parallel = spec.get("podManagementPolicy") == "Parallel"
        for ordinal in wanted:
            if not self._is_up(stateful_set, pods.get(ordinal), ordinal, revision) and not is_parallel:
                return
        for ordinal in sorted(set(pods) - set(wanted), reverse=True):
            if not is_terminating(pods[ordinal]):
                self._tools.loopback.delete(PODS, pods[ordinal])
            if not is_parallel:
                return
        self._update(spec, [(ordinal, pods[ordinal]) for ordinal in wanted if ordinal in pods], revision)

    def _is_up(self, stateful_set: Object, pod: Object | None, ordinal: int, revision: str) -> bool:
        """Whether the pod is there and available; begins it if it is not there, and removes it if it has ended."""
        if pod is None:
            made = _pod(stateful_set, ordinal, revision)
            self._tools.loopback.create(PODS, stateful_set["metadata"]["namespace"], made)
            return False
        if has_ended(pod) and not is_terminating(pod):
            self._tools.loopback.delete(PODS, pod)
        min_ready = stateful_set["spec"].get("minReadySeconds", 0)
        return is_active(pod) and Readiness([pod], min_ready, self._tools.clock.now()).available == 1

    def _update(self, spec: Any, pods: list[tuple[int, Object]], revision: str) -> None:
        strategy = spec.get("updateStrategy") or {}
        if strategy.get("type", "RollingUpdate") != "RollingUpdate":
            return
        partition = (strategy.get("rollingUpdate") or {}).get("partition", 0)
        for ordinal, pod in reversed(pods):
            if ordinal < partition:
                return
            if _revision_of(pod) != revision and not is_terminating(pod):
                self._tools.loopback.delete(PODS, pod)
                return
            if not is_active(pod) or not Readiness([pod], 0, self._tools.clock.now()).ready:
                return

    def _write_status(self, stateful_set: Object, pods: list[Object], readiness: Readiness, revision: str) -> None:
        old, count = stateful_set["status"], len(pods)
        updated = sum(_revision_of(pod) == revision and not is_terminating(pod) for pod in pods)
        current = old.get("currentRevision") or revision
        is_through = updated == count == stateful_set["spec"].get("replicas", 1) == readiness.ready
        if is_through:
            current = revision
        status = {
            "observedGeneration": stateful_set["metadata"]["generation"],
            "replicas": count,
            "readyReplicas": readiness.ready,
            "availableReplicas": readiness.available,
            "currentReplicas": updated if current == revision else count - updated,
            "updatedReplicas": updated,
            "currentRevision": current,
            "updateRevision": revision,
            "collisionCount": 0,
            "conditions": old.get("conditions"),
        }
        write_status(self._tools, STATEFUL_SETS, stateful_set, status)


def _ordinal(stateful_set: Object, pod: Object) -> int:
    number = pod["metadata"]["name"].removeprefix(f"{stateful_set['metadata']['name']}-")
    return int(number) if number.isdecimal() else -1


def _revision_of(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(_REVISION, ""))


def _pod(stateful_set: Object, ordinal: int, revision: str) -> Object:
    spec = stateful_set["spec"]
    name = f"{stateful_set['metadata']['name']}-{ordinal}"
    labels = {_REVISION: revision, _POD_NAME: name, _POD_INDEX: str(ordinal)}
    pod = pod_from(spec["template"], stateful_set, name=name, labels=labels)
    del pod["metadata"]["generateName"]
    pod["spec"].update(hostname=name, subdomain=spec.get("serviceName", ""))
    claims = [claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates") or ()]
    volumes = [one for one in pod["spec"].get("volumes") or () if one["name"] not in claims]
    made = [{"name": one, "persistentVolumeClaim": {"claimName": f"{one}-{name}"}} for one in claims]
    if volumes or made:
        pod["spec"]["volumes"] = [*volumes, *made]
    return pod
