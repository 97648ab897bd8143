"""Puts each pod without a node on the emptiest one that fits."""

from collections import Counter

from apis.meta import Key
from framework.apiserver.controllers.conditions import find_condition
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.kinds import NODES, PODS
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.controllers.workloads.node_fit import obstacle
from framework.apiserver.controllers.workloads.node_list import NodeList
from framework.apiserver.controllers.workloads.placements import Placements
from framework.apiserver.controllers.workloads.pods import is_active
from framework.apiserver.objects import Object
from framework.apiserver.rest.pod_conditions import set_pod_condition

_NAME = "default-scheduler"


class Scheduler:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._loopback = tools.loopback.named("kube-scheduler")
        self._nodes = NodeList(tools.storage)
        self._placements = Placements(tools.storage)
        self._due: DueItems[Key] = DueItems(tools.clock)

    def step(self) -> float | None:
        touched = self._placements.update()
        if self._nodes.update():
            touched = self._placements.waiting
        for key in touched:
            self._due.add(key)
        return work_off(self._due, self._schedule)

    def _schedule(self, key: Key) -> None:
        pod = self._tools.storage.get(PODS.storage, key.namespace, key.name)
        if pod is None or not is_active(pod) or not _is_ours(pod["spec"]):
            return
        obstacles = {name: obstacle(pod["spec"], node) for name, node in self._nodes.nodes.items()}
        fitting = [name for name, why in obstacles.items() if why is None]
        if not fitting:
            self._refuse(pod, Counter(why for why in obstacles.values() if why is not None))
            return
        node = min(fitting, key=lambda name: (self._placements.counts[name], name))
        self._bind(pod, node)

    def _bind(self, pod: Object, node: str) -> None:
        metadata = {name: pod["metadata"][name] for name in ("name", "namespace", "uid")}
        target = {"apiVersion": "v1", "kind": NODES.kind, "name": node}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
        self._loopback.create_subresource(PODS, key_of(pod), "binding", binding)
        # Until the next look at the pods, so that those of one round are spread as well.
        self._placements.counts[node] += 1

    def _refuse(self, pod: Object, obstacles: Counter[str]) -> None:
        listed = ", ".join(sorted(f"{count} node(s) {why}" for why, count in obstacles.items()))
        message = (
            f"0/{obstacles.total()} nodes are available: {listed}." if listed else "no nodes available to schedule pods"
        )
        known = find_condition(pod["status"].get("conditions"), "PodScheduled")
        if known is not None and known.get("message") == message:
            return
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
        set_pod_condition(pod, condition, self._tools.now())
        self._loopback.update(PODS, pod, "status")


def _is_ours(spec: Object) -> bool:
    return not spec.get("nodeName") and not spec.get("schedulingGates") and spec.get("schedulerName", _NAME) == _NAME
