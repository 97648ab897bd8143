"""The containers of a release as processes of this machine: the same command, with a token of the same account."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.ports import free_port
from tests.integration.chart.release import Release
from tests.integration.requeststate.processes import Process

COMPONENTS = ("director", "worker", "manager")
_NOT_IN_A_POD = ("KUBECONFIG", "KUBERNETES_SERVICE_HOST")


def port_flags() -> tuple[str, ...]:
    """Of helm: processes of one machine cannot share ports, as pods can."""
    ports = [(name, port) for name in COMPONENTS for port in ("health", "metrics")]
    return tuple(f"--set={name}.ports.{port}={free_port()}" for name, port in ports)


class Pods:
    def __init__(self, release: Release, plane: ControlPlane, folder: Path) -> None:
        self._release = release
        self._plane = plane
        self._folder = folder
        self._processes: dict[str, Process] = {}

    def start(self, component: str) -> Process:
        container = self._container(component)
        assert container["command"] == ["windlass"]
        token = self._release.token(self._release.account(component))
        kubeconfig = self._plane.kubeconfig_for(component, token=token)
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_IN_A_POD}
        declared = {variable["name"]: variable["value"] for variable in container.get("env", ())}
        variables = {**inherited, **declared, "KUBECONFIG": str(kubeconfig), "WINDLASS_DEBUG_BIND_ADDRESS": "0"}
        process = Process(tuple(container["args"]), variables, self._folder, component)
        self._processes[component] = process
        return process

    def __getitem__(self, component: str) -> Process:
        return self._processes[component]

    def token_in(self, component: str) -> str:
        """A token like the one that it runs with."""
        return self._release.token(self._release.account(component))

    def metrics_url(self, component: str) -> str:
        return f"https://127.0.0.1:{self.port(component, 'metrics')}/metrics"

    def port(self, component: str, name: str) -> int:
        ports = self._container(component)["ports"]
        return next(int(port["containerPort"]) for port in ports if port["name"] == name)

    def end(self) -> None:
        for process in self._processes.values():
            process.end()

    def _container(self, component: str) -> dict[str, Any]:
        container: dict[str, Any] = self._release.deployment(component)["spec"]["template"]["spec"]["containers"][0]
        return container


def run_script(job: Mapping[str, Any], **places: str) -> subprocess.CompletedProcess[str]:
    """What a Job of the chart does in its pod, here; *places* are the variables that are others here."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    program, *arguments = container["command"]
    assert program == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **variables, **places},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
