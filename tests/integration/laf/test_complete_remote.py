"""A remote cluster with everything: its own controllers make the pods, and no test touches any status."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from tests.conftest import Kubectl
from tests.integration.laf.stage import Stage
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-complete-remote")


@pytest.fixture(scope="module")
def complete(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    folder = tmp_path_factory.mktemp("complete-remote")
    with ControlPlane(binaries, folder, controller_manager=True, scheduler=True, kwok_nodes=1) as started:
        yield started


@pytest.fixture(scope="module")
def stage(
    control_plane: ControlPlane, complete: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    made = Stage(control_plane, complete, tmp_path_factory.mktemp("stage"))
    made.start()
    yield made
    made.close()


def ready_pods(world: World) -> int:
    pods = world.remote.all_of("Pod", world.tenant)
    told = [each for pod in pods for each in pod.get("status", {}).get("conditions", []) if each["type"] == "Ready"]
    return sum(each["status"] == "True" for each in told)


def test_an_application_runs_by_itself_scales_stops_and_goes(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    world.add_cluster()

    world.add_application()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    world.expect("Instance", "shop", status={"status": "Running", "readyReplicas": 1}, Ready="True/Ready")
    assert ready_pods(world) == 1

    kubectl("scale", "-n", world.tenant, "instance/shop", "--replicas=3", check=True)
    world.expect("Instance", "shop", status={"replicas": 3, "readyReplicas": 3}, Ready="True/Ready")
    assert ready_pods(world) == 3

    world.edit("Runtime", "node18", image={"main": "registry.example/app:2.0"})
    eventually(lambda: world.main_container()["image"] == "registry.example/app:2.0", "the image is out")
    world.expect("Instance", "shop", status={"updatedReplicas": 3, "availableReplicas": 3}, Ready="True/Ready")

    world.edit("Application", "shop", state="Stopped")
    world.expect("Application", "shop", status={"state": "Stopped"}, Ready="False/Stopped")
    world.expect_nothing_remote()
    eventually(lambda: world.remote.all_of("Pod", world.tenant) == [], "the pods are gone")

    world.edit("Application", "shop", state="Running")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")
    world.expect_nothing_remote()
