"""Nodes without machines: there is always one, each is ready, and its lease is renewed."""

from typing import Any

from apis.meta import Key
from apis.meta.time import micro_time, time_of
from framework.apiserver.controllers.conditions import find_condition
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.kinds import LEASES, NODES
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.controllers.workloads.node_fit import is_node_ready
from framework.apiserver.controllers.workloads.node_list import NodeList
from framework.apiserver.objects import Object

DEFAULT_NODE = "windlass-node"
_LEASES = "kube-node-lease"
_NOT_READY = "node.kubernetes.io/not-ready"
_RENEW_SECONDS, _LEASE_SECONDS = 40.0, 120
_RESOURCES = {"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti"}
_WELL = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


class NodeHeartbeat:
    """A node that somebody else has declared not ready is left alone."""

    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._loopback = tools.loopback.named("kubelet")
        self._nodes = NodeList(tools.storage)
        self._due: DueItems[tuple[str]] = DueItems(tools.clock)

    def step(self) -> float | None:
        if self._nodes.update():
            for name in self._nodes.nodes or (DEFAULT_NODE,):
                self._due.add((name,))
        return work_off(self._due, self._beat)

    def _beat(self, item: tuple[str]) -> float | None:
        (name,) = item
        node = self._nodes.nodes.get(name)
        if node is None:
            if not self._nodes.nodes:
                self._loopback.create(NODES, "", _default_node())
            return None
        if find_condition((node.get("status") or {}).get("conditions"), "Ready") is None:
            self._loopback.update(NODES, {**node, "status": self._status(node)}, "status")
            return None
        if not is_node_ready(node):
            return None
        self._let_pods_in(node)
        return self._renew(node)

    def _let_pods_in(self, node: Object) -> None:
        """Take away the taint that every new node has until it is ready."""
        taints = node["spec"].get("taints") or []
        kept = [one for one in taints if one["key"] != _NOT_READY]
        if kept != taints:
            self._loopback.update(NODES, {**node, "spec": {**node["spec"], "taints": kept}})

    def _status(self, node: Object) -> dict[str, Any]:
        now = self._tools.now()
        conditions = [
            {"type": name, "status": status, "reason": reason, "message": message}
            for name, status, reason, message in _WELL
        ]
        times = {"lastHeartbeatTime": now, "lastTransitionTime": now}
        name = node["metadata"]["name"]
        made: dict[str, Any] = {
            "capacity": _RESOURCES,
            "allocatable": _RESOURCES,
            "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": _node_info(),
        }
        given = _told(node.get("status") or {})
        made["nodeInfo"].update(_told(given.pop("nodeInfo", {})))
        return {**made, **given, "conditions": [{**one, **times} for one in conditions]}

    def _renew(self, node: Object) -> float:
        """Renew the lease if it is time; in how many seconds it is time again."""
        name = node["metadata"]["name"]
        now = self._tools.clock.now()
        lease = self._tools.storage.get(LEASES.storage, _LEASES, name)
        spec = {"holderIdentity": name, "leaseDurationSeconds": _LEASE_SECONDS, "renewTime": micro_time(now)}
        if lease is None:
            owner = {"apiVersion": "v1", "kind": NODES.kind, "name": name, "uid": node["metadata"]["uid"]}
            metadata = {"name": name, "ownerReferences": [owner]}
            made = {"apiVersion": LEASES.api_version, "kind": LEASES.kind, "metadata": metadata, "spec": spec}
            self._loopback.create(LEASES, _LEASES, made)
            return _RENEW_SECONDS
        renewed = (lease.get("spec") or {}).get("renewTime")
        left = _RENEW_SECONDS - (now - time_of(renewed)).total_seconds() if renewed else 0.0
        if left > 0:
            return left
        self._loopback.merge_patch(LEASES, Key(_LEASES, name), {"spec": spec})
        return _RENEW_SECONDS


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    """What somebody has already said about the node."""
    return {name: value for name, value in fields.items() if value}


def _default_node() -> Object:
    labels = {
        "kubernetes.io/hostname": DEFAULT_NODE,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    return {"apiVersion": "v1", "kind": NODES.kind, "metadata": {"name": DEFAULT_NODE, "labels": labels}, "spec": {}}


def _node_info() -> dict[str, str]:
    names = ("machineID", "systemUUID", "bootID", "kernelVersion", "kubeProxyVersion")
    told = {"osImage": "none", "containerRuntimeVersion": "windlass://1", "kubeletVersion": "windlass"}
    return {**dict.fromkeys(names, ""), **told, "operatingSystem": "linux", "architecture": "amd64"}
