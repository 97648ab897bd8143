"""The provider on libvirt's own test driver, and on a daemon that hangs."""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    CloudProvider,
    Gone,
    Hints,
    InvalidInstanceID,
    Permanent,
    Transient,
)
from framework.testing.control_plane.waiting import wait_until
from tests.component.peerpod.providers.libvirt_rpc import CONNECT_CLOSE, StuckDaemon

libvirt = pytest.importorskip("libvirt", reason="needs libvirt-python, which `make venv` builds where libvirt-dev is")
from controllers.peerpod.providers.libvirt import MOST_CALLS, LibvirtProvider  # noqa: E402 - not without libvirt

URI = "test:///default"
SETTINGS = {"LIBVIRT_URI": URI}
LIMIT_SECONDS = 60
# Long enough for a busy machine to come to where it gets stuck.
STUCK_SECONDS = 5.0


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    # What it holds is gone with the last connection of the process.
    connection = libvirt.open(URI)
    yield connection
    connection.close()


@pytest.fixture
def pool(driver: Any) -> Any:
    return driver.storagePoolLookupByName("default-pool")


Define = Callable[..., Any]


@pytest.fixture
def define(driver: Any, pool: Any) -> Iterator[Define]:
    """A running domain of that name with volumes of these names; all gone after the test."""
    names: list[str] = []

    def make(name: str, *volumes: str, is_transient: bool = False) -> Any:
        names.append(name)
        for volume in volumes:
            if volume not in pool.listVolumes():
                pool.createXML(f"<volume><name>{volume}</name><capacity>1048576</capacity></volume>")
        if is_transient:
            return driver.createXML(_domain_xml(name, volumes), 0)
        domain = driver.defineXML(_domain_xml(name, volumes))
        domain.create()
        return domain

    yield make
    for domain in driver.listAllDomains():
        if domain.name() in names:
            _end(domain)
    for volume in pool.listAllVolumes():
        volume.delete(0)


def _domain_xml(name: str, volumes: tuple[str, ...]) -> str:
    disks = "".join(
        f"<disk type='file'><source file='/default-pool/{volume}'/><target dev='vd{letter}'/></disk>"
        for volume, letter in zip(volumes, "abcdef", strict=False)
    )
    return (
        f"<domain type='test'><name>{name}</name><memory>1024</memory><os><type>hvm</type></os>"
        f"<devices>{disks}<disk type='file' device='cdrom'><target dev='hda'/></disk></devices></domain>"
    )


def _end(domain: Any) -> None:
    is_persistent = domain.isPersistent()
    if domain.isActive():
        domain.destroy()
    if is_persistent:
        domain.undefine()


def _delete(domain_id: str, **hints: Any) -> Any:
    return LibvirtProvider(SETTINGS).delete(domain_id, Hints(**hints), LIMIT_SECONDS)


def _names(driver: Any) -> list[str]:
    return [domain.name() for domain in driver.listAllDomains()]


def test_a_provider_is_what_the_contract_asks_for() -> None:
    assert isinstance(LibvirtProvider(SETTINGS), CloudProvider)


def test_a_running_domain_goes_with_its_volumes(driver: Any, pool: Any, define: Define) -> None:
    domain = define("podvm-x", "podvm-x-root.qcow2", "podvm-x-cloudinit.iso")

    outcome = _delete(domain.UUIDString())

    assert outcome == Accepted()
    assert "podvm-x" not in _names(driver)
    assert pool.listVolumes() == []


def test_a_stopped_domain_goes_too(driver: Any, pool: Any, define: Define) -> None:
    domain = define("podvm-x", "podvm-x-root.qcow2")
    domain.destroy()

    assert _delete(domain.UUIDString()) == Accepted()
    assert "podvm-x" not in _names(driver)
    assert pool.listVolumes() == []


def test_a_volume_that_is_gone_already_is_no_obstacle(driver: Any, pool: Any, define: Define) -> None:
    domain = define("podvm-x", "podvm-x-root.qcow2", "podvm-x-cloudinit.iso")
    pool.storageVolLookupByName("podvm-x-root.qcow2").delete(0)

    assert _delete(domain.UUIDString()) == Accepted()
    assert "podvm-x" not in _names(driver)
    assert pool.listVolumes() == []


def test_a_domain_that_is_undefined_already_is_gone(driver: Any, define: Define) -> None:
    domain = define("podvm-x")
    domain_id = domain.UUIDString()
    _end(domain)

    assert _delete(domain_id) == Gone()


def test_a_second_deletion_finds_nothing(driver: Any, define: Define) -> None:
    domain_id = define("podvm-x", "podvm-x-root.qcow2").UUIDString()

    assert [_delete(domain_id), _delete(domain_id)] == [Accepted(), Gone()]


def test_a_volume_of_another_name_is_kept_and_the_user_is_told(driver: Any, pool: Any, define: Define) -> None:
    domain = define("podvm-x", "podvm-x-root.qcow2", "shared.qcow2")

    outcome = _delete(domain.UUIDString())

    assert [note.reason for note in outcome.notes] == ["VolumeKept"]
    assert "/default-pool/shared.qcow2" in outcome.notes[0].message
    assert "podvm-x" not in _names(driver)
    assert pool.listVolumes() == ["shared.qcow2"]


