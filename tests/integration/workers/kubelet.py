"""Plays the kubelet: pods of builds end as the test says, all others run."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from apis.core.v1 import Pod
from apis.meta import KubeObject, Unstructured, resource_type_of
from controllers.workers.keys import JOB_BUILDER
from framework.client import Client
from framework.clock import Clock, SystemClock
from framework.errors import Conflict, NotFound
from tests.component.workers.outside import FakeRegistry
from tests.component.workers.world import digest_of

BAD_INPUT = 42
# The exit code and the termination message of the container that pushes; None: it goes on running.
Ending = tuple[int, str]
_PODS = resource_type_of(Pod)


def succeeds(registry: FakeRegistry) -> Callable[[Mapping[str, Any]], Ending]:
    """Push the image, and say so."""

    def end(pod: Mapping[str, Any]) -> Ending:
        (container,) = pod["spec"]["containers"]
        image = next(each.removeprefix("-target=") for each in container["args"] if each.startswith("-target="))
        registry.push(image, digest_of(image))
        return 0, msgspec.json.encode({"ok": True, "image": image, "digest": digest_of(image)}).decode()

    return end


def refuses(**scripts: str) -> Callable[[Mapping[str, Any]], Ending]:
    failed = [{"scriptName": name, "message": message} for name, message in scripts.items()]
    text = msgspec.json.encode({"ok": False, "reason": "ScriptInvalid", "failedScripts": failed}).decode()
    return lambda _: (BAD_INPUT, text)


class Kubelet:
    def __init__(self, client: Client, namespace: str, registry: FakeRegistry, clock: Clock | None = None) -> None:
        self._client = client
        self._namespace = namespace
        self._clock = clock or SystemClock()
        self.build: Callable[[Mapping[str, Any]], Ending | None] = succeeds(registry)
        # How the next builds end, before the rule above holds.
        self.next_builds: list[Callable[[Mapping[str, Any]], Ending]] = []
        self.are_pods_ready = True

    def play(self) -> None:
        """Look at every pod once."""
        found: list[KubeObject] = self._client.list(_PODS, self._namespace)
        for pod in found:
            assert isinstance(pod, Unstructured)
            phase = pod.content.get("status", {}).get("phase", "Pending")
            if pod.metadata.is_being_deleted or phase in {"Succeeded", "Failed"}:
                continue
            if JOB_BUILDER in pod.metadata.labels:
                self._run_build(pod)
            elif phase != "Running" and self.are_pods_ready:
                self._write(pod, self._running(pod.content))

    def _run_build(self, pod: Unstructured) -> None:
        end = self.next_builds.pop(0) if self.next_builds else self.build
        ending = end(pod.content)
        if ending is None:
            return
        code, message = ending
        (container,) = pod.content["spec"]["containers"]
        now = self._now()
        terminated = {"exitCode": code, "reason": "Completed" if code == 0 else "Error", "message": message}
        status = {
            "phase": "Failed" if code else "Succeeded",
            "containerStatuses": [
                _container(
                    container, {"terminated": {**terminated, "startedAt": now, "finishedAt": now}}, is_ready=False
                )
            ],
        }
        self._write(pod, status)

    def _running(self, content: Mapping[str, Any]) -> dict[str, Any]:
        now = self._now()
        (container,) = content["spec"]["containers"]
        names = ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        return {
            "phase": "Running",
            "conditions": [{"type": name, "status": "True", "lastTransitionTime": now} for name in names],
            "containerStatuses": [_container(container, {"running": {"startedAt": now}}, is_ready=True)],
        }

    def _write(self, pod: Unstructured, status: Mapping[str, Any]) -> None:
        try:
            self._client.patch_status(pod, status, kind=_PODS)
        except (Conflict, NotFound):
            # The next look sees what it has become.
            return

    def _now(self) -> str:
        return self._clock.now().replace(microsecond=0).isoformat()


def _container(container: Mapping[str, Any], state: Mapping[str, Any], *, is_ready: bool) -> dict[str, Any]:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": is_ready,
        "restartCount": 0,
        "state": state,
    }
