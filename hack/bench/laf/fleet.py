"""One hub and many remote clusters, each in processes of its own."""

import base64
import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import msgspec

from framework.testing.control_plane import ControlPlane
from hack.bench.apiserver.servers import EmbeddedProcess
from hack.bench.laf.audit import Record, audit_arguments
from hack.bench.laf.sizes import Sizes
from hack.bench.processes import cpu_seconds

HUB, REAL, EMBEDDED = "hub", "real clusters", "embedded clusters"


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A running API server: how to reach it, what it was asked, and its processes."""

    name: str
    group: str
    kubeconfig_file: Path
    # The same, but it needs no other file.
    kubeconfig: str
    record: Record
    pids: Sequence[int]

    @property
    def cpu_seconds(self) -> float:
        return sum(map(cpu_seconds, self.pids))


class Fleet:
    """Started by `with`; whatever was started ends with it."""

    def __init__(self, binaries: Path, folder: Path, sizes: Sizes, say: Callable[[str], None]) -> None:
        self._binaries = binaries
        self._folder = folder
        self._sizes = sizes
        self._say = say
        self._running = ExitStack()
        self.remotes: list[Server] = []

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            self._say("starting the hub")
            self.hub_plane, self.hub = self._real(HUB, HUB, starting)
            for number in range(self._sizes.real_clusters):
                self._say(f"starting real cluster {number + 1} of {self._sizes.real_clusters}")
                self.remotes.append(self._real(f"real-{number:02}", REAL, starting)[1])
            self._say(f"starting {self._sizes.embedded_clusters} embedded clusters")
            for number in range(self._sizes.embedded_clusters):
                self.remotes.append(self._embedded(f"embedded-{number:02}", starting))
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    @property
    def servers(self) -> Sequence[Server]:
        return (self.hub, *self.remotes)

    def groups(self) -> Mapping[str, Sequence[Server]]:
        return {name: [each for each in self.servers if each.group == name] for name in (HUB, REAL, EMBEDDED)}

    def marks(self) -> dict[str, int]:
        """Where the record of each server ends now."""
        return {each.name: each.record.mark() for each in self.servers}

    @contextmanager
    def hanging(self, server: Server) -> Iterator[None]:
        """Stopped, not ended: the kernel accepts connections for it, and nobody answers."""
        for pid in server.pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in server.pids:
                os.kill(pid, signal.SIGCONT)

    def _real(self, name: str, group: str, starting: ExitStack) -> tuple[ControlPlane, Server]:
        arguments, log = audit_arguments(self._folder / f"{name}-audit")
        plane = ControlPlane(self._binaries, self._folder / name, extra_apiserver_args=arguments)
        starting.enter_context(plane)
        data = base64.b64encode(plane.ca_file.read_bytes()).decode()
        kubeconfig = _kubeconfig({"server": plane.url, "certificate-authority-data": data}, {"token": plane.token})
        return plane, Server(
            name=name,
            group=group,
            kubeconfig_file=plane.kubeconfig,
            kubeconfig=kubeconfig,
            record=Record(log),
            pids=tuple(plane.pids.values()),
        )

    def _embedded(self, name: str, starting: ExitStack) -> Server:
        folder = self._folder / name
        log = folder / "audit.log"
        process = EmbeddedProcess(folder, options=("--audit-log", str(log)))
        starting.callback(process.stop)
        process.start()
        return Server(
            name=name,
            group=EMBEDDED,
            kubeconfig_file=folder / "kubeconfig",
            kubeconfig=(folder / "kubeconfig").read_text(),
            record=Record(log),
            pids=tuple(process.pids()),
        )


def _kubeconfig(cluster: Mapping[str, object], user: Mapping[str, object]) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    )
