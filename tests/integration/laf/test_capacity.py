"""What an Instance may use, when it wants more than there is."""

import pytest

from tests.conftest import Kubectl
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-capacity")

ONE_CPU = {"requestCPU": "1", "limitCPU": "1"}


def replicas(world: World) -> int:
    found: int = world.remote_get("Deployment")["spec"]["replicas"]
    return found


def test_growth_waits_for_room_while_other_changes_go_out(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue(bundle=ONE_CPU)
    gate = world.add_ready_cluster(capacity={"cpu": 2})
    world.run_instance()

    kubectl("scale", "-n", world.tenant, "instance/shop", "--replicas=2", check=True)
    eventually(lambda: replicas(world) == 2, "two are granted")
    world.expect("Instance", "shop", CapacityAvailable="True/Granted")
    world.expect("Cluster", "a", status={"used": {"cpu": "2", "memory": "256Mi"}})

    kubectl("scale", "-n", world.tenant, "instance/shop", "--replicas=3", check=True)
    world.expect("Instance", "shop", CapacityAvailable="False/InsufficientCapacity")
    world.expect_event("Instance", "shop", "InsufficientCapacity", "Warning")
    world.edit("Runtime", "node18", image={"main": "registry.example/app:3"})
    eventually(lambda: world.main_container()["image"] == "registry.example/app:3", "the image goes out")
    gate.await_probes()
    assert replicas(world) == 2

    world.edit("Cluster", "a", capacity={"cpu": 3})
    eventually(lambda: replicas(world) == 3, "three are granted")
    world.expect("Instance", "shop", CapacityAvailable="True/Granted")
    world.play_kubelet()
    selector = world.expect("Instance", "shop", status={"replicas": 3}, Ready="True/Ready")["status"]["selector"]
    assert f"appid={world.appid('shop')}" in selector


def test_resources_are_held_back_like_replicas_and_freed_room_is_used(world: World) -> None:
    world.add_catalogue(bundle=ONE_CPU)
    world.add_ready_cluster(capacity={"cpu": 2})
    world.run_instance("small")
    world.run_instance("large")
    world.add_bundle("big", requestCPU="2", limitCPU="2")

    world.edit("Instance", "large", bundle=world.name("big"))
    world.expect("Instance", "large", CapacityAvailable="False/InsufficientCapacity")
    assert world.main_container("large")["resources"]["requests"]["cpu"] == "1"

    world.delete("Instance", "small")
    eventually(lambda: world.main_container("large")["resources"]["requests"]["cpu"] == "2", "it has grown")
    world.expect("Instance", "large", CapacityAvailable="True/Granted")


def test_who_shrinks_makes_room(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue(bundle=ONE_CPU)
    world.add_ready_cluster(capacity={"cpu": 2})
    world.add_instance("wide", replica=2)
    world.play_kubelet("wide")
    world.expect("Instance", "wide", Ready="True/Ready")
    world.add_instance("waiting")
    world.expect("Instance", "waiting", clusterSelected="False/InsufficientCapacity")

    kubectl("scale", "-n", world.tenant, "instance/wide", "--replicas=1", check=True)

    world.expect("Instance", "waiting", clusterSelected="True/ClusterSelected")
    assert world.deployment("wide")["spec"]["replicas"] == 1


def test_an_instance_scaled_to_zero_is_ready_and_needs_nothing(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue(bundle=ONE_CPU)
    world.add_ready_cluster(capacity={"cpu": 1})
    world.run_instance()

    kubectl("scale", "-n", world.tenant, "instance/shop", "--replicas=0", check=True)

    eventually(lambda: replicas(world) == 0, "none is wanted")
    world.expect("Instance", "shop", Ready="True/ScaledToZero")
    world.add_instance("other")
    world.expect("Instance", "other", clusterSelected="True/ClusterSelected")
