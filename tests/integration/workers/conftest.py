"""A control plane whose own controllers run Jobs and Deployments; the test plays the kubelet."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest

from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta
from controllers.workers.settings import WorkersSettings
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import NotFound
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.component.workers.world import SETTINGS, World
from tests.conftest import CRDS, Kubectl, install_definitions, kubectl_of
from tests.integration.workers.kubelet import Kubelet

_LIMIT_SECONDS = 60.0


@pytest.fixture(scope="session")
def control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    folder = tmp_path_factory.mktemp("workers-control-plane")
    with ControlPlane(binaries, folder, controller_manager=True) as started:
        install_definitions(kubectl_of(started), CRDS)
        yield started


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Kubectl:
    return kubectl_of(control_plane)


class Site(World):
    """A world in a namespace of a real cluster."""

    def __init__(self, control_plane: ControlPlane, namespace: str, settings: WorkersSettings = SETTINGS) -> None:
        def connected() -> Client:
            return connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))

        settings = msgspec.structs.replace(settings, has_autoscaling=True, build_debounce_seconds=0.3)
        super().__init__(connected, settings, namespace)
        self.kubelet = Kubelet(self.client, namespace, self.registry)

    def until(self, holds: Callable[[], bool]) -> None:
        def look() -> bool:
            self.kubelet.play()
            return holds()

        assert wait_until(look, limit_seconds=_LIMIT_SECONDS), "it never came to that"


@pytest.fixture
def site(control_plane: ControlPlane) -> Iterator[Site]:
    with site_of(control_plane) as made:
        yield made


@contextmanager
def site_of(control_plane: ControlPlane, settings: WorkersSettings = SETTINGS) -> Iterator[Site]:
    name = f"workers-{uuid.uuid4().hex[:8]}"
    made = Site(control_plane, name, settings)
    made.client.create(Namespace(metadata=ObjectMeta(name=name)))
    made.start()
    yield made
    made.manager.stop()
    # Nobody is left who would take them off, and a namespace that cannot go keeps its controller busy.
    for kind in (WorkerBundle, WorkerRelease):
        for each in made.client.list(kind, name):
            with suppress(NotFound):
                made.client.merge_patch(kind, each.key, {"metadata": {"finalizers": None}})
    made.client.delete(Namespace, Key("", name))
    made.client.connection.close()
