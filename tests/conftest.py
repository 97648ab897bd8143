"""Fixtures: a real control plane for each pytest process, and a namespace for each test."""

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import structlog
from _pytest.nodeid import NodeId
from hypothesis import HealthCheck, settings

from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.testing.control_plane import ControlPlane, find_binaries, find_kubectl
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay
from tests.cluster import Cluster

CRDS = Path(__file__).parent.parent / "crds"
Kubectl = Callable[..., subprocess.CompletedProcess[str]]


# How long an example takes is a matter of the machine, which may be busy.
settings.register_profile("windlass", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("windlass")


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("cacheprovider") and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Not beside the sources, then: else each of the hundreds of processes that tests start compiles all modules.
        os.environ["PYTHONPYCACHEPREFIX"] = str(config.cache.mkdir("compiled"))
    # As it is, but chosen: else the first manager that runs in this process would set up logs for all tests to come.
    structlog.configure()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each `xdist_group` on one worker: pytest-xdist 3.8 writes it where pytest 9.2 does not read it any more."""
    for item in items:
        grouped = vars(item).get("_nodeid")
        if grouped is not None:
            item._id = NodeId.parse(grouped)


@pytest.fixture(scope="session")
def binaries() -> Path:
    found = find_binaries(os.environ)
    if found is None:
        pytest.skip("needs a real Kubernetes: run `make control-plane`, or let KUBEBUILDER_ASSETS point to one")
    return found


@pytest.fixture(scope="session")
def control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("control-plane"), controller_manager=True) as started:
        install_definitions(kubectl_of(started), CRDS)
        yield started


@pytest.fixture(scope="session")
def second_control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("second-control-plane")) as started:
        install_definitions(kubectl_of(started), CRDS)
        yield started


@pytest.fixture
def fresh_control_plane(binaries: Path, tmp_path: Path) -> Iterator[ControlPlane]:
    """One without CRDs, for the test alone."""
    with ControlPlane(binaries, tmp_path / "control-plane") as started:
        yield started


@pytest.fixture(scope="session")
def kubectl(control_plane: Cluster) -> Kubectl:
    """kubectl as the administrator of the control plane: `kubectl("get", "pods", input=None, check=True)`."""
    return kubectl_of(control_plane)


@pytest.fixture
def client(control_plane: Cluster) -> Iterator[Client]:
    connected = connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    with suppress(WindlassError):
        client.delete(Namespace, Key("", name))


@pytest.fixture
def relay(control_plane: Cluster) -> Iterator[Relay]:
    with Relay(control_plane.url, ca_file=control_plane.ca_file) as started:
        yield started


def kubectl_of(plane: Cluster) -> Kubectl:
    program = find_kubectl(os.environ)
    if program is None:
        pytest.skip("needs kubectl: run `make control-plane`, or put one into PATH")
    environment = {**os.environ, "KUBECONFIG": str(plane.kubeconfig)}

    def run(*arguments: str, input: str | None = None, check: bool = False) -> subprocess.CompletedProcess[str]:  # noqa: A002 - subprocess calls it so
        finished = subprocess.run(
            [str(program), *arguments],
            env=environment,
            input=input,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not check or finished.returncode == 0, finished.stderr
        return finished

    return run


def install_definitions(run: Kubectl, folder: Path) -> None:
    """Apply the definitions in *folder*, and return when their kinds are served and kubectl knows them.

    Being established is not enough: the API server tells of a kind, and serves it, some time after that.
    """
    run("apply", "--server-side", "-f", str(folder), check=True)
    run("wait", "--for=condition=Established", "--timeout=60s", "-f", str(folder), check=True)
    paths = run("get", "-f", str(folder), "-o", "name", check=True).stdout.split()
    kinds = ",".join(path.partition("/")[2] for path in paths)
    assert wait_until(lambda: run("get", kinds, "--all-namespaces").returncode == 0, limit_seconds=60), kinds
