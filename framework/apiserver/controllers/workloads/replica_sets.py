"""ReplicaSets: as many pods as they ask for."""

from typing import Any

from framework.apiserver.controllers.conditions import find_condition, set_condition
from framework.apiserver.controllers.kinds import PODS, REPLICA_SETS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import is_in_vain
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.controllers.workloads.claiming import claim
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import Readiness, is_active, is_ready, is_terminating, pod_from
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.objects import Object
from framework.errors import ApiError

# What is still missing is made at the next look, so that a large one does not keep the others waiting.
_BURST = 500
_COST = "controller.kubernetes.io/pod-deletion-cost"


class ReplicaSetController:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._pods = Children(tools.storage, PODS, REPLICA_SETS)
        self._loop = OwnerLoop(tools, REPLICA_SETS, [self._pods], self._sync)

    def step(self) -> float | None:
        return self._loop.step()

    def _sync(self, replica_set: Object) -> float | None:
        pods = claim(self._tools, replica_set, PODS, self._pods)
        active = [pod for pod in pods if is_active(pod)]
        failure: ApiError | None = None
        if not is_terminating(replica_set):
            try:
                self._scale(replica_set, active)
            except ApiError as error:
                if is_in_vain(error):
                    raise
                failure = error
        spec = replica_set["spec"]
        readiness = Readiness(active, spec.get("minReadySeconds", 0), self._tools.clock.now())
        self._write_status(replica_set, pods, readiness, failure)
        if failure is not None:
            raise failure
        return readiness.next_seconds

    def _scale(self, replica_set: Object, active: list[Object]) -> None:
        spec = replica_set["spec"]
        surplus = len(active) - spec.get("replicas", 1)
        for _ in range(min(_BURST, -surplus)):
            pod = pod_from(spec["template"], replica_set)
            self._tools.loopback.create(PODS, replica_set["metadata"]["namespace"], pod)
        if surplus > 0:
            for pod in sorted(active, key=_worth)[:surplus]:
                self._tools.loopback.delete(PODS, pod)

    def _write_status(
        self, replica_set: Object, pods: list[Object], readiness: Readiness, failure: ApiError | None
    ) -> None:
        active = [pod for pod in pods if is_active(pod)]
        labels = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
        labelled = [pod for pod in active if labels.items() <= (pod["metadata"].get("labels") or {}).items()]
        surplus = len(active) - replica_set["spec"].get("replicas", 1)
        status = {
            "replicas": len(active),
            "fullyLabeledReplicas": len(labelled),
            "readyReplicas": readiness.ready,
            "availableReplicas": readiness.available,
            "terminatingReplicas": sum(is_terminating(pod) for pod in pods),
            "observedGeneration": replica_set["metadata"]["generation"],
            "conditions": self._conditions(replica_set["status"].get("conditions") or [], surplus, failure),
        }
        write_status(self._tools, REPLICA_SETS, replica_set, status)

    def _conditions(self, known: list[Any], surplus: int, failure: ApiError | None) -> list[Any]:
        if failure is None:
            return [one for one in known if one["type"] != "ReplicaFailure"]
        conditions = [dict(one) for one in known]
        if find_condition(conditions, "ReplicaFailure") is None:
            reason = "FailedCreate" if surplus < 0 else "FailedDelete"
            condition = {
                "type": "ReplicaFailure",
                "status": "True",
                "reason": reason,
                "message": failure.status.message,
            }
            set_condition(conditions, condition, self._tools.now())
        return conditions


def _worth(pod: Object) -> tuple[Any, ...]:
    """Pods of the least worth are deleted first: those that do not run yet, and of the others the newest."""
    annotations = pod["metadata"].get("annotations") or {}
    cost = annotations.get(_COST, "0")
    ready = find_condition(pod["status"].get("conditions"), "Ready") or {}
    return (
        bool(pod["spec"].get("nodeName")),
        pod["status"].get("phase") == "Running",
        is_ready(pod),
        int(cost) if cost.lstrip("-").isdecimal() else 0,
        _descending(ready.get("lastTransitionTime") or ""),
        _descending(pod["metadata"]["creationTimestamp"]),
        pod["metadata"]["uid"],
    )


def _descending(time: str) -> tuple[int, ...]:
    return tuple(-ord(sign) for sign in time)
