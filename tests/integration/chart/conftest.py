"""Fixtures: one control plane, one life of a release on it, and the release's containers as processes."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import msgspec
import pytest

from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.component.program import Program
from tests.conftest import Kubectl, kubectl_of
from tests.integration.chart.foreign import install_foreign_definitions
from tests.integration.chart.plane import AuditedPlane, audited_plane
from tests.integration.chart.pods import COMPONENTS, Pods, port_flags
from tests.integration.chart.release import RESTRICTED, Release, everything
from tests.integration.requeststate.objects import Objects
from tests.integration.requeststate.processes import eventually

NAMESPACE = "windlass-system"


class Life(msgspec.Struct, frozen=True):
    """What was seen of a release from its installation to its end."""

    before: frozenset[str]
    installed: frozenset[str]
    history: list[tuple[int, str]]
    # The replicas of the worker after each step: install, upgrade, rollback.
    replicas: list[int]
    after: frozenset[str]


@pytest.fixture(scope="session")
def audited(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AuditedPlane]:
    with audited_plane(binaries, tmp_path_factory.mktemp("chart")) as started:
        yield started


@pytest.fixture(scope="session")
def control_plane(audited: AuditedPlane) -> ControlPlane:
    return audited.plane


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Kubectl:
    run = kubectl_of(control_plane)
    install_foreign_definitions(run)
    return run


@pytest.fixture(scope="session")
def helm(control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = which("helm", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is None:
        pytest.skip("needs helm: install the dev dependencies, or put one into PATH")
    environment = {"HOME": str(tmp_path_factory.mktemp("helm")), "KUBECONFIG": str(control_plane.kubeconfig)}
    return Program(Path(path), environment)


@pytest.fixture(scope="session")
def release(helm: Program, kubectl: Kubectl) -> Release:
    kubectl("create", "namespace", NAMESPACE, check=True)
    kubectl("label", "namespace", NAMESPACE, RESTRICTED, check=True)
    # Made by a controller some time after the namespace; what is there before the release must be complete.
    eventually(lambda: kubectl("get", "serviceaccount", "default", "-n", NAMESPACE).returncode == 0, "the account")
    eventually(lambda: kubectl("get", "configmap", "kube-root-ca.crt", "-n", NAMESPACE).returncode == 0, "the CA")
    return Release(helm, kubectl, "windlass", NAMESPACE)


@pytest.fixture(scope="session")
def life(release: Release, kubectl: Kubectl) -> Life:
    before = everything(kubectl)
    replicas = []

    def note() -> None:
        replicas.append(release.deployment("worker")["spec"]["replicas"])

    release.install("--set=manager.enabled=true")
    installed = everything(kubectl)
    note()
    release.upgrade("--set=manager.enabled=true,worker.replicas=2,flowControl.enabled=true,networkPolicy.enabled=true")
    note()
    release.rollback(1)
    note()
    history = release.history()
    release.uninstall()
    kept = before | {name for name in installed if name.startswith("CustomResourceDefinition/")}
    # Pods and their ReplicaSets go a moment after their Deployment.
    wait_until(lambda: everything(kubectl) <= kept, limit_seconds=30)
    return Life(before, installed, history, replicas, everything(kubectl))


@pytest.fixture(scope="session")
def live(release: Release, life: Life) -> Release:
    """Installed once more, over the definitions that were kept."""
    release.install(
        "--set=manager.enabled=true",
        # In its namespace alone, with an id of the hub that it has to look up.
        "--set=manager.controllers={bundle,runtime,cluster,instance}",
        f"--set=manager.namespaces={{{NAMESPACE}}}",
        "--set=manager.flags.probe-period=1s",
        "--set=worker.flags.job-duration=0s",
        "--set=defaults.logLevel=debug",
        *port_flags(),
    )
    return release


@pytest.fixture(scope="session")
def pods(live: Release, control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pods]:
    started = Pods(live, control_plane, tmp_path_factory.mktemp("pods"))
    try:
        for component in COMPONENTS:
            started.start(component)
        for component in ("director", "manager"):
            started[component].wait_for_log("leading")
        started["worker"].wait_for_log("controller_started")
        yield started
    finally:
        started.end()


@pytest.fixture
def objects(live: Release, control_plane: ControlPlane) -> Iterator[Objects]:
    client: Client = connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))
    yield Objects(client, live.namespace)
    client.connection.close()
