"""The server as a process of its own, on one folder and one port, to be killed and started again."""

import os
import signal
import ssl
import sys
from collections.abc import Sequence
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from framework.clock import SystemClock
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.process import Process
from framework.testing.tls import for_mortal_servers

MERGE = "application/merge-patch+json"
_START_LIMIT_SECONDS = 60.0
_LOOK_SECONDS = 0.005
_clock = SystemClock()


class Answered(NamedTuple):
    code: int
    content: Any


class Wire:
    """One kept connection as an administrator, without any retry: what was answered is known, the rest is not."""

    def __init__(self, port: int, tls: ssl.SSLContext) -> None:
        self._connection = HTTPSConnection("127.0.0.1", port, context=tls, timeout=30)

    def send(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Answered:
        """Raises OSError or HTTPException if the server goes away first."""
        encoded = None if body is None else msgspec.json.encode(body)
        self._connection.request(method, path, encoded, {"Content-Type": content_type})
        response = self._connection.getresponse()
        return Answered(response.status, msgspec.json.decode(response.read()))

    def stream(self, path: str) -> Any:
        """The answer to a GET, of which lines can be read while they come."""
        self._connection.request("GET", path)
        return self._connection.getresponse()

    def close(self) -> None:
        self._connection.close()


class DurableServer:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Not one that the kernel gives to whoever connects: it must be free again after each end of the server.
        self.port = free_port()
        self._log = folder / "server.log"
        self._process: Process | None = None

    @property
    def database(self) -> Path:
        return self.folder / "objects.sqlite"

    @property
    def write_ahead_log(self) -> Path:
        return self.folder / "objects.sqlite-wal"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Return when it answers, always on the same port."""
        self._process = process = Process("apiserver", server_command(self.folder, self.port), log=self._log)
        limit = _clock.monotonic() + _START_LIMIT_SECONDS
        while not process.output().endswith("/kubeconfig\n"):
            assert process.is_running(), process.tail()
            assert _clock.monotonic() < limit, process.tail()
            _clock.wait(_LOOK_SECONDS)

    def kill(self) -> None:
        assert self._process is not None
        # Straight to the process: the guard would be an unknown delay.
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.stop(signal.SIGKILL)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(signal.SIGTERM)

    def output(self) -> str:
        assert self._process is not None
        return self._process.output()

    def wire(self) -> Wire:
        keys = self.folder / "pki"
        tls = for_mortal_servers(ssl.create_default_context(cafile=str(keys / "ca.crt")))
        tls.load_cert_chain(keys / "client-kubernetes-admin.crt", keys / "client-kubernetes-admin.key")
        return Wire(self.port, tls)


def server_command(folder: Path, port: int = 0) -> Sequence[str]:
    # Without workloads nothing but the test writes, so that revisions tell everything.
    options = ("--folder", str(folder), "--port", str(port), "--durable", "--no-workloads")
    return (sys.executable, "-m", "framework.apiserver", *options)
