"""Domains of libvirt, with the volumes that were made for them."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit, urlunsplit
from xml.etree import ElementTree as ET

import libvirt

from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    Busy,
    Gone,
    Hints,
    InvalidInstanceID,
    Note,
    Outcome,
    Permanent,
    ProviderError,
    Transient,
    guard_name,
)
from controllers.peerpod.providers.abandonable import AbandonableCalls
from controllers.peerpod.redaction import redacted
from framework.clock import Clock, SystemClock
from framework.runtime import Runtime, ThreadRuntime

DEFAULT_URI = "qemu+ssh://root@192.168.122.1/system?no_verify=1"
# As many as the controller deletes at a time, and as many again that were left behind.
MOST_CALLS = 8

_UUID = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_DOMAIN_ID = re.compile(r"[0-9]{1,10}")
# The adaptor cuts the name of the pod so that the whole has no more than 63 characters.
_LONGEST_POD_NAME = 48

_REFUSED_TO_US = {
    libvirt.VIR_ERR_AUTH_FAILED,
    libvirt.VIR_ERR_AUTH_CANCELLED,
    libvirt.VIR_ERR_AUTH_UNAVAILABLE,
    libvirt.VIR_ERR_ACCESS_DENIED,
    libvirt.VIR_ERR_OPERATION_DENIED,
}
# What ssh says reaches us as the text of a system error.
_REFUSED_BY_SSH = re.compile(r"Permission denied|Host key verification failed|Too many authentication failures")
_BUSY = {libvirt.VIR_ERR_RESOURCE_BUSY, libvirt.VIR_ERR_BLOCK_COPY_ACTIVE}
_UNDEFINE_ALL = (
    libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
    | libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE
    | libvirt.VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
)


class LibvirtProvider:
    """Every deletion has a connection of its own: nothing is shared by threads, and one that hangs holds up no other.

    libvirt prints what fails on stderr, also what is expected to: only a handler for the whole process could silence
    it, which is the program's to register.
    """

    name: ClassVar[str] = "libvirt"
    extra: ClassVar[str] = "libvirt"
    settings_keys: ClassVar[tuple[str, ...]] = ("LIBVIRT_URI",)
    secret_keys: ClassVar[tuple[str, ...]] = ()
    location_keys: ClassVar[tuple[str, ...]] = ("LIBVIRT_URI",)

    def __init__(
        self, settings: Mapping[str, str], *, clock: Clock | None = None, runtime: Runtime | None = None
    ) -> None:
        self._uri = _uri_of(settings.get("LIBVIRT_URI") or DEFAULT_URI)
        self._clock = clock or SystemClock()
        self._calls = AbandonableCalls[Outcome](runtime or ThreadRuntime(), most=MOST_CALLS)

    def validate_instance_id(self, instance_id: str) -> None:
        is_domain_id = _DOMAIN_ID.fullmatch(instance_id) and int(instance_id) < 1 << 31
        if not is_domain_id and not _UUID.fullmatch(instance_id):
            raise InvalidInstanceID(f"{instance_id!r} is neither the UUID nor the number of a domain")

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        self.validate_instance_id(instance_id)
        deletion = _Deletion(self._uri, instance_id, hints, self._clock, self._clock.monotonic() + timeout_seconds)
        return self._calls.run("libvirt", deletion.run, timeout_seconds)

    def close(self) -> None:
        pass


class _Deletion:
    """One run of the steps; a step that comes back after the deadline is the last one."""

    def __init__(self, uri: str, instance_id: str, hints: Hints, clock: Clock, deadline: float) -> None:
        self._uri = uri
        self._instance_id = instance_id
        self._hints = hints
        self._clock = clock
        self._deadline = deadline

    def run(self) -> Outcome:
        try:
            connection = self._call(libvirt.open, self._uri)
            try:
                return self._delete(connection)
            finally:
                connection.close()
        except libvirt.libvirtError as error:
            raise _classified(error) from None

    def _delete(self, connection: Any) -> Outcome:
        domain = self._look_up(connection)
        if domain is None:
            return Gone()
        notes = self._guard(domain.name())
        # Before it is destroyed, which is the end of a transient domain and of this list of its disks.
        disks = _file_disks(self._call(domain.XMLDesc))
        is_persistent = self._call(domain.isPersistent)
        if self._call(domain.isActive):
            self._unless(domain.destroy, libvirt.VIR_ERR_OPERATION_INVALID, libvirt.VIR_ERR_NO_DOMAIN)
        # Before the domain is undefined: should this end here, its XML still says what is left to delete.
        for path in disks:
            notes += self._delete_volume(connection, path, domain.name())
        if is_persistent:
            self._undefine(domain)
        return Accepted(notes)

    def _look_up(self, connection: Any) -> Any:
        by_number = _DOMAIN_ID.fullmatch(self._instance_id)
        try:
            if by_number:
                return self._call(connection.lookupByID, int(self._instance_id))
            return self._call(connection.lookupByUUIDString, self._instance_id)
        except libvirt.libvirtError as error:
            if error.get_error_code() == libvirt.VIR_ERR_NO_DOMAIN:
                return None
            raise

    def _guard(self, name: str) -> tuple[Note, ...]:
        # Numbers are given anew after a restart of the host, so this holds whatever the guard of names is.
        if _DOMAIN_ID.fullmatch(self._instance_id) and not _is_named_after(name, self._hints.pod_name):
            why = f"domain {self._instance_id} is called {name!r}, which does not name the pod; it is left alone"
            raise Permanent("NotAPodVM", why)
        return guard_name(name, self._hints)

    def _delete_volume(self, connection: Any, path: str, domain_name: str) -> tuple[Note, ...]:
        try:
            volume = self._call(connection.storageVolLookupByPath, path)
            if not volume.name().startswith(domain_name):
                return (Note("VolumeKept", f"volume {path} was not made for domain {domain_name}, so it is kept"),)
            self._call(volume.delete, 0)
        except libvirt.libvirtError as error:
            if error.get_error_code() != libvirt.VIR_ERR_NO_STORAGE_VOL:
                raise
        return ()

    def _undefine(self, domain: Any) -> None:
        unsupported = (libvirt.VIR_ERR_INVALID_ARG, libvirt.VIR_ERR_NO_SUPPORT)
        attempts: tuple[Callable[[], object], ...] = (
            lambda: domain.undefineFlags(_UNDEFINE_ALL),
            lambda: domain.undefineFlags(_UNDEFINE_ALL & ~libvirt.VIR_DOMAIN_UNDEFINE_NVRAM),
        )
        for attempt in attempts:
            if self._unless(attempt, *unsupported, libvirt.VIR_ERR_NO_DOMAIN) not in unsupported:
                return
        self._unless(domain.undefine, libvirt.VIR_ERR_NO_DOMAIN)

    def _unless(self, call: Callable[[], object], *expected: int) -> int:
        """Which of the *expected* errors *call* gave; 0 if none."""
        try:
            self._call(call)
        except libvirt.libvirtError as error:
            if error.get_error_code() not in expected:
                raise
            return int(error.get_error_code())
        return 0

    def _call(self, call: Callable[..., Any], *arguments: object) -> Any:
        # Nobody waits any more: whatever came next might meet a VM that has changed hands.
        if self._clock.monotonic() >= self._deadline:
            raise Transient("libvirt has taken too long; the rest is left for the next attempt")
        return call(*arguments)


def _uri_of(uri: str) -> str:
    """Without a password, which libvirt does not read from it but may print."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise AuthFailed("LIBVIRT_URI is no URI") from None
    if not parts.scheme:
        raise AuthFailed("LIBVIRT_URI is no URI: it has no scheme")
    if not parts.password:
        return uri
    user_info, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user_info.partition(':')[0]}@{host}"))


def _file_disks(xml: str) -> list[str]:
    disks = ET.fromstring(xml).iterfind("./devices/disk[@type='file']/source[@file]")  # noqa: S314 - of libvirt
    return [source.attrib["file"] for source in disks]


def _is_named_after(name: str, pod_name: str) -> bool:
    sanitised = re.sub(r"[^a-z0-9-]", "-", pod_name.lower())[:_LONGEST_POD_NAME]
    return bool(sanitised) and sanitised in name


def _classified(error: Any) -> ProviderError:
    text = redacted(str(error), {}, ())
    code = error.get_error_code()
    if code in _REFUSED_TO_US or _REFUSED_BY_SSH.search(text):
        return AuthFailed(text)
    if code in _BUSY:
        return Busy(text)
    return Transient(text)
