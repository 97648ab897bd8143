"""A process that dies between the deletion of a VM and the end of its PeerPod."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.testing.relay import Fault, Match, Relay, Stall
from tests.cluster import Cluster
from tests.integration.peerpods_vms.ec2 import Ec2
from tests.integration.peerpods_vms.world import World

ROOT = Path(__file__).parents[3]
Start = Callable[[Path], "subprocess.Popen[bytes]"]


@pytest.fixture
def start(world: World) -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def run(kubeconfig: Path) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.integration.peerpods_vms.driver", str(kubeconfig)]
        started.append(subprocess.Popen([*command, world.namespace, world.system], cwd=ROOT))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("action", "state"),
    [("DescribeInstances", "running"), ("DescribeAddresses", "running"), ("TerminateInstances", "terminated")],
)
def test_a_vm_is_terminated_once_although_the_process_died_before_the_cloud_answered(  # noqa: PLR0917 - fixtures
    world: World, ec2: Ec2, start: Start, control_plane: Cluster, action: str, state: str
) -> None:
    world.add_settings()
    instance, other = ec2.run_instance(), ec2.run_instance()
    world.add_peer_pod("one", instance)
    world.add_peer_pod("alive", other)
    world.delete("one")
    held = ec2.hold(action)

    first = start(control_plane.kubeconfig)
    assert held.is_reached.wait(90)
    first.kill()
    first.wait()
    held.release()

    assert ec2.state_of(instance) == state
    assert (world.get("one").status.cleand, world.finalizers("one")) == (False, [PEER_POD_FINALIZER])
    start(control_plane.kubeconfig)
    world.expect_gone("one")
    assert ec2.state_of(instance) == "terminated"
    assert len(ec2.asked("TerminateInstances", instance)) == 1
    assert (ec2.state_of(other), ec2.asked(instance=other)) == ("running", [])


def test_a_vm_is_terminated_once_although_the_process_died_before_the_finalizer_was_off(  # noqa: PLR0917 - fixtures
    world: World, ec2: Ec2, start: Start, relay: Relay, tmp_path: Path, control_plane: Cluster
) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("one", instance)
    world.delete("one")
    held = relay.inject(Fault(Match(method="PATCH", path="/peerpods/one/status$"), Stall(before_headers=True)))

    first = start(relay.kubeconfig(tmp_path, control_plane.token))
    held.wait(limit=90)
    first.kill()
    first.wait()
    relay.release()

    assert (world.get("one").status.cleand, world.finalizers("one")) == (True, [PEER_POD_FINALIZER])
    start(control_plane.kubeconfig)
    world.expect_gone("one")
    assert len(ec2.asked("TerminateInstances", instance)) == 1


def test_nothing_is_left_to_do_for_who_comes_after_one_that_died_when_the_finalizer_was_off(  # noqa: PLR0917 - fixtures
    world: World, ec2: Ec2, start: Start, relay: Relay, tmp_path: Path, control_plane: Cluster
) -> None:
    world.add_settings()
    instance, other = ec2.run_instance(), ec2.run_instance()
    world.add_peer_pod("one", instance)
    world.add_peer_pod("next", other)
    world.delete("one")
    held = relay.inject(Fault(Match(method="PATCH", path="/peerpods/one$"), Stall(before_headers=True)))

    first = start(relay.kubeconfig(tmp_path, control_plane.token))
    held.wait(limit=90)
    first.kill()
    first.wait()
    relay.release()

    assert (world.find("one"), ec2.state_of(instance)) == (None, "terminated")
    start(control_plane.kubeconfig)
    world.delete("next")
    world.expect_gone("next")
    assert len(ec2.asked("TerminateInstances", instance)) == 1
