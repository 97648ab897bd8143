"""A process that hosts laf's controllers, in a system namespace of the test alone: the hub is shared."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta
from framework.client import Client
from framework.testing.relay import Relay
from tests.cluster import Cluster
from tests.integration.laf.stage import Stage
from tests.integration.laf.world import World, world_of
from tests.integration.requeststate.processes import Process, Windlass


@pytest.fixture
def system(client: Client) -> Iterator[str]:
    name = f"laf-system-{uuid.uuid4().hex[:8]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    client.delete(Namespace, Key("", name))


class Hosts:
    """Starts processes of -mode=manager."""

    def __init__(self, windlass: Windlass, kubeconfig: Path, system: str) -> None:
        self._windlass = windlass
        self._kubeconfig = kubeconfig
        self.system = system

    def start(self, *flags: str, kubeconfig: Path | None = None) -> Process:
        """One that leads by now."""
        quick = ("-lease-duration=4s", "-lease-renew-deadline=3s", "-lease-retry-period=200ms")
        where = (f"-kubeconfig={kubeconfig or self._kubeconfig}", f"-system-namespace={self.system}")
        process = self._windlass.start_bare("-mode=manager", *where, *quick, *flags)
        process.wait_for_log("leading")
        return process


@pytest.fixture
def behind_relay(relay: Relay, tmp_path: Path, control_plane: Cluster) -> Path:
    """A kubeconfig that leads through `relay`."""
    return relay.kubeconfig(tmp_path, control_plane.token)


@pytest.fixture
def hosts(tmp_path: Path, control_plane: Cluster, namespace: str, system: str) -> Iterator[Hosts]:
    windlass = Windlass(tmp_path, control_plane.kubeconfig, namespace)
    yield Hosts(windlass, control_plane.kubeconfig, system)
    windlass.end()


@pytest.fixture(scope="module")
def empty_stage(
    control_plane: Cluster, second_control_plane: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """Hub and remote, for tests that start their processes themselves."""
    made = Stage(control_plane, second_control_plane, tmp_path_factory.mktemp("stage"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def stage(empty_stage: Stage) -> Stage:
    """With one process for all tests of the module."""
    empty_stage.start()
    return empty_stage


@pytest.fixture
def world(stage: Stage) -> Iterator[World]:
    with world_of(stage) as made:
        yield made
