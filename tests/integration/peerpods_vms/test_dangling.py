"""The VM of a pod that is gone goes too, although the adaptor did not see to it; that of a pod that lives does not."""

from datetime import timedelta

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import ConfigMap
from apis.meta import Key, Unstructured
from controllers.peerpods.names import PEER_POD_FINALIZER
from tests.integration.peerpods_vms.ec2 import REGION, Ec2
from tests.integration.peerpods_vms.world import KEPT, PODS, Ahead, World


def test_a_vm_goes_with_its_pod_and_so_does_its_address(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    address = ec2.give_address(instance)
    world.add_peer_pod("shop-resource-abcde", instance, pod="shop", pod_uid=world.add_pod())
    world.keep("shop-resource-abcde")

    world.start_manager()
    world.delete_pod()

    world.eventually(lambda: world.finalizers("shop-resource-abcde") == [KEPT], "it is not let go")
    assert world.get("shop-resource-abcde").status.cleand
    assert ec2.state_of(instance) == "terminated"
    assert not ec2.has_address(address)
    world.expect_event("shop-resource-abcde", "VMDeleted")
    world.let_go("shop-resource-abcde")
    world.expect_gone("shop-resource-abcde")


def test_nothing_happens_to_the_vm_of_a_pod_that_lives(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("alive", instance, pod="shop", pod_uid=world.add_pod())

    world.start_manager()
    world.eventually(lambda: bool(world.get("alive").status.location), "it is not recorded where it is")
    world.client.merge_patch(
        PeerPod, world.key("alive"), {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}
    )
    world.stop_manager()
    world.start_manager()
    # Another one shows that this manager works, and that what came before it has been looked at.
    other = ec2.run_instance()
    world.add_peer_pod("other", other)
    world.delete("other")
    world.expect_gone("other")

    assert ec2.state_of(instance) == "running"
    assert ec2.asked(instance=instance) == []


def test_the_cloud_is_not_asked_if_the_adaptor_was_first(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance, other = ec2.run_instance(), ec2.run_instance()
    world.add_peer_pod("done", instance)
    world.add_peer_pod("other", other)
    world.start_manager()

    world.client.json_patch(PeerPod, world.key("done"), [{"op": "remove", "path": "/metadata/finalizers"}])
    world.delete("done")
    world.expect_gone("done")
    world.delete("other")
    world.expect_gone("other")

    assert {each.instance for each in ec2.asked("TerminateInstances")} == {other}
    assert ec2.asked(instance=instance) == []


def test_a_vm_that_is_gone_already_is_told_and_let_go(world: World) -> None:
    world.add_settings()
    world.add_peer_pod("gone", "i-0123456789abcdef0")
    world.delete("gone")

    world.start_manager(clock=Ahead())

    world.expect_gone("gone")
    world.expect_event("gone", "VMAlreadyGone")


def test_a_vm_is_terminated_where_it_was_made_although_the_settings_moved(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("moved", instance)
    world.start_manager()
    world.eventually(lambda: world.get("moved").status.location.get("AWS_REGION") == REGION, "not recorded")

    world.client.merge_patch(ConfigMap, Key(world.system, "peer-pods-cm"), {"data": {"AWS_REGION": "eu-west-1"}})
    world.delete("moved")

    world.expect_gone("moved")
    assert ec2.state_of(instance) == "terminated"
    assert {each.region for each in ec2.asked()} == {REGION}


def test_a_vm_that_is_no_pod_vm_is_left_alone_unless_the_guard_is_off(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance("prod-db")
    world.add_peer_pod("guarded", instance)
    world.delete("guarded")

    world.start_manager()
    world.expect_reason("guarded", "NotAPodVM")
    world.expect_event("guarded", "NotAPodVM")
    assert ec2.state_of(instance) == "running"
    assert world.finalizers("guarded") == [PEER_POD_FINALIZER]

    world.stop_manager()
    world.start_manager(instance_name_guard="off")
    world.expect_gone("guarded")
    assert ec2.state_of(instance) == "terminated"


def test_an_unknown_provider_is_told_and_disturbs_nobody(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("strange", "vm-1", provider="nimbus")
    world.add_peer_pod("known", instance)
    world.delete("strange")
    world.delete("known")

    world.start_manager()

    world.expect_gone("known")
    world.expect_reason("strange", "ProviderUnknown")
    assert world.finalizers("strange") == [PEER_POD_FINALIZER]
    world.annotate("strange", "kata.peerpods.io/skip-vm-deletion", "true")
    world.expect_gone("strange")
    world.expect_event("strange", "VMDeletionSkipped")


def test_the_adaptor_has_its_time_when_a_pod_goes_in_the_foreground(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("slow", instance, pod="shop", pod_uid=world.add_pod())
    world.start_manager(adaptor_grace_seconds=4.0)

    world.delete_pod(foreground=True)
    going: Unstructured = world.client.get(PODS, world.key("shop"))
    begun = going.metadata.deletion_timestamp

    world.expect_gone("slow")
    world.eventually(lambda: "shop" not in world.pods(), "the pod is still there")
    assert begun is not None
    assert [each.at >= begun + timedelta(seconds=4) for each in ec2.asked(instance=instance)] == [True, True]
    assert ec2.state_of(instance) == "terminated"
