"""A kubelet for tests: it runs the pods of build Jobs on this machine, and says of all others that they are ready.

It is a controller of Pods made with the framework, so that it sees a pod the moment it is there, and tries again what
did not go well.
"""

import threading  # noqa: TID251 - a switch between a test and a reconciler
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from prometheus_client import CollectorRegistry

from apis.core.v1 import Pod
from apis.meta import Request
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Primary
from framework.errors import Conflict, NotFound
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from tests.cluster import Cluster
from tests.integration.workers_e2e.containers import Ended, PodFolder

WORKERD = "/usr/local/bin/workerd"
_LONGEST_PAUSE_SECONDS = 120.0
_AT_ONCE = 2


class Kubelet:
    """*folder* is where pods are run; *workerd* is what their image has at its usual place."""

    def __init__(self, cluster: Cluster, namespace: str, folder: Path, workerd: Path) -> None:
        clock = SystemClock()
        self._client = connect(from_kubeconfig(str(cluster.kubeconfig), clock=clock))
        self._namespace, self._folder, self._programs = namespace, folder, {WORKERD: workerd}
        self._manager = Manager(
            self._client,
            clock=clock,
            registry=CollectorRegistry(),
            options=ManagerOptions(namespaces=(namespace,), identity="test-kubelet"),
        )
        self._may_build = threading.Event()
        self._may_build.set()
        # What the containers of build pods said, in the order in which they ended.
        self.ended: list[Ended] = []

    def __enter__(self) -> Self:
        pods = self._manager.informer(Pod)
        # A pod is run once: who wrote its end must not find its beginning in a cache.
        options = ControllerOptions(max_concurrent_reconciles=_AT_ONCE, own_writes="wait")
        self._manager.add_controller("test-kubelet", self, [Primary(pods)], options)
        self._manager.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.resume()
        self._manager.stop()
        self._client.connection.close()

    def pause(self) -> None:
        """Let build pods wait before their first container, until `resume`."""
        self._may_build.clear()

    def resume(self) -> None:
        self._may_build.set()

    @property
    def output(self) -> str:
        """Everything that build pods wrote and left behind."""
        return "\n".join(f"{each.output}\n{each.message}" for each in self.ended)

    def reconcile(self, request: Request) -> Result:
        pod = self._pod(request)
        if pod is None or "deletionTimestamp" in pod["metadata"]:
            return Result.await_change()
        phase = pod.get("status", {}).get("phase", "Pending")
        if _is_of_a_job(pod):
            if phase not in {"Succeeded", "Failed"}:
                self._build(request, pod)
        elif phase != "Running":
            self._write(request, pod, _running(pod))
        return Result.await_change()

    def _pod(self, request: Request) -> dict[str, Any] | None:
        path = f"/api/v1/namespaces/{request.key.namespace}/pods/{request.key.name}"
        try:
            found: dict[str, Any] = msgspec.json.decode(self._client.raw_get(path))
        except NotFound:
            return None
        return found

    def _build(self, request: Request, pod: Mapping[str, Any]) -> None:
        self._may_build.wait(_LONGEST_PAUSE_SECONDS)
        if self._pod(request) is None:
            # It was deleted while it waited.
            return
        folder = self._folder / pod["metadata"]["uid"]
        place = PodFolder(folder, pod, self._client, self._programs)
        place.prepare()
        first, second = pod["spec"].get("initContainers", []), pod["spec"]["containers"]
        started = _run_in_order(place, first)
        main = _run_in_order(place, second) if all(each.exit_code == 0 for each in started) else []
        self.ended += [*started, *main]
        is_whole = len(main) == len(second) and all(each.exit_code == 0 for each in main)
        status = {
            "phase": "Succeeded" if is_whole else "Failed",
            "initContainerStatuses": _terminated(first, started),
            "containerStatuses": _terminated(second, main),
        }
        self._write(request, pod, status)

    def _write(self, request: Request, pod: Mapping[str, Any], status: Mapping[str, Any]) -> None:
        try:
            self._client.merge_patch(
                Pod, request.key, {"status": status}, uid=pod["metadata"]["uid"], subresource="status"
            )
        except (NotFound, Conflict):
            # It is gone, or another one by now: that one is a change of its own.
            return


def _is_of_a_job(pod: Mapping[str, Any]) -> bool:
    return any(owner["kind"] == "Job" for owner in pod["metadata"].get("ownerReferences", ()))


def _run_in_order(place: PodFolder, containers: Sequence[Mapping[str, Any]]) -> list[Ended]:
    """Up to the first that fails."""
    ended: list[Ended] = []
    for container in containers:
        ended.append(place.run(container))
        if ended[-1].exit_code:
            break
    return ended


def _terminated(containers: Sequence[Mapping[str, Any]], ended: Sequence[Ended]) -> list[dict[str, Any]]:
    by_name = {each.name: each for each in ended}
    return [_container_status(container, _end_state(by_name.get(container["name"]))) for container in containers]


def _end_state(ended: Ended | None) -> dict[str, Any]:
    if ended is None:
        return {"waiting": {"reason": "PodInitializing"}}
    reason = "Error" if ended.exit_code else "Completed"
    return {"terminated": {"exitCode": ended.exit_code, "reason": reason, "message": ended.message}}


def _running(pod: Mapping[str, Any]) -> dict[str, Any]:
    names = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
    return {
        "phase": "Running",
        "conditions": [{"type": name, "status": "True"} for name in names],
        "containerStatuses": [_container_status(each, {"running": {}}) for each in pod["spec"]["containers"]],
    }


def _container_status(container: Mapping[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    is_running = "running" in state
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": is_running,
        "started": is_running,
        "restartCount": 0,
        "state": state,
    }
