"""Kubelets without machines: containers start at once, those of Jobs end well, and all end when they are told to."""

from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import PODS
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.controllers.workloads import pod_status
from framework.apiserver.controllers.workloads.node_fit import is_node_ready
from framework.apiserver.controllers.workloads.node_list import NodeList
from framework.apiserver.controllers.workloads.pod_addresses import PodAddresses
from framework.apiserver.controllers.workloads.pods import has_ended, is_terminating
from framework.apiserver.objects import Object


class _Status(msgspec.Struct, rename="camel", gc=False):
    pod_i_p: str = msgspec.field(name="podIP", default="")


class _Pod(msgspec.Struct, gc=False):
    status: _Status = msgspec.field(default_factory=_Status)


_decode = msgspec.json.Decoder(_Pod).decode


class Kubelet:
    """All kubelets in one. Acts for pods on nodes that exist and are ready."""

    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._loopback = tools.loopback.named("kubelet")
        self._pods = Follower(tools.storage, PODS.storage)
        self._nodes = NodeList(tools.storage)
        self._ready: frozenset[str] = frozenset()
        self._addresses = PodAddresses()
        self._due: DueItems[Key] = DueItems(tools.clock)

    def step(self) -> float | None:
        self._follow_pods()
        if self._nodes.update():
            ready = frozenset(name for name, node in self._nodes.nodes.items() if is_node_ready(node))
            if ready != self._ready:
                self._ready = ready
                self._add_all()
        return work_off(self._due, self._sync)

    def _follow_pods(self) -> None:
        news = self._pods.look()
        if news is None:
            return
        if news.is_anew:
            self._addresses = PodAddresses()
        for record in news.records:
            self._addresses.note(record.key, _decode(record.raw).status.pod_i_p)
            self._due.add(record.key)
        for change in news.changes:
            key = change.record.key
            is_gone = change.type == "DELETED"
            self._addresses.note(key, "" if is_gone else _decode(change.record.raw).status.pod_i_p)
            if not is_gone:
                self._due.add(key)

    def _add_all(self) -> None:
        with self._tools.storage.lock:
            for record in self._tools.storage.table(PODS.storage).records():
                self._due.add(record.key)

    def _sync(self, key: Key) -> None:
        pod = self._tools.storage.get(PODS.storage, key.namespace, key.name)
        if pod is None:
            return
        node_name = pod["spec"].get("nodeName", "")
        node = self._nodes.nodes.get(node_name)
        if is_terminating(pod):
            # Nobody else will ever confirm the end of a pod whose node is gone.
            if node is None or node_name in self._ready:
                self._end(pod)
        elif node is not None and node_name in self._ready and not has_ended(pod):
            self._run(pod, node)

    def _run(self, pod: Object, node: Object) -> None:
        now, status = self._tools.now(), pod["status"]
        if _is_of_job(pod) and status.get("phase") == "Running":
            self._write(pod, pod_status.ended(pod, "Succeeded", now))
            return
        host_ip = _address_of(node)
        pod_ip = host_ip if pod["spec"].get("hostNetwork") else status.get("podIP") or self._addresses.take(key_of(pod))
        self._write(pod, pod_status.running(pod, host_ip, pod_ip, now))

    def _end(self, pod: Object) -> None:
        if not has_ended(pod) and pod["metadata"].get("finalizers"):
            # Whoever holds the pod back wants to know how it ended.
            pod = self._write(pod, pod_status.ended(pod, "Failed", self._tools.now()))
        if pod["metadata"].get("deletionGracePeriodSeconds"):
            self._loopback.delete(PODS, pod, grace_seconds=0)

    def _write(self, pod: Object, status: dict[str, Any]) -> Object:
        if status == pod["status"]:
            return pod
        return self._loopback.update(PODS, {**pod, "status": status}, "status")


def _is_of_job(pod: Object) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["kind"] == "Job" for owner in owners)


def _address_of(node: Object) -> str:
    addresses = (node.get("status") or {}).get("addresses") or ()
    return next((str(one["address"]) for one in addresses if one["type"] == "InternalIP"), "")
