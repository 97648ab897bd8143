"""The servers that are compared, each in processes of its own."""

import os
import signal
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.process import Process
from hack.bench.apiserver.wire import HttpWire
from hack.bench.processes import cpu_seconds, resident_kib

REAL, EMBEDDED, DURABLE = "etcd + kube-apiserver", "embedded", "embedded, SQLite"
_START_LIMIT_SECONDS = 60.0
_LOOK_SECONDS = 0.001


class Server(Protocol):
    name: str

    def start(self) -> float:
        """Start it, and return after how many seconds it has given the first good answer."""

    def stop(self) -> None: ...

    def wire(self) -> HttpWire:
        """A connection of its own, as an administrator."""

    def pids(self) -> Sequence[int]: ...


class RealServer:
    name = REAL

    def __init__(self, binaries: Path, folder: Path) -> None:
        folder.mkdir()
        self._plane = ControlPlane(binaries, folder)

    def start(self) -> float:
        clock = SystemClock()
        before = clock.monotonic()
        self._plane.start()
        return clock.monotonic() - before

    def stop(self) -> None:
        self._plane.stop()

    def wire(self) -> HttpWire:
        port = int(self._plane.url.rpartition(":")[2])
        return HttpWire(port, ssl.create_default_context(cafile=str(self._plane.ca_file)), self._plane.token)

    def pids(self) -> Sequence[int]:
        return tuple(self._plane.pids.values())


class EmbeddedProcess:
    """`python -m framework.apiserver`, with those controllers that a cluster cannot do without."""

    def __init__(self, folder: Path, *, is_durable: bool = False, options: Sequence[str] = ()) -> None:
        folder.mkdir(exist_ok=True)
        self.name = DURABLE if is_durable else EMBEDDED
        self._folder = folder
        self._options = (*(("--durable",) if is_durable else ()), *options)
        self._process: Process | None = None

    def start(self) -> float:
        clock = SystemClock()
        command = [sys.executable, "-m", "framework.apiserver", "--folder", str(self._folder), "--no-workloads"]
        self._process = Process("apiserver", [*command, *self._options], log=self._folder / "log")
        # The guard, which is a process of the test kit, has just started the server.
        before = clock.monotonic()
        while not self._process.output().endswith("kubeconfig\n"):
            if not self._process.is_running() or clock.monotonic() > before + _START_LIMIT_SECONDS:
                raise TimeoutError(f"the embedded server does not start\n{self._process.tail()}")
            clock.wait(_LOOK_SECONDS)
        wire = self.wire()
        wire.send("GET", "/readyz")
        wire.close()
        return clock.monotonic() - before

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(signal.SIGTERM)

    def wire(self) -> HttpWire:
        keys = self._folder / "pki"
        tls = ssl.create_default_context(cafile=str(keys / "ca.crt"))
        tls.load_cert_chain(keys / "client-kubernetes-admin.crt", keys / "client-kubernetes-admin.key")
        kubeconfig = (self._folder / "kubeconfig").read_text()
        port = kubeconfig.partition("https://127.0.0.1:")[2].partition("\n")[0].strip('" ,')
        return HttpWire(int(port), tls)

    def pids(self) -> Sequence[int]:
        return () if self._process is None else (self._process.pid,)


def cpu_of(server: Server) -> float:
    return sum(cpu_seconds(pid) for pid in server.pids())


def memory_kib_of(server: Server) -> int:
    return sum(resident_kib(pid) for pid in server.pids())


def compile_once(folder: Path) -> None:
    """Let server processes keep what they have compiled, also where the environment forbids it beside the sources."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
