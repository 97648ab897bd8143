"""The API server that all contestants meet on, and the objects in it."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TypeVar

from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from hack.bench import objects
from hack.bench.contestant import Contestant
from hack.bench.entrants import REPLAY, WRITER
from hack.bench.processes import cpu_seconds
from hack.bench.recording import record

NAMESPACE = "bench"
_CRDS = Path(__file__).resolve().parents[2] / "crds"
_START_LIMIT_SECONDS = 60.0
_WRITE_LIMIT_SECONDS = 900.0

Answer = TypeVar("Answer")


class Arena:
    def __init__(self, plane: ControlPlane, folder: Path) -> None:
        self._plane = plane
        self._folder = folder
        # A patch that changes nothing gives no event, so no two writers write the same.
        self._values = count(1000)
        self.client: Client = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))

    @property
    def kubeconfig(self) -> str:
        return str(self._plane.kubeconfig)

    def install(self, kubectl: Path) -> None:
        install_kinds(kubectl, self.kubeconfig)

    def populate(self, namespace: str, number: int, *, kib: float) -> None:
        objects.create_namespace(self.client, namespace)
        objects.create_requests(self.client, namespace, number, kib=kib)

    def record(self, events: int) -> None:
        with self.writer(events) as writer:
            record(self.client, writer, NAMESPACE, events, self._folder)
            writer.wait_for("written", limit_seconds=_WRITE_LIMIT_SECONDS)

    @contextmanager
    def writer(self, events: int) -> Iterator[Contestant]:
        """A process that changes the first *events* objects once it is told to go."""
        arguments = (self.kubeconfig, NAMESPACE, str(events), str(next(self._values)))
        with self.started(WRITER, *arguments) as writer:
            writer.wait_for("ready", limit_seconds=_START_LIMIT_SECONDS)
            yield writer

    @contextmanager
    def replay(self) -> Iterator[tuple[Contestant, str]]:
        """A server of the recording, and the kubeconfig for it."""
        with self.started(REPLAY, self.kubeconfig, str(self._folder)) as server:
            address = server.wait_for("ready", limit_seconds=_START_LIMIT_SECONDS).note
            yield server, str(_write_kubeconfig(self._folder / "replay.kubeconfig", address))

    def started(self, module: str, *arguments: str, checkout: str = "") -> Contestant:
        return Contestant(module, arguments, folder=self._folder, checkout=checkout)

    def server_cpu_of(self, work: Callable[[], Answer]) -> tuple[Answer, float]:
        pid = self._plane.pids["kube-apiserver"]
        before = cpu_seconds(pid)
        answer = work()
        return answer, cpu_seconds(pid) - before


def install_kinds(kubectl: Path, kubeconfig: str) -> None:
    """All of ours; they are served when this returns."""
    command = [str(kubectl), "--kubeconfig", kubeconfig]
    for arguments in (
        ["apply", "--server-side", "-f", str(_CRDS)],
        ["wait", "--for=condition=Established", "--timeout=60s", "-f", str(_CRDS)],
    ):
        subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL)


def _write_kubeconfig(path: Path, server: str) -> Path:
    name = "replay"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "users": [{"name": name, "user": {"token": name}}],
    }
    # JSON is YAML.
    path.write_text(json.dumps(content))
    return path
