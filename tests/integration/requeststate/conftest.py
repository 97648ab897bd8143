"""Fixtures: real processes of the console script, and the objects they work on; every test on both API servers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from controllers.definitions import install_crds
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.relay import Relay
from tests.cluster import Cluster
from tests.conftest import Kubectl, kubectl_of
from tests.embedded_cluster import EmbeddedCluster
from tests.integration.requeststate.objects import Objects
from tests.integration.requeststate.own_jobs import install_jobs
from tests.integration.requeststate.processes import Windlass


@pytest.fixture(scope="session")
def embedded_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(tmp_path_factory.mktemp("embedded")) as started:
        client = connect(from_kubeconfig(str(started.kubeconfig), clock=SystemClock()))
        install_crds(client)
        client.connection.close()
        yield started


@pytest.fixture(scope="session", params=["embedded", "real"])
def control_plane(request: pytest.FixtureRequest) -> Cluster:
    """The embedded API server, then the real one."""
    found: Cluster = request.getfixturevalue("embedded_cluster" if request.param == "embedded" else "control_plane")
    return found


@pytest.fixture(scope="session")
def kubectl(control_plane: Cluster) -> Kubectl:
    """Of its own: the one for all other tests stays with the real control plane once it was made for that."""
    return kubectl_of(control_plane)


@pytest.fixture(params=["embedded", "real"])
def fresh_control_plane(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cluster]:
    """One without CRDs, for the test alone."""
    if request.param == "real":
        yield request.getfixturevalue("fresh_control_plane")
        return
    with EmbeddedCluster(tmp_path / "embedded") as started:
        yield started


@pytest.fixture
def windlass(tmp_path: Path, control_plane: Cluster, namespace: str) -> Iterator[Windlass]:
    started = Windlass(tmp_path, control_plane.kubeconfig, namespace)
    yield started
    started.end()


@pytest.fixture
def objects(client: Client, namespace: str) -> Objects:
    return Objects(client, namespace)


@pytest.fixture
def behind_relay(relay: Relay, tmp_path: Path, control_plane: Cluster) -> Path:
    """A kubeconfig that leads through `relay`."""
    return relay.kubeconfig(tmp_path, control_plane.token)


@pytest.fixture
def jobs(tmp_path: Path) -> Mapping[str, str]:
    """The environment in which a distribution with jobs is installed."""
    return install_jobs(tmp_path / "site")
