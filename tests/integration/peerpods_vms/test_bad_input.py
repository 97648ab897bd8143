"""What users and older adaptors may write: refused by the server, or no harm."""

from pathlib import Path

import pytest
import yaml

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import Namespace
from apis.meta import Key, Unstructured, resource_type_of
from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.conditions import find_condition
from framework.errors import Invalid
from tests.integration.peerpods_vms.ec2 import Ec2
from tests.integration.peerpods_vms.world import World

SAMPLE = Path(__file__).parents[3] / "config" / "samples" / "peerpods" / "peerpod.yaml"
PEER_PODS = resource_type_of(PeerPod)


@pytest.mark.parametrize("spec", [{"instanceID": "i-00000000"}, {"instanceID": ""}, None])
def test_an_instance_id_can_be_neither_changed_nor_removed(world: World, spec: dict[str, str] | None) -> None:
    world.add_peer_pod("one", "i-01234567")

    with pytest.raises(Invalid, match="neither changed nor removed"):
        world.client.merge_patch(PeerPod, world.key("one"), {"spec": spec})


def test_an_instance_id_that_is_too_long_is_refused(world: World) -> None:
    with pytest.raises(Invalid):
        world.add_peer_pod("one", "i" * 513)


def test_an_instance_id_can_be_set_later(world: World) -> None:
    world.add_peer_pod("one", "")

    world.client.merge_patch(PeerPod, world.key("one"), {"spec": {"instanceID": "i-01234567"}})

    assert world.get("one").spec is not None


def test_a_peer_pod_without_anything_lives_and_goes_in_peace(world: World) -> None:
    world.add_settings()
    world.start_manager()
    metadata = {"name": "bare", "namespace": world.namespace, "finalizers": [PEER_POD_FINALIZER]}
    content = {
        "apiVersion": "confidentialcontainers.org/v1alpha1",
        "kind": "PeerPod",
        "metadata": metadata,
        "spec": None,
    }
    world.client.create(Unstructured(content=content), kind=PEER_PODS)

    world.delete("bare")

    world.expect_gone("bare")
    world.expect_event("bare", "NoInstanceID")


def test_a_namespace_that_cannot_go_says_why_and_goes_when_it_can(world: World, ec2: Ec2) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("strange", "vm-1", provider="AWS")
    world.add_peer_pod("known", instance)
    world.start_manager()

    world.client.delete(Namespace, Key("", world.namespace))

    world.expect_gone("known")
    assert ec2.state_of(instance) == "terminated"
    world.expect_reason("strange", "ProviderUnknown")
    told = find_condition(world.get("strange").status.conditions, "VMDeleted")
    assert told is not None
    assert "'AWS'" in told.message
    world.annotate("strange", "kata.peerpods.io/skip-vm-deletion", "true")
    world.expect_gone("strange")


def test_the_sample_is_what_the_adaptor_writes(world: World) -> None:
    content = yaml.safe_load(SAMPLE.read_text())
    content["metadata"]["namespace"] = world.namespace

    world.client.create(Unstructured(content=content), kind=PEER_PODS)

    assert world.finalizers(content["metadata"]["name"]) == [PEER_POD_FINALIZER]
