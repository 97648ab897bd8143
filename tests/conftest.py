"""Fixtures: a real control plane for each pytest process, and a namespace for each test."""

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane, find_binaries
from framework.testing.relay import Relay

CRDS = Path(__file__).parent.parent / "crds"
Kubectl = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def binaries() -> Path:
    found = find_binaries(os.environ)
    if found is None:
        pytest.skip("needs a real Kubernetes: run `make control-plane`, or let KUBEBUILDER_ASSETS point to one")
    return found


@pytest.fixture(scope="session")
def control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("control-plane"), controller_manager=True) as started:
        _install_crds(binaries, started)
        yield started


@pytest.fixture(scope="session")
def second_control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("second-control-plane")) as started:
        _install_crds(binaries, started)
        yield started


@pytest.fixture
def fresh_control_plane(binaries: Path, tmp_path: Path) -> Iterator[ControlPlane]:
    """One without CRDs, for the test alone."""
    with ControlPlane(binaries, tmp_path / "control-plane") as started:
        yield started


@pytest.fixture(scope="session")
def kubectl(binaries: Path, control_plane: ControlPlane) -> Kubectl:
    """kubectl as the administrator of the control plane: `kubectl("get", "pods", input=None, check=True)`."""
    return kubectl_of(binaries, control_plane)


@pytest.fixture
def client(control_plane: ControlPlane) -> Iterator[Client]:
    connected = connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.fixture
def namespace(kubectl: Kubectl) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex[:10]}"
    kubectl("create", "namespace", name, check=True)
    yield name
    kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture
def relay(control_plane: ControlPlane) -> Iterator[Relay]:
    with Relay(control_plane.url, ca_file=control_plane.ca_file) as started:
        yield started


def kubectl_of(binaries: Path, plane: ControlPlane) -> Kubectl:
    built = binaries / "kubectl"
    program = str(built) if built.exists() else shutil.which("kubectl") or "kubectl"
    environment = {**os.environ, "KUBECONFIG": str(plane.kubeconfig)}

    def run(*arguments: str, input: str | None = None, check: bool = False) -> subprocess.CompletedProcess[str]:  # noqa: A002 - subprocess calls it so
        finished = subprocess.run(
            [program, *arguments], env=environment, input=input, capture_output=True, text=True, timeout=60, check=False
        )
        assert not check or finished.returncode == 0, finished.stderr
        return finished

    return run


def _install_crds(binaries: Path, plane: ControlPlane) -> None:
    run = kubectl_of(binaries, plane)
    run("apply", "--server-side", "-f", str(CRDS), check=True)
    run("wait", "--for=condition=Established", "--timeout=30s", "-f", str(CRDS), check=True)
