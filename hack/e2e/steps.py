"""What is seen of the chart on the node, one step after the other."""

import json
import os
import signal
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from framework.testing.control_plane.waiting import wait_until
from hack.e2e.cluster import seconds_between
from hack.e2e.kubectl import Kubectl
from hack.e2e.node import Node

NAMESPACE, RELEASE = "windlass-system", "windlass"
CHART = Path(__file__).resolve().parent.parent.parent / "charts" / "windlass"
VALUES = (
    "--set=image.registry=localhost,image.repository=windlass,image.tag=e2e,image.pullPolicy=Never",
    # There is no DNS in this cluster.
    "--set=defaults.dnsPolicy=Default",
    "--set=worker.replicas=2,worker.flags.job-duration=1s",
)
_LIMIT_SECONDS = 90.0


class Failure(Exception):
    """One line: what was expected, and what was there."""


class Steps:
    def __init__(self, kubectl: Kubectl, helm: Kubectl, node: Node) -> None:
        self._kubectl = kubectl
        self._helm = helm
        self._node = node

    def node_becomes_ready(self) -> str:
        self._until(lambda: self._condition("node/e2e", "Ready") == "True", "the node is ready")
        # The controller that would take it off thinks in minutes, and is not run.
        self._kubectl.run("taint", "node", "e2e", "node.kubernetes.io/not-ready-")
        version = self._kubectl(
            "get",
            "node",
            "e2e",
            "-o",
            "jsonpath={.status.nodeInfo.kubeletVersion} {.status.nodeInfo.containerRuntimeVersion}",
        )
        return version.strip()

    def release_is_installed(self) -> str:
        self._kubectl("create", "namespace", NAMESPACE)
        self._kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")
        self._helm("install", RELEASE, str(CHART), "--namespace", NAMESPACE, "--wait", "--timeout=120s", *VALUES)
        return (
            f"{len(self._pods())} pods ready, the slowest {self._slowest_start():.0f} s after its container had started"
        )

    def flow_completes(self, name: str = "first") -> str:
        self._request(name)
        self._until(lambda: self._is_complete(name), f"{name} is complete")
        history = json.loads(self._kubectl("get", "requeststate", name, "-n", NAMESPACE, "-o", "json"))["status"][
            "history"
        ]
        return " ".join(f"{entry['job']} {entry['state']}" for entry in history)

    def metrics_are_guarded(self) -> str:
        pod = self._pods("director")[0]
        url = f"https://{pod['status']['podIP']}:8443/metrics"
        token = self._kubectl("create", "token", "default", "-n", NAMESPACE).strip()
        self._kubectl(
            "create",
            "clusterrolebinding",
            "e2e-reader",
            f"--clusterrole={NAMESPACE}:{RELEASE}-metrics-reader",
            f"--serviceaccount={NAMESPACE}:reader",
        )
        self._kubectl("create", "serviceaccount", "reader", "-n", NAMESPACE)
        reader = self._kubectl("create", "token", "reader", "-n", NAMESPACE).strip()
        found = [_status(url, each) for each in ("", token, reader)]
        if found != [401, 403, 200]:
            raise Failure(f"without a token, without the right and with it: {found}")
        return "401 without a token, 403 without the right, 200 with it"

    def killed_process_is_restarted_and_the_flow_goes_on(self) -> str:
        pod = self._pods("director")[0]
        self._request("while-restarted")
        os.kill(self._node.main_process(pod["metadata"]["uid"]), signal.SIGKILL)
        self._until(lambda: _restarts(self._pods("director")[0]) == 1, "the container is restarted")
        self._until(lambda: self._is_complete("while-restarted"), "the flow goes on")
        return "restartCount 1"

    def deleted_pod_is_replaced_and_the_flow_goes_on(self) -> str:
        before = {pod["metadata"]["name"] for pod in self._pods("worker")}
        self._request("while-replaced")
        self._kubectl("delete", "pod", min(before), "-n", NAMESPACE, "--wait=false")
        self._until(lambda: self._is_complete("while-replaced"), "the flow goes on")
        self._until(lambda: len(self._ready("worker") - before) == 1, "the pod is replaced")
        return f"{min(before)} → {(self._ready('worker') - before).pop()}"

    def containers_are_confined(self) -> str:
        pid = self._node.main_process(self._pods("worker")[0]["metadata"]["uid"])
        status = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line
        )
        facts = {
            "uid": status["Uid"].split()[0],
            "capabilities": status["CapEff"].strip("0") or "none",
            "no_new_privs": status["NoNewPrivs"],
            "seccomp": status["Seccomp"],
            "root": next(
                line.split()[3].split(",")[0]
                for line in Path(f"/proc/{pid}/mounts").read_text().splitlines()
                if line.split()[1] == "/"
            ),
        }
        if facts != {"uid": "65532", "capabilities": "none", "no_new_privs": "1", "seccomp": "2", "root": "ro"}:
            raise Failure(f"the container is not confined: {facts}")
        return ", ".join(f"{name} {value}" for name, value in facts.items())

    def upgrade_rolls_out_and_failing_one_goes_back(self) -> str:
        self._helm(
            "upgrade",
            RELEASE,
            str(CHART),
            "--namespace",
            NAMESPACE,
            "--wait",
            "--timeout=120s",
            *VALUES,
            "--set=worker.logLevel=debug",
        )
        failing = self._helm.run(
            "upgrade",
            RELEASE,
            str(CHART),
            "--namespace",
            NAMESPACE,
            "--atomic",
            "--timeout=15s",
            *VALUES,
            "--set=image.tag=missing",
        )
        if failing.returncode == 0:
            raise Failure("an upgrade to an image that is not there succeeded")
        self.flow_completes("after-upgrades")
        return "rolled out; an image that is not there was rolled back"

    def release_is_removed(self) -> str:
        self._helm("uninstall", RELEASE, "--namespace", NAMESPACE, "--wait", "--timeout=90s")
        self._until(lambda: not self._pods(), "all pods are gone")
        kept = self._kubectl("get", "crd", "-o", "name").split()
        return f"no pod is left, {len(kept)} definitions are kept"

    def why(self) -> str:
        """What helps after a failure."""
        pods = self._kubectl.run("get", "pods,events", "-n", NAMESPACE, "-o", "wide").stdout
        return pods + self._node.log("kubelet")[-3000:]

    def _request(self, name: str) -> None:
        spec = {"request-uid": name, "job": "JOB1", "state": "REQUESTED"}
        manifest = {
            "apiVersion": "com.redhat.ecosystem.sample/v1",
            "kind": "RequestState",
            "metadata": {"name": name},
            "spec": spec,
        }
        self._kubectl("create", "-n", NAMESPACE, "-f", "-", stdin=json.dumps(manifest))

    def _is_complete(self, name: str) -> bool:
        return self._condition(f"requeststate/{name}", "Complete") == "True"

    def _condition(self, what: str, condition: str) -> str:
        path = f'jsonpath={{.status.conditions[?(@.type=="{condition}")].status}}'
        return self._kubectl.run("get", what, "-n", NAMESPACE, "-o", path).stdout

    def _pods(self, component: str = "") -> list[dict[str, Any]]:
        label = f"app.kubernetes.io/component={component}" if component else "app.kubernetes.io/part-of=windlass"
        pods: list[dict[str, Any]] = json.loads(
            self._kubectl("get", "pods", "-n", NAMESPACE, "-l", label, "-o", "json")
        )["items"]
        return pods

    def _ready(self, component: str) -> set[str]:
        return {
            pod["metadata"]["name"]
            for pod in self._pods(component)
            if any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"]["conditions"])
        }

    def _slowest_start(self) -> float:
        times = []
        for pod in self._pods():
            started = pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
            ready = next(each["lastTransitionTime"] for each in pod["status"]["conditions"] if each["type"] == "Ready")
            times.append(seconds_between(started, ready))
        return max(times)

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        if not wait_until(condition, limit_seconds=_LIMIT_SECONDS):
            raise Failure(f"not within {_LIMIT_SECONDS:.0f} s: {what}")


def _restarts(pod: dict[str, Any]) -> int:
    return sum(each["restartCount"] for each in pod["status"].get("containerStatuses", ()))


def _status(url: str, token: str) -> int:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})  # noqa: S310 - of this machine
    try:
        # It signs its certificate itself.
        with urllib.request.urlopen(request, timeout=10, context=ssl._create_unverified_context()) as answer:  # noqa: S310, S323, SLF001 - see above
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
