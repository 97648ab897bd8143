"""Virtual machines of a vCenter."""

import http.client
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit
from xml.parsers.expat import ExpatError

from pyVmomi import SoapStubAdapter, vim, vmodl

from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    Busy,
    Gone,
    Hints,
    InProgress,
    InvalidInstanceID,
    Outcome,
    ProviderError,
    SettingsMissing,
    Transient,
    guard_name,
)
from controllers.peerpod.providers.http_answers import LOOK_AGAIN_SECONDS, error_of
from controllers.peerpod.providers.pinned_tls import pinned_context
from controllers.peerpod.providers.time_left import CONNECT_SECONDS, READ_SECONDS, TimeLeft
from controllers.peerpod.redaction import redacted
from framework.clock import Clock, SystemClock
from framework.runtime import Deadline, ThreadRuntime, current_deadline, deadline_scope

_NEEDED = ("GOVC_URL", "GOVC_USERNAME", "GOVC_PASSWORD")
_UUID = re.compile(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_STATUS = re.compile(r"(?P<status>[1-5][0-9]{2})\b")
_UNFINISHED = (vim.TaskInfo.State.queued, vim.TaskInfo.State.running)
_POLL_SECONDS = 0.5
# What a poll of a task may take at the end, so that its last answer is still within the time.
_RESERVE_SECONDS = 2.0


class VsphereProvider:
    name: ClassVar[str] = "vsphere"
    extra: ClassVar[str] = "vsphere"
    settings_keys: ClassVar[tuple[str, ...]] = (*_NEEDED, "GOVC_THUMBPRINT", "GOVC_DATACENTER", "GOVC_INSECURE")
    secret_keys: ClassVar[tuple[str, ...]] = ("GOVC_USERNAME", "GOVC_PASSWORD", "GOVC_THUMBPRINT")
    location_keys: ClassVar[tuple[str, ...]] = ("GOVC_URL", "GOVC_DATACENTER")

    def __init__(self, settings: Mapping[str, str], *, clock: Clock | None = None) -> None:
        if missing := [key for key in _NEEDED if not settings.get(key)]:
            raise SettingsMissing(*missing)
        self._settings = dict(settings)
        self._clock = clock or SystemClock()
        self._stub = _stub(settings, self._clock)
        # The number of logins: whoever finds the session gone logs in, unless another already has since.
        self._logins = 0
        self._lock = ThreadRuntime().lock()

    def validate_instance_id(self, instance_id: str) -> None:
        if not _UUID.fullmatch(instance_id):
            raise InvalidInstanceID(f"{instance_id!r} is not the UUID of a virtual machine")

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        self.validate_instance_id(instance_id)
        left = TimeLeft(self._clock, timeout_seconds)
        deadline = Deadline(self._clock.monotonic() + timeout_seconds, timeout_seconds)
        with deadline_scope(deadline), self._errors():
            return self._logged_in(lambda: self._delete(instance_id, hints, left))

    def close(self) -> None:
        if self._logins:
            try:
                with deadline_scope(Deadline(self._clock.monotonic() + CONNECT_SECONDS, CONNECT_SECONDS)):
                    self._content().sessionManager.Logout()
            except (OSError, http.client.HTTPException, vmodl.MethodFault, ExpatError):
                # The server ends a session that nobody uses.
                pass
        self._stub.DropConnections()

    def _delete(self, instance_id: str, hints: Hints, left: TimeLeft) -> Outcome:
        content = self._content()
        machine = content.searchIndex.FindByUuid(self._datacenter(content), instance_id, True, False)  # noqa: FBT003
        if machine is None:
            return Gone()
        try:
            state = properties_of(content, machine, "name", "runtime.powerState")
            notes = guard_name(state["name"], hints)
            if state["runtime.powerState"] != vim.VirtualMachine.PowerState.poweredOff:
                self._finish(content, machine.PowerOffVM_Task, left)
            is_destroyed = self._finish(content, machine.Destroy_Task, left)
        except vmodl.fault.ManagedObjectNotFound as fault:
            # Another object, such as the record of a task, may go without the machine.
            if fault.obj is None or fault.obj._moId == machine._moId:  # noqa: SLF001 - its name in the API
                return Gone()
            raise
        return Accepted(notes) if is_destroyed else InProgress(LOOK_AGAIN_SECONDS, notes)

    def _finish(self, content: Any, start: Callable[[], Any], left: TimeLeft) -> bool:
        """Whether the task ended well in time; what it failed with is raised."""
        task = start()
        while (info := properties_of(content, task, "info.state", "info.error"))["info.state"] in _UNFINISHED:
            if left.seconds() < _RESERVE_SECONDS:
                return False
            self._clock.wait(_POLL_SECONDS)
        if info["info.state"] == vim.TaskInfo.State.error:
            raise info["info.error"]
        return True

    def _datacenter(self, content: Any) -> Any:
        """None, which is all of them, if it has another name now: a UUID is not looked for by place alone."""
        if not (path := self._settings.get("GOVC_DATACENTER")):
            return None
        found = content.searchIndex.FindByInventoryPath(path.strip("/"))
        return found if isinstance(found, vim.Datacenter) else None

    def _content(self) -> Any:
        return vim.ServiceInstance("ServiceInstance", self._stub).RetrieveContent()

    def _logged_in(self, call: Callable[[], Outcome]) -> Outcome:
        seen = self._log_in(-1 if self._logins else 0)
        try:
            return call()
        except vim.fault.NotAuthenticated:
            self._log_in(seen)
            return call()

    def _log_in(self, seen: int) -> int:
        with self._lock:
            if self._logins == seen:
                name, password = self._settings["GOVC_USERNAME"], self._settings["GOVC_PASSWORD"]
                self._content().sessionManager.Login(name, password)
                self._logins += 1
            return self._logins

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except vmodl.MethodFault as fault:
            raise self._of_fault(fault) from None
        except ssl.SSLCertVerificationError as error:
            why = f"TLS: {error}; set GOVC_THUMBPRINT to that of the certificate, or trust its authority"
            raise AuthFailed(self._redacted(why)) from None
        except http.client.HTTPException as error:
            raise self._of_answer(error) from None
        except OSError as error:
            raise Transient(self._redacted(error)) from None
        except (ExpatError, LookupError, AttributeError, TypeError, ValueError) as error:
            # pyVmomi's parser, which has no error of its own for what it does not know.
            why = self._redacted(f"the answer cannot be read: {type(error).__name__}: {error}")
            raise Transient(why) from None

    def _of_fault(self, fault: Any) -> ProviderError:
        text = self._redacted(f"{type(fault).__name__}: {fault.msg or 'no message'}")
        if isinstance(fault, vim.fault.InvalidLogin | vim.fault.NotAuthenticated | vim.fault.NoPermission):
            return AuthFailed(text)
        if isinstance(fault, vim.fault.TaskInProgress | vim.fault.InvalidState | vim.fault.ConcurrentAccess):
            return Busy(text)
        return Transient(text)

    def _of_answer(self, error: http.client.HTTPException) -> ProviderError:
        text = self._redacted(error) or type(error).__name__
        # pyVmomi puts the status of an answer that is no SOAP into the text, and keeps nothing else of it.
        found = _STATUS.match(text)
        return error_of(int(found["status"]), text, None, self._clock.now()) if found else Transient(text)

    def _redacted(self, error: object) -> str:
        return redacted(str(error), self._settings, self.secret_keys)


class _BoundConnection(http.client.HTTPSConnection):
    """Connecting and reading have limits of their own, and neither goes beyond the deadline of the deletion."""

    def __init__(self, clock: Clock, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._clock = clock

    def connect(self) -> None:
        self.timeout = self._limit(CONNECT_SECONDS)
        super().connect()

    def request(self, *arguments: Any, **options: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(self._limit(READ_SECONDS))
        super().request(*arguments, **options)

    def _limit(self, seconds: float) -> float:
        deadline = current_deadline()
        if deadline is None:
            return seconds
        left = deadline.at - self._clock.monotonic()
        if left <= 0:
            raise TimeoutError("the vCenter has taken too long; the rest is left for the next attempt")
        return min(seconds, left)


def properties_of(content: Any, managed: Any, *paths: str) -> dict[str, Any]:
    """These alone: the whole of a machine may have parts that are newer than the library."""
    query = vmodl.query.PropertyCollector
    what = query.PropertySpec(type=type(managed), pathSet=list(paths))
    asked = query.FilterSpec(objectSet=[query.ObjectSpec(obj=managed)], propSet=[what])
    [found] = content.propertyCollector.RetrieveContents([asked])
    return {each.name: each.val for each in found.propSet}


def _stub(settings: Mapping[str, str], clock: Clock) -> Any:
    host, port, path = _address(settings["GOVC_URL"])
    stub = SoapStubAdapter(host=host, port=port, path=path, sslContext=_context(settings))
    stub.scheme = partial(_BoundConnection, clock)
    return stub


def _address(url: str) -> tuple[str, int, str]:
    """As govc reads it: the scheme and the path may be missing."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        raise AuthFailed("GOVC_URL is no URL") from None
    if parts.scheme != "https" or not host:
        raise AuthFailed("GOVC_URL is no https URL; a password is not sent in clear")
    return host, port, parts.path if parts.path not in ("", "/") else "/sdk"


def _context(settings: Mapping[str, str]) -> ssl.SSLContext:
    if thumbprint := settings.get("GOVC_THUMBPRINT"):
        try:
            return pinned_context(thumbprint)
        except ValueError as error:
            raise AuthFailed(f"GOVC_THUMBPRINT is {error}") from None
    context = ssl.create_default_context()
    if settings.get("GOVC_INSECURE", "").lower() in ("true", "1"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
