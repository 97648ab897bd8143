"""govmomi's simulation of a vCenter, as a process of the test."""

import hashlib
import ssl
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from pyVmomi import SoapStubAdapter, vim

from controllers.peerpod.providers.vsphere import properties_of

_BUILD_SCRIPT = Path(__file__).parents[4] / "hack" / "vcsim" / "build"
# Of hack/vcsim/main.go: what it is told to do fails only when it is under way.
BUSY_VM, LASTING_VM = "DC0_C0_RP0_VM0", "DC0_C0_RP0_VM1"
_ORDINARY = "DC0_H0_VM"
USER, PASSWORD = "govc-user", "govc-password"


def built_simulator() -> Path:
    built = subprocess.run([sys.executable, str(_BUILD_SCRIPT)], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        pytest.skip(f"needs vcsim, which hack/vcsim/build makes with Go: {built.stderr.strip()[-300:]}")
    return Path(built.stdout.split()[-1])


class VCenter:
    def __init__(self, binary: Path) -> None:
        command = [str(binary), "-user", USER, "-password", PASSWORD]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        address = urlsplit(self.url)
        assert address.hostname is not None
        assert address.port is not None
        self.thumbprint = thumbprint_of(address.hostname, address.port)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._stub = SoapStubAdapter(host=address.hostname, port=address.port, sslContext=context)
        self._content = vim.ServiceInstance("ServiceInstance", self._stub).RetrieveContent()
        self._content.sessionManager.Login(USER, PASSWORD)

    @property
    def settings(self) -> dict[str, str]:
        login = {"GOVC_USERNAME": USER, "GOVC_PASSWORD": PASSWORD}
        return {"GOVC_URL": self.url, "GOVC_THUMBPRINT": self.thumbprint, **login}

    def take(self, name: str = "") -> Any:
        """A running machine, renamed to a pod's unless it is asked for by its name."""
        if name:
            return self._named(name)
        machine = next(each for each in self._machines() if each.name.startswith(_ORDINARY))
        machine.Rename_Task(f"podvm-{machine._moId}")
        return machine

    def uuid_of(self, machine: Any) -> str:
        return str(properties_of(self._content, machine, "config.uuid")["config.uuid"])

    def has(self, uuid: str) -> bool:
        return self._content.searchIndex.FindByUuid(None, uuid, True, False) is not None  # noqa: FBT003

    def end_other_sessions(self) -> None:
        sessions = self._content.sessionManager
        mine = sessions.currentSession.key
        sessions.TerminateSession([each.key for each in sessions.sessionList if each.key != mine])

    def _named(self, name: str) -> Any:
        return next(each for each in self._machines() if each.name == name)

    def _machines(self) -> list[Any]:
        entities = self._content.rootFolder.childEntity[0].vmFolder.childEntity
        return [each for each in entities if isinstance(each, vim.VirtualMachine)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stub.DropConnections()
        # It ends with its stdin.
        self._process.communicate(timeout=60)


def thumbprint_of(host: str, port: int) -> str:
    certificate = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, port)))
    digest = hashlib.sha1(certificate, usedforsecurity=False).hexdigest().upper()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))
