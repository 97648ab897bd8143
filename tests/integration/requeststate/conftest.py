"""Fixtures: real processes of the console script, and the objects they work on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.client import Client
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Relay
from tests.integration.requeststate.objects import Objects
from tests.integration.requeststate.processes import Windlass


@pytest.fixture
def windlass(tmp_path: Path, control_plane: ControlPlane, namespace: str) -> Iterator[Windlass]:
    started = Windlass(tmp_path, control_plane.kubeconfig, namespace)
    yield started
    started.end()


@pytest.fixture
def objects(client: Client, namespace: str) -> Objects:
    return Objects(client, namespace)


@pytest.fixture
def behind_relay(relay: Relay, tmp_path: Path, control_plane: ControlPlane) -> Path:
    """A kubeconfig that leads through `relay`."""
    return relay.kubeconfig(tmp_path, control_plane.token)
