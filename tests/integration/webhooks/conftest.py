"""Every case runs on both servers: the embedded one and the real kube-apiserver call the same webhooks over TLS."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta
from framework.apiserver.embedded import EmbeddedServer
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane, find_kubectl
from tests.component.program import Program
from tests.integration.webhooks.stage import Stage


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path_factory.mktemp("embedded")) as server:
        yield server


@pytest.fixture(params=["embedded_server", "control_plane"], ids=["embedded", "real"])
def cluster(request: pytest.FixtureRequest) -> EmbeddedServer | ControlPlane:
    found: EmbeddedServer | ControlPlane = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def kubeconfig(cluster: EmbeddedServer | ControlPlane) -> Path:
    return cluster.kubeconfig


@pytest.fixture
def client(kubeconfig: Path) -> Iterator[Client]:
    connected = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    client.delete(Namespace, Key("", name))


@pytest.fixture
def kubectl(kubeconfig: Path, namespace: str, tmp_path: Path) -> Program:
    path = find_kubectl(os.environ)
    if path is None:
        pytest.skip("needs kubectl: run `make control-plane`, or put one into PATH")
    environment = {"HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig)}
    return Program(path, environment, ("--namespace", namespace))


@pytest.fixture
def stage(client: Client, kubeconfig: Path, namespace: str) -> Iterator[Stage]:
    with Stage(client, kubeconfig, namespace) as made:
        yield made
