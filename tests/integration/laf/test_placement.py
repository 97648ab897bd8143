"""Which Cluster an Instance gets: as specified, and the same each time."""

import pytest

from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-placement")


def where(world: World, instance: str) -> str:
    """The short name of its Cluster, once it has one."""
    placed = world.expect("Instance", instance, clusterSelected="True/ClusterSelected")
    name: str = placed["status"]["clusterName"]
    return name.removesuffix(f"-{world.id}")


def test_instances_go_to_their_region_only(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster("a")
    # The last in any listing, without a limit, and on the same server: nothing else speaks against it.
    other = world.add_ready_cluster("z", region=f"r2-{world.id}")
    names = [f"shop-{number}" for number in range(4)]
    for name in names:
        world.add_instance(name)

    assert {where(world, name) for name in names} == {"a"}
    for name in names:
        world.expect("Instance", name, DeploymentAndServiceCreated="True/Created")
    other.await_probes()
    assert other.writes == []
    eventually(lambda: world.status("Cluster", "a").get("instanceCount") == 4, "all are counted")
    assert not world.status("Cluster", "z").get("instanceCount")


def test_instances_are_spread_by_what_is_left_and_wait_for_room(world: World) -> None:
    world.add_catalogue(bundle={"requestCPU": "1", "limitCPU": "1"})
    world.add_ready_cluster("a", capacity={"cpu": 2})
    world.add_ready_cluster("b", capacity={"cpu": 4})
    for repetition in ("first", "again"):
        names = [f"{repetition}-{number}" for number in range(6)]
        chosen = []
        for name in names:
            world.add_instance(name)
            chosen.append(where(world, name))
        assert chosen == ["b", "a", "b", "b", "a", "b"], repetition

        seventh = f"{repetition}-7"
        world.add_instance(seventh)
        pending = {"status": "Pending", "clusterName": ""}
        told = {"clusterSelected": "False/InsufficientCapacity", "Ready": "False/NotPlaced"}
        world.expect("Instance", seventh, status=pending, **told)
        world.expect_event("Instance", seventh, "FailedScheduling")
        world.delete("Instance", names[2])
        assert where(world, seventh) == "b"

        for name in (*names[:2], *names[3:], seventh):
            world.delete("Instance", name)
        for name in (*names, seventh):
            world.expect_gone("Instance", name)
        for cluster in ("a", "b"):
            eventually(lambda: not world.status("Cluster", cluster).get("instanceCount"), "nobody is left")  # noqa: B023 - called at once


def test_an_instance_waits_for_a_cluster_of_its_region(world: World) -> None:
    world.add_catalogue()
    before = world.add_instance()
    told = {"clusterSelected": "False/NoClusterInRegion", "Ready": "False/NotPlaced"}
    world.expect("Instance", "shop", status={"status": "Pending"}, **told)

    world.add_cluster()

    assert where(world, "shop") == "a"
    after = world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")
    assert after["metadata"]["generation"] == before["metadata"]["generation"]


def test_priority_goes_first_and_cordoned_clusters_take_nobody_new(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster("a")
    world.add_ready_cluster("b", priority=7)
    world.add_instance("one")
    assert where(world, "one") == "b"

    world.edit("Cluster", "b", unschedulable=True)
    world.add_instance("two")
    assert where(world, "two") == "a"
    world.edit("Cluster", "a", unschedulable=True)
    world.add_instance("three")
    world.expect("Instance", "three", clusterSelected="False/ClusterUnschedulable")

    assert where(world, "one") == "b"
    world.edit("Cluster", "a", unschedulable=False)
    assert where(world, "three") == "a"


def test_a_pin_is_obeyed_and_followed_when_it_changes(world: World) -> None:
    world.add_catalogue()
    first, second = world.add_ready_cluster("a"), world.add_ready_cluster("b")
    world.add_instance(clusterName=world.name("b"))
    assert where(world, "shop") == "b"
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")
    assert first.writes == []

    world.edit("Instance", "shop", clusterName=world.name("a"))
    eventually(lambda: where(world, "shop") == "a", "it has moved")
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")
    removed = {each.path.rsplit("/", 2)[1] for each in second.writes if each.method == "DELETE"}
    assert removed == {"deployments", "services", "secrets"}


def test_clusters_of_other_tenants_are_not_used(world: World) -> None:
    world.add_catalogue()
    gate = world.add_cluster()
    config = world.get("Cluster", "a")
    world.delete("Cluster", "a")
    world.expect_gone("Cluster", "a")
    foreign, own = f"other-{world.id}", world.tenant
    world.hub.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": foreign}})
    elsewhere = {"name": gate.name, "namespace": foreign}
    world.hub.create({**config, "metadata": elsewhere, "status": {}})
    world.add_instance()
    world.expect("Instance", "shop", clusterSelected="False/NoClusterInRegion")

    world.hub.create({**config, "metadata": {**elsewhere, "namespace": own}, "status": {}})

    placed = world.expect("Instance", "shop", clusterSelected="True/ClusterSelected")
    assert placed["status"]["clusterNamespace"] == own
    world.hub.wipe("Cluster", foreign)
    world.hub.wipe("Cluster", own)
    world.hub.delete("Namespace", foreign)
