"""A Cluster is kept while somebody runs on it; an Instance whose Cluster is lost is told so."""

import pytest

from tests.integration.laf.world import World

pytestmark = pytest.mark.xdist_group("laf-deletion")


def test_a_cluster_stays_until_its_last_instance_is_cleaned_up(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()

    world.delete("Cluster", "a")
    world.expect("Cluster", "a", DeletionBlocked="True/InstancesPresent")
    world.expect_event("Cluster", "a", "DeletionBlocked", "Warning")
    world.add_instance("late")
    world.expect("Instance", "late", status={"status": "Pending"}, clusterSelected="False/NoClusterInRegion")
    assert "cluster.instance.laf.dev" in world.get("Cluster", "a")["metadata"]["finalizers"]
    assert world.status("Instance", "shop")["status"] == "Running"

    world.delete("Instance", "shop")
    world.expect_gone("Instance", "shop")
    assert [world.remote_find(kind) for kind in ("Deployment", "Service", "Secret")] == [None, None, None]
    world.expect_gone("Cluster", "a")


def test_an_instance_whose_cluster_was_taken_away_by_force_is_placed_anew(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster("a", priority=1)
    other = world.add_ready_cluster("b")
    world.run_instance()
    deployment = world.remote_get("Deployment")["metadata"]["uid"]

    world.delete("Cluster", "a")
    world.expect("Cluster", "a", DeletionBlocked="True/InstancesPresent")
    world.annotate("Cluster", "a", "force-delete")
    world.expect_gone("Cluster", "a")

    world.expect_event("Instance", "shop", "ClusterLost", "Warning")
    world.expect("Instance", "shop", status={"clusterName": other.name, "status": "Running"}, Ready="True/Ready")
    # The same remote: what runs there is taken over, not doubled.
    assert world.remote_get("Deployment")["metadata"]["uid"] == deployment
    assert len(world.remote.all_of("Deployment", world.tenant)) == 1


def test_an_instance_that_is_stopped_leaves_nothing_and_starts_again(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    salt = world.remote_get("Secret")["data"]

    world.edit("Instance", "shop", state="Stopped")
    stopped = {
        "DeploymentAndServiceCreated": "False/Stopped",
        "DeploymentAndServiceStopping": "False/Stopped",
        "DeploymentAndServiceStopped": "True/Stopped",
        "Ready": "False/Stopped",
    }
    cleared = {"clusterName": "", "clusterUID": "", "DeploymentName": "", "availableReplicas": 0, "reserved": None}
    world.expect("Instance", "shop", status={"status": "Stopped", **cleared}, **stopped)
    assert [world.remote_find(kind) for kind in ("Deployment", "Service", "Secret")] == [None, None, None]

    world.edit("Instance", "shop", state="Running")
    world.play_kubelet()
    world.expect("Instance", "shop", Ready="True/Ready", DeploymentAndServiceStopped="False/Running")
    assert world.remote_get("Secret")["data"] == salt


def test_records_that_were_lost_are_found_again(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()
    before, writes = world.remote_get("Deployment")["metadata"], len(gate.writes)
    records = ("clusterName", "clusterNamespace", "clusterUID", "DeploymentName", "remoteUIDs", "remoteGeneration")
    lost = dict.fromkeys((*records, "appliedHash", "reserved", "granted", "conditions", "status"))

    world.hub.tell("Instance", "shop", world.tenant, **lost, clusterConfig="left by an older version")

    found = {"status": "Running", "clusterName": gate.name, "clusterConfig": "", "DeploymentName": "shop-deployment"}
    world.expect("Instance", "shop", status=found, Ready="True/Ready")
    after = world.remote_get("Deployment")["metadata"]
    assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])
    assert {each.method for each in gate.writes[writes:]} <= {"PATCH", "PUT"}
    world.expect("Cluster", "a", status={"instanceCount": 1, "used": {"cpu": "250m", "memory": "128Mi"}})


def test_a_forged_cluster_is_a_lost_one(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()

    world.hub.tell("Instance", "shop", world.tenant, clusterUID="00000000-0000-0000-0000-000000000000")

    world.expect_event("Instance", "shop", "ClusterLost", "Warning")
    world.expect("Instance", "shop", status={"status": "Running", "clusterName": gate.name}, Ready="True/Ready")
    assert len(world.remote.all_of("Deployment", world.tenant)) == 1
