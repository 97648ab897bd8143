"""Fixtures: one embedded server for each pytest process, and a namespace for each test."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta
from framework.apiserver.embedded import EmbeddedServer
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import find_kubectl
from tests.component.program import Program

CRDS = Path(__file__).parents[2] / "crds"


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An administrator's.

    COMPONENT_KUBECONFIG names another cluster: what a test claims of the embedded server must be true of a real one.
    """
    if judge := os.environ.get("COMPONENT_KUBECONFIG"):
        yield Path(judge)
        return
    with EmbeddedServer(tmp_path_factory.mktemp("embedded")) as server:
        yield server.kubeconfig


@pytest.fixture(scope="session")
def client(kubeconfig: Path) -> Iterator[Client]:
    connected = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    with temporary_namespace(client) as name:
        yield name


@contextmanager
def temporary_namespace(client: Client) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    client.delete(Namespace, Key("", name))


@pytest.fixture(scope="session")
def kubectl_in(kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Program]:
    """Makes a kubectl whose commands go to one namespace."""
    path = find_kubectl(os.environ)
    if path is None:
        pytest.skip("needs kubectl: run `make control-plane`, or put one into PATH")
    environment = {"HOME": str(tmp_path_factory.mktemp("kubectl")), "KUBECONFIG": str(kubeconfig)}
    return lambda namespace: Program(path, environment, ("--namespace", namespace))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "embedded_only: claims what a real cluster does not do")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if os.environ.get("COMPONENT_KUBECONFIG") and item.get_closest_marker("embedded_only"):
        pytest.skip("a real cluster does more")
