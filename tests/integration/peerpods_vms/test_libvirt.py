"""Domains of libvirt go with their pods: the manager is in this process, for so is all that the test driver holds."""

from collections.abc import Iterator
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import ObjectMeta
from tests.integration.peerpods_vms.world import KEPT, World

libvirt = pytest.importorskip("libvirt", reason="needs libvirt-python, which `make venv` builds where libvirt-dev is")

URI = "test:///default"
PEER_POD = "shop-resource-abcde"
DOMAIN = "podvm-shop-12345678"
ROOT, CLOUD_INIT, SHARED = f"{DOMAIN}-root.qcow2", f"{DOMAIN}-cloudinit.iso", "shared.qcow2"


class Hypervisor:
    def __init__(self) -> None:
        self._connection = libvirt.open(URI)
        self.pool = self._connection.storagePoolLookupByName("default-pool")

    def run_domain(self, *volumes: str) -> str:
        """Its UUID."""
        for volume in volumes:
            self.pool.createXML(f"<volume><name>{volume}</name><capacity>1048576</capacity></volume>")
        disks = "".join(
            f"<disk type='file'><source file='/default-pool/{volume}'/><target dev='vd{letter}'/></disk>"
            for volume, letter in zip(volumes, "abc", strict=False)
        )
        head = f"<name>{DOMAIN}</name><memory>1024</memory><os><type>hvm</type></os>"
        domain = self._connection.defineXML(f"<domain type='test'>{head}<devices>{disks}</devices></domain>")
        domain.create()
        return str(domain.UUIDString())

    def undefine_domain(self) -> None:
        domain: Any = self._connection.lookupByName(DOMAIN)
        domain.destroy()
        domain.undefine()

    def has_domain(self) -> bool:
        return DOMAIN in [each.name() for each in self._connection.listAllDomains()]

    def close(self) -> None:
        if self.has_domain():
            self.undefine_domain()
        for volume in self.pool.listAllVolumes():
            volume.delete(0)
        self._connection.close()


@pytest.fixture
def hypervisor() -> Iterator[Hypervisor]:
    made = Hypervisor()
    yield made
    made.close()


@pytest.fixture
def libvirt_world(world: World) -> World:
    settings = {"CLOUD_PROVIDER": "libvirt", "LIBVIRT_URI": URI}
    world.client.create(ConfigMap(metadata=ObjectMeta(name="peer-pods-cm", namespace=world.system), data=settings))
    return world


def _delete_pod_of(world: World, domain_id: str) -> None:
    world.add_peer_pod(PEER_POD, domain_id, pod="shop", pod_uid=world.add_pod(), provider="libvirt")
    world.keep(PEER_POD)
    world.start_manager()
    world.delete_pod()


def _expect_released(world: World, reason: str) -> None:
    world.eventually(lambda: world.finalizers(PEER_POD) == [KEPT], lambda: f"not let go: {world.find(PEER_POD)}")
    assert world.get(PEER_POD).status.cleand
    world.expect_event(PEER_POD, reason)


def test_a_domain_goes_with_its_pod_and_so_do_its_volumes(libvirt_world: World, hypervisor: Hypervisor) -> None:
    _delete_pod_of(libvirt_world, hypervisor.run_domain(ROOT, CLOUD_INIT))

    _expect_released(libvirt_world, "VMDeleted")
    assert not hypervisor.has_domain()
    assert hypervisor.pool.listVolumes() == []


def test_a_volume_that_is_gone_already_does_not_hold_up_the_rest(libvirt_world: World, hypervisor: Hypervisor) -> None:
    domain_id = hypervisor.run_domain(ROOT, CLOUD_INIT)
    hypervisor.pool.storageVolLookupByName(ROOT).delete(0)

    _delete_pod_of(libvirt_world, domain_id)

    _expect_released(libvirt_world, "VMDeleted")
    assert not hypervisor.has_domain()
    assert hypervisor.pool.listVolumes() == []


def test_a_domain_that_is_undefined_already_is_let_go(libvirt_world: World, hypervisor: Hypervisor) -> None:
    domain_id = hypervisor.run_domain()
    hypervisor.undefine_domain()

    _delete_pod_of(libvirt_world, domain_id)

    _expect_released(libvirt_world, "VMAlreadyGone")


def test_a_volume_of_others_is_kept_and_the_user_is_told(libvirt_world: World, hypervisor: Hypervisor) -> None:
    _delete_pod_of(libvirt_world, hypervisor.run_domain(ROOT, SHARED))

    _expect_released(libvirt_world, "VMDeleted")
    libvirt_world.expect_event(PEER_POD, "VolumeKept")
    assert hypervisor.pool.listVolumes() == [SHARED]
