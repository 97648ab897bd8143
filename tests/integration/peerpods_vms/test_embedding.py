"""Both controllers in a manager that somebody else has made, with a plugin that somebody else has installed."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from apis.confidentialcontainers.peerpodconfig import LabelSelector, PeerPodConfig, PeerPodConfigSpec
from apis.meta import Key, ObjectMeta, Unstructured
from controllers.peerpod.location import NODES
from controllers.peerpod.provider import ENTRY_POINT_GROUP
from controllers.peerpods.options import PeerPodOptions
from examples import peer_pods
from examples.managers import polling_manager
from framework.manager import Manager
from tests.integration.peerpods_vms.ec2 import Ec2
from tests.integration.peerpods_vms.world import World

VM = "kata.peerpods.io/vm"
_PLUGIN = """
from controllers.peerpod.provider import Gone
deleted = []
class Nimbus:
    name, extra = "nimbus", ""
    settings_keys = secret_keys = location_keys = ()
    def __init__(self, settings): pass
    def validate_instance_id(self, instance_id): pass
    def delete(self, instance_id, hints, timeout_seconds):
        deleted.append(instance_id)
        return Gone()
    def close(self): pass
"""


@pytest.fixture
def nimbus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A distribution with a provider; the name of its module."""
    info = tmp_path / "nimbus-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nimbus\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\nnimbus = nimbus_plugin:Nimbus\n")
    (tmp_path / "nimbus_plugin.py").write_text(_PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nimbus_plugin", raising=False)
    return "nimbus_plugin"


@pytest.fixture
def nodes(world: World) -> Iterator[list[str]]:
    names = [f"{letter}-{world.namespace}" for letter in "abc"]
    for name in names:
        metadata = {"name": name, "labels": {"test": world.namespace}}
        world.client.create(
            Unstructured(content={"apiVersion": "v1", "kind": "Node", "metadata": metadata}), kind=NODES
        )
    yield names
    for name in names:
        world.client.delete(NODES, Key("", name))


def capacities(world: World, names: list[str]) -> list[str]:
    found: list[Unstructured] = [world.client.get(NODES, Key("", name)) for name in names]
    return [each.content.get("status", {}).get("capacity", {}).get(VM, "") for each in found]


def ours(world: World) -> Manager:
    return peer_pods.manager_of(world.connected(), world.system, watched=world.namespace)


def foreign(world: World) -> polling_manager.PollingManager:
    options = PeerPodOptions(namespace=world.system, webhook_mode="disabled", adaptor_grace_seconds=30.0)
    return polling_manager.manager_of(world.connected(), options)


@pytest.mark.parametrize("manager_of", [ours, foreign])
def test_a_foreign_manager_hosts_both(
    world: World,
    ec2: Ec2,
    nodes: list[str],
    nimbus: str,
    manager_of: Callable[[World], Manager | polling_manager.PollingManager],
) -> None:
    before = dict(os.environ)
    world.add_settings()
    instance = ec2.run_instance()
    manager = manager_of(world)
    manager.start()
    try:
        spec = PeerPodConfigSpec(
            cloud_secret_name="peer-pods-secret",
            config_map_name="peer-pods-cm",
            limit="20",
            label_selector=LabelSelector(match_labels={"test": world.namespace}),
        )
        config = ObjectMeta(name="config", namespace=world.namespace)
        world.client.create(PeerPodConfig(metadata=config, spec=spec))
        world.add_peer_pod("shop-resource-abcde", instance, pod="shop", pod_uid=world.add_pod())
        world.add_peer_pod("of-another-cloud", "vm-1", provider="nimbus")

        world.eventually(
            lambda: capacities(world, nodes) == ["7", "7", "6"], lambda: f"not divided: {capacities(world, nodes)}"
        )
        world.delete_pod()
        world.delete("of-another-cloud")

        world.expect_gone("shop-resource-abcde", "of-another-cloud")
        assert ec2.state_of(instance) == "terminated"
        deleted = sys.modules[nimbus].deleted
        assert set(deleted) == {"vm-1"}
        # A manager whose cache lags behind may do it twice, which has no second effect; ours reads its own writes.
        assert len(deleted) == 1 or manager_of is foreign
        world.client.delete(PeerPodConfig, config.key)
        world.eventually(lambda: not world.client.list(PeerPodConfig, world.namespace), "the config stays")
    finally:
        manager.stop()
    assert dict(os.environ) == before