def test_a_transient_domain_goes_with_its_volumes(driver: Any, pool: Any, define: Define) -> None:
    domain = define("podvm-x", "podvm-x-root.qcow2", is_transient=True)

    assert _delete(domain.UUIDString()) == Accepted()
    assert "podvm-x" not in _names(driver)
    assert pool.listVolumes() == []


def test_a_domain_of_another_name_is_left_alone(driver: Any, pool: Any, define: Define) -> None:
    domain = define("prod-db", "prod-db-root.qcow2")

    with pytest.raises(Permanent) as refused:
        _delete(domain.UUIDString())

    assert refused.value.reason == "NotAPodVM"
    assert domain.isActive()
    assert pool.listVolumes() == ["prod-db-root.qcow2"]


def test_without_the_guard_it_goes(driver: Any, define: Define) -> None:
    domain = define("prod-db")

    assert _delete(domain.UUIDString(), name_guard="off") == Accepted()
    assert "prod-db" not in _names(driver)


def test_a_domain_can_be_named_by_its_number_if_it_is_called_after_the_pod(driver: Any, define: Define) -> None:
    domain = define("podvm-my-pod-0123abcd")

    assert _delete(str(domain.ID()), pod_name="My.Pod") == Accepted()
    assert "podvm-my-pod-0123abcd" not in _names(driver)


@pytest.mark.parametrize("pod_name", ["other", ""])
@pytest.mark.parametrize("name_guard", ["enforce", "off"])
def test_a_number_that_was_given_to_another_domain_deletes_nothing(
    driver: Any, define: Define, pod_name: str, name_guard: str
) -> None:
    domain = define("podvm-my-pod-0123abcd")

    with pytest.raises(Permanent) as refused:
        _delete(str(domain.ID()), pod_name=pod_name, name_guard=name_guard)

    assert refused.value.reason == "NotAPodVM"
    assert domain.isActive()


def test_a_number_that_no_domain_has_is_gone(driver: Any) -> None:
    assert _delete("2147483647", pod_name="p") == Gone()


@pytest.mark.parametrize("instance_id", ["", "podvm-x", "i-0123456789abcdef0", "2147483648", "-1", "../x", "1\n"])
def test_what_can_be_no_id_is_refused(instance_id: str) -> None:
    with pytest.raises(InvalidInstanceID):
        LibvirtProvider(SETTINGS).validate_instance_id(instance_id)


def test_a_daemon_that_cannot_be_reached_may_be_tried_again() -> None:
    provider = LibvirtProvider({"LIBVIRT_URI": "test+tcp://127.0.0.1:1/default"})

    with pytest.raises(Transient, match="Connection refused"):
        provider.delete(str(uuid.uuid4()), Hints(), LIMIT_SECONDS)


@pytest.mark.parametrize("uri", ["no-uri", "http://[broken"])
def test_a_uri_that_is_none_is_refused_unread(uri: str) -> None:
    with pytest.raises(AuthFailed) as refused:
        LibvirtProvider({"LIBVIRT_URI": uri})

    assert uri not in str(refused.value)


def test_a_password_in_the_uri_is_in_no_text(capfd: pytest.CaptureFixture[str]) -> None:
    provider = LibvirtProvider({"LIBVIRT_URI": "test+tcp://someone:hunter2@127.0.0.1:1/default"})

    with pytest.raises(Transient) as failed:
        provider.delete(str(uuid.uuid4()), Hints(), LIMIT_SECONDS)

    assert "hunter2" not in str(failed.value) + "".join(capfd.readouterr())


def test_a_stuck_call_is_abandoned_and_does_no_more_when_it_comes_back() -> None:
    with StuckDaemon() as daemon:
        provider = LibvirtProvider({"LIBVIRT_URI": daemon.uri})

        with pytest.raises(Transient, match="abandoned"):
            provider.delete(str(uuid.uuid4()), Hints(), STUCK_SECONDS)
        assert daemon.is_looked_up.wait(LIMIT_SECONDS)
        daemon.release()

        assert daemon.is_closed.wait(LIMIT_SECONDS)
        assert daemon.asked_after_look_up() == [CONNECT_CLOSE]


def test_only_so_many_stuck_calls_are_left_behind(driver: Any) -> None:
    with StuckDaemon() as daemon:
        # One connection is served; the others hang before it is their turn.
        provider = LibvirtProvider({"LIBVIRT_URI": daemon.uri})

        def abandon(_: int) -> None:
            with pytest.raises(Transient, match="abandoned"):
                provider.delete(str(uuid.uuid4()), Hints(), STUCK_SECONDS)

        with ThreadPoolExecutor(MOST_CALLS) as pool:
            list(pool.map(abandon, range(MOST_CALLS)))

        with pytest.raises(Transient, match="nothing new is started"):
            provider.delete(str(uuid.uuid4()), Hints(), LIMIT_SECONDS)

    assert wait_until(lambda: provider._calls._running == 0, limit_seconds=LIMIT_SECONDS)
