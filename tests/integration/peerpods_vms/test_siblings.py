"""Of several PeerPods of one pod only the newest one's VM runs on."""

import pytest

from tests.integration.peerpods_vms.ec2 import Ec2
from tests.integration.peerpods_vms.world import World


def test_the_older_of_two_is_deleted_with_its_vm(world: World, ec2: Ec2) -> None:
    world.add_settings()
    old, new = ec2.run_instance(), ec2.run_instance()
    uid = world.add_pod()
    world.start_manager()
    first = world.add_peer_pod("first", old, pod="shop", pod_uid=uid)
    world.wait_for_second_after(first)
    world.add_peer_pod("second", new, pod="shop", pod_uid=uid)

    world.expect_gone("first")

    assert (ec2.state_of(old), ec2.state_of(new)) == ("terminated", "running")
    for name in ("first", "second"):
        world.expect_event(name, "Superseded")


def test_the_vm_runs_on_if_both_have_the_same(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    uid = world.add_pod()
    world.start_manager()
    first = world.add_peer_pod("first", instance, pod="shop", pod_uid=uid)
    world.wait_for_second_after(first)
    world.add_peer_pod("second", instance, pod="shop", pod_uid=uid)

    world.expect_gone("first")

    world.expect_event("first", "InstanceShared")
    assert ec2.asked() == []
    assert world.find("second") is not None


def test_of_two_in_one_second_the_first_to_arrive_goes(world: World, ec2: Ec2) -> None:
    world.add_settings()
    world.start_manager()
    for attempt in range(10):
        pod = f"shop-{attempt}"
        uid = world.add_pod(pod)
        old, new = ec2.run_instance(), ec2.run_instance()
        # Names that sort the other way round: the order must be that of arrival.
        first = world.add_peer_pod(f"z-{attempt}", old, pod=pod, pod_uid=uid)
        second = world.add_peer_pod(f"a-{attempt}", new, pod=pod, pod_uid=uid)
        world.expect_gone(f"z-{attempt}")
        assert (ec2.state_of(old), ec2.state_of(new)) == ("terminated", "running")
        if first.metadata.creation_timestamp == second.metadata.creation_timestamp:
            return
    pytest.fail("no two were made in one second")
