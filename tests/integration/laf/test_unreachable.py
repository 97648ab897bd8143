"""Clusters that cannot be reached: nothing is moved, nothing is forgotten, nothing is written that is there already."""

import pytest

from framework.testing.relay import Fault, Match, Stall
from tests.integration.laf.gate import Gate
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-unreachable")


def cut(world: World, gate: Gate, cluster: str = "a") -> None:
    """Return when it has been noticed."""
    gate.relay.cut()
    world.expect("Cluster", cluster, Ready="False/Unreachable")


def test_an_instance_is_deployed_once_its_only_cluster_can_be_reached(world: World) -> None:
    world.add_catalogue()
    gate = world.add_cluster(cut=True)
    world.add_instance()
    world.expect("Cluster", "a", Ready="False/Unreachable")
    world.expect("Instance", "shop", status={"status": "Pending"}, clusterSelected="False/NoReadyCluster")

    gate.relay.restore()

    world.expect("Cluster", "a", Ready="True/ClusterReady")
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")


def test_an_instance_of_which_nothing_was_sent_is_placed_elsewhere(world: World) -> None:
    world.add_catalogue()
    first = world.add_ready_cluster("a", priority=1)
    second = world.add_ready_cluster("b")
    placement = Match(method="PATCH", path=f"/namespaces/{world.tenant}/instances/shop/status$", body="clusterUID")
    relay = world.stage.hub_relay
    held = relay.inject(Fault(placement, Stall(before_headers=True)))
    world.add_instance()
    held.wait(limit=30)
    bound = world.status("Instance", "shop")
    assert bound["clusterName"] == first.name
    assert not bound.get("DeploymentName")

    cut(world, first)
    relay.release()

    world.expect("Instance", "shop", status={"clusterName": second.name}, DeploymentAndServiceCreated="True/Created")
    first.relay.restore()
    world.expect("Cluster", "a", Ready="True/ClusterReady")
    first.await_probes()
    assert first.writes == []
    assert world.status("Instance", "shop")["clusterName"] == second.name


def test_what_runs_on_a_cluster_that_is_cut_off_is_unknown_and_untouched_when_it_returns(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster("a")
    other = world.add_ready_cluster("b", unschedulable=True)
    world.run_application()
    before = world.remote_get("Deployment")
    writes = len(gate.writes)
    world.edit("Cluster", "b", unschedulable=False)

    cut(world, gate)
    told = {"Ready": "Unknown/ClusterUnreachable", "ClusterReachable": "False/Unreachable"}
    cut_off = world.expect("Instance", "shop", status={"status": "Unknown"}, **told)["status"]
    world.expect("Application", "shop", status={"state": "Running"}, Ready="Unknown/InstanceUnknown")
    assert (cut_off["clusterName"], cut_off["availableReplicas"]) == (gate.name, 1)

    gate.relay.restore()
    told = {"Ready": "True/Ready", "ClusterReachable": "True/ClusterReady"}
    world.expect("Instance", "shop", status={"status": "Running", "clusterName": gate.name}, **told)
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    gate.await_probes()
    assert gate.writes[writes:] == []
    assert other.writes == []
    assert world.remote_get("Deployment") == before
    world.expect_event("Cluster", "a", "Unreachable", "Warning")
    world.expect_event("Cluster", "a", "ClusterReady", "Normal")


def test_a_deleted_instance_waits_for_its_cluster_or_is_forced_to_go(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance("patient")
    world.run_instance("forced")
    cut(world, gate)

    for name in ("patient", "forced"):
        world.delete("Instance", name)
    for name in ("patient", "forced"):
        waiting = {"DeploymentAndServiceStopping": "True/ClusterUnreachable"}
        seen = world.expect("Instance", name, status={"status": "Stopping"}, **waiting)
        assert "instance.finalizers.laf.dev" in seen["metadata"]["finalizers"]
    world.annotate("Instance", "forced", "force-delete")
    world.expect_gone("Instance", "forced")
    world.expect_event("Instance", "forced", "RemoteObjectsOrphaned")
    assert all(world.remote_find("Deployment", name) is not None for name in ("patient", "forced"))

    gate.relay.restore()

    world.expect_gone("Instance", "patient")
    assert [world.remote_find(kind, "patient") for kind in ("Deployment", "Service", "Secret")] == [None, None, None]
    world.expect_nothing_remote("forced")
    world.expect_event("Cluster", "a", "OrphanDeleted")


def test_an_application_that_is_stopped_meanwhile_stops_when_the_cluster_returns(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_application()
    cut(world, gate)

    world.edit("Application", "shop", state="Stopped")
    world.expect("Application", "shop", status={"state": "Stopping"})
    gate.relay.restore()

    world.expect("Application", "shop", status={"state": "Stopped"}, Ready="False/Stopped")
    world.expect_nothing_remote()


def test_an_instance_can_be_bound_anew_by_who_accepts_that_it_may_run_twice(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster("a", priority=1)
    # Another cluster for the sweep: it must not be taken for the same one.
    other = world.add_ready_cluster("b", server=world.hub.plane)
    world.run_instance()
    cut(world, gate)

    world.annotate("Instance", "shop", "rebind")

    world.expect("Instance", "shop", status={"clusterName": other.name}, DeploymentAndServiceCreated="True/Created")
    eventually(lambda: "laf.dev/rebind" not in annotations(world), "the annotation is gone")
    gate.relay.restore()
    world.expect_nothing_remote()
    world.expect_event("Cluster", "a", "OrphanDeleted")
    assert world.hub.find("Deployment", "shop-deployment", world.tenant) is not None


def annotations(world: World) -> dict[str, str]:
    found: dict[str, str] = world.get("Instance", "shop")["metadata"].get("annotations", {})
    return found
