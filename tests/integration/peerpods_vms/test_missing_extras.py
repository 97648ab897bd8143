"""Where the SDK of a cloud is not installed, people are told what to install, and no VM is forgotten."""

import sys

import pytest

from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.conditions import find_condition
from tests.integration.peerpods_vms.world import World

# What `pip install windlass` does not bring.
SDKS = {
    "aws": "botocore",
    "azure": "azure",
    "gcp": "google",
    "ibmcloud": "ibm_vpc",
    "libvirt": "libvirt",
    "vsphere": "pyVmomi",
}


@pytest.fixture
def no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    for cloud, sdk in SDKS.items():
        for name in [name for name in sys.modules if name.partition(".")[0] == sdk]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.delitem(sys.modules, f"controllers.peerpod.providers.{cloud}", raising=False)
        # What stands for a module that is not installed.
        monkeypatch.setitem(sys.modules, sdk, None)


@pytest.mark.usefixtures("no_sdk")
def test_a_missing_extra_is_named_with_the_command_and_the_finalizer_stays(world: World) -> None:
    world.add_settings()
    for cloud in SDKS:
        world.add_peer_pod(cloud, "some-vm", provider=cloud)
        world.delete(cloud)

    world.start_manager()

    for cloud in SDKS:
        command = f"pip install windlass[{cloud}]"
        world.expect_reason(cloud, "ProviderUnavailable")
        told = find_condition(world.get(cloud).status.conditions, "VMDeleted")
        assert told is not None
        assert command in told.message
        world.expect_event(cloud, "VMDeletionFailed")
        assert any(command in each for each in world.all_events())
        assert world.finalizers(cloud) == [PEER_POD_FINALIZER]
