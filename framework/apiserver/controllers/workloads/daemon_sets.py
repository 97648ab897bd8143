"""DaemonSets: one pod on each node that fits."""

from typing import Any

from framework.apiserver.controllers.kinds import DAEMON_SETS, PODS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.controllers.workloads.claiming import claim
from framework.apiserver.controllers.workloads.node_fit import obstacle
from framework.apiserver.controllers.workloads.node_list import NodeList
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import Readiness, has_ended, is_active, is_terminating, pod_from
from framework.apiserver.controllers.workloads.rolling import resolve
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.controllers.workloads.template_hash import hash_of
from framework.apiserver.objects import Object

_REVISION = "controller-revision-hash"
_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)


class DaemonSetController:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._pods = Children(tools.storage, PODS, DAEMON_SETS)
        self._nodes = NodeList(tools.storage)
        self._loop = OwnerLoop(tools, DAEMON_SETS, [self._pods], self._sync)

    def step(self) -> float | None:
        if self._nodes.update():
            self._loop.add_all()
        return self._loop.step()

    def _sync(self, daemon_set: Object) -> float | None:
        spec = daemon_set["spec"]
        revision = hash_of(spec["template"])
        wanted = _spec(spec["template"]["spec"], "")
        nodes = [name for name, node in self._nodes.nodes.items() if obstacle(wanted, node) is None]
        by_node: dict[str, list[Object]] = {}
        for pod in claim(self._tools, daemon_set, PODS, self._pods):
            by_node.setdefault(_node_of(pod), []).append(pod)
        if not is_terminating(daemon_set):
            self._manage(daemon_set, nodes, by_node, revision)
        return self._write_status(daemon_set, nodes, by_node, revision)

    def _manage(self, daemon_set: Object, nodes: list[str], by_node: dict[str, list[Object]], revision: str) -> None:
        for node in nodes:
            pods = by_node.get(node, [])
            for pod in pods:
                if has_ended(pod) and not is_terminating(pod):
                    self._tools.loopback.delete(PODS, pod)
            # One that is still on its way out makes room first.
            if not pods:
                made = _pod(daemon_set, node, revision)
                self._tools.loopback.create(PODS, daemon_set["metadata"]["namespace"], made)
            for pod in [one for one in pods if is_active(one)][1:]:
                self._tools.loopback.delete(PODS, pod)
        for node in set(by_node) - set(nodes):
            for pod in by_node[node]:
                if not is_terminating(pod):
                    self._tools.loopback.delete(PODS, pod)
        self._update(daemon_set["spec"], nodes, by_node, revision)

    def _update(self, spec: Any, nodes: list[str], by_node: dict[str, list[Object]], revision: str) -> None:
        strategy = spec.get("updateStrategy") or {}
        if strategy.get("type", "RollingUpdate") != "RollingUpdate":
            return
        allowed = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", 1)
        # Where surge is asked for nothing may be unavailable; here the old pod goes first all the same.
        left = max(1, resolve(allowed, len(nodes), rounds_up=True))
        old: list[Object] = []
        for node in nodes:
            pods = by_node.get(node, [])
            if not Readiness(pods, 0, self._tools.clock.now()).ready:
                left -= 1
            old.extend(pod for pod in pods if is_active(pod) and _revision_of(pod) != revision)
        for pod in old[: max(0, left)]:
            self._tools.loopback.delete(PODS, pod)

    def _write_status(
        self, daemon_set: Object, nodes: list[str], by_node: dict[str, list[Object]], revision: str
    ) -> float | None:
        active = [pod for node in nodes for pod in by_node.get(node, []) if is_active(pod)]
        readiness = Readiness(active, daemon_set["spec"].get("minReadySeconds", 0), self._tools.clock.now())
        misplaced = [node for node in by_node if node not in nodes and any(is_active(pod) for pod in by_node[node])]
        status = {
            "currentNumberScheduled": len(active),
            "numberMisscheduled": len(misplaced),
            "desiredNumberScheduled": len(nodes),
            "numberReady": readiness.ready,
            "observedGeneration": daemon_set["metadata"]["generation"],
            "updatedNumberScheduled": sum(_revision_of(pod) == revision for pod in active),
            "numberAvailable": readiness.available,
            "numberUnavailable": len(nodes) - readiness.available,
            "conditions": daemon_set["status"].get("conditions"),
        }
        write_status(self._tools, DAEMON_SETS, daemon_set, status)
        return readiness.next_seconds


def _revision_of(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(_REVISION, ""))


def _node_of(pod: Object) -> str:
    """The node that a pod is on, or is meant for."""
    if node := pod["spec"].get("nodeName"):
        return str(node)
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            return str(field["values"][0])
    return ""


def _pod(daemon_set: Object, node: str, revision: str) -> Object:
    generation = str(daemon_set["metadata"]["generation"])
    labels = {_REVISION: revision, "pod-template-generation": generation}
    pod = pod_from(daemon_set["spec"]["template"], daemon_set, labels=labels)
    pod["spec"] = _spec(pod["spec"], node)
    return pod


def _spec(spec: Any, node: str) -> Any:
    """The spec of a pod for *node*: meant for it alone, and not kept out by what a daemon is there for."""
    tolerations = [
        {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect} for name, effect in _TOLERATED
    ]
    if spec.get("hostNetwork"):
        unavailable = {"key": "node.kubernetes.io/network-unavailable", "operator": "Exists", "effect": "NoSchedule"}
        tolerations.append(unavailable)
    made = {**spec, "tolerations": [*(spec.get("tolerations") or ()), *tolerations]}
    if node:
        affinity = spec.get("affinity") or {}
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        here = {**(affinity.get("nodeAffinity") or {}), "requiredDuringSchedulingIgnoredDuringExecution": required}
        made["affinity"] = {**affinity, "nodeAffinity": here}
    return made
