"""Three processes that want one Lease, and what can be done to them."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from apis.coordination.v1 import Lease
from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay

ROOT = Path(__file__).parents[3]
LIMIT_SECONDS = 180.0
# Before something is done to it.
WRITES_OF_A_LEADER = 8


class Stop(msgspec.Struct, frozen=True):
    """A process stood still for sure from the one moment on the monotonic clock to the other."""

    identity: str
    stopped_at: float
    continued_at: float


class Candidate:
    """A place in a trio: one process at a time, behind a relay that stays."""

    def __init__(self, name: str, trio: str, namespace: str, plane: ControlPlane, folder: Path) -> None:
        self._name = name
        self._trio = trio
        self._namespace = namespace
        self._folder = folder / name
        self._folder.mkdir(parents=True)
        self.relay = Relay(plane.url, ca_file=plane.ca_file)
        self._kubeconfig = self.relay.kubeconfig(self._folder, plane.token)
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self.identity = ""

    def start(self) -> None:
        """As another one each time: an identity belongs to one process."""
        self._starts += 1
        self.identity = f"{self._name}-{self._starts}"
        arguments = [str(self._kubeconfig), self._namespace, self._trio, self.identity, str(self._journal)]
        command = [sys.executable, "-m", "tests.integration.leadership.program", *arguments]
        with (self._folder / f"{self.identity}.log").open("wb") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)

    def kill(self) -> None:
        process = self._running()
        process.kill()
        process.wait()

    def stand_still(self) -> float:
        """Return a moment at which it stood still already."""
        process = self._running()
        process.send_signal(signal.SIGSTOP)
        assert wait_until(lambda: _state_of(process.pid) == "T", limit_seconds=LIMIT_SECONDS)
        return SystemClock().monotonic()

    def go_on(self) -> None:
        self._running().send_signal(signal.SIGCONT)

    @property
    def _journal(self) -> Path:
        return self._folder / f"{self.identity}.journal"

    def handed_over_at(self) -> dict[tuple[str, int], float]:
        """When each write, by identity and number, was handed to the transport last."""
        moments = {}
        for path in self._folder.glob("*.journal"):
            for line in path.read_text().splitlines():
                number, moment = line.split()
                moments[path.stem, int(number)] = float(moment)
        return moments

    def logs(self) -> list[dict[str, Any]]:
        lines = [line for log in sorted(self._folder.glob("*.log")) for line in log.read_text().splitlines()]
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self.relay.close()

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        assert self._process.poll() is None, f"{self.identity} ended by itself with {self._process.returncode}"
        return self._process


class Trio:
    def __init__(self, name: str, namespace: str, client: Client, plane: ControlPlane, folder: Path) -> None:
        self.name = name
        self._key = Key(namespace, name)
        self._client = client
        self.candidates = [Candidate(f"{name}-{place}", name, namespace, plane, folder) for place in "abc"]
        self.stops: list[Stop] = []
        client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace)))

    def start(self) -> None:
        for candidate in self.candidates:
            candidate.start()
        self.wait_for_a_leader()

    def end(self) -> None:
        for candidate in self.candidates:
            candidate.end()

    def kill_the_leader(self) -> None:
        leader = self._leader()
        leader.kill()
        self._wait_for_another_than(leader)
        leader.start()

    def stop_the_leader_for_longer_than_the_lease(self) -> None:
        leader = self._leader()
        stopped_at = leader.stand_still()
        self._wait_for_another_than(leader)
        self.stops.append(Stop(leader.identity, stopped_at, SystemClock().monotonic()))
        leader.go_on()

    def cut_the_leader_off(self) -> None:
        """Every connection is reset, and none can be made."""
        leader = self._leader()
        leader.relay.cut()
        self._wait_for_another_than(leader)
        leader.relay.restore()

    def let_the_leader_talk_to_nobody(self) -> None:
        """Nothing is answered and nothing arrives; connections look as if they were open."""
        leader = self._leader()
        leader.relay.freeze()
        self._wait_for_another_than(leader)
        # What is still on the way is lost.
        leader.relay.cut()
        leader.relay.restore()

    def wait_for_a_leader(self) -> None:
        self._leader()

    def _leader(self) -> Candidate:
        """Who holds the lease and is busy writing."""
        found: list[Candidate] = []
        first: dict[str, int] = {}

        def is_busy() -> bool:
            holder, data = self._holder(), self._data()
            found[:] = [each for each in self.candidates if each.identity == holder == data.get("writer")]
            number = int(data.get("number", "0"))
            return bool(found) and number >= first.setdefault(holder, number) + WRITES_OF_A_LEADER

        assert wait_until(is_busy, limit_seconds=LIMIT_SECONDS), f"{self.name}: nobody leads"
        return found[0]

    def _wait_for_another_than(self, former: Candidate) -> None:
        def has_changed() -> bool:
            return {former.identity, ""}.isdisjoint({self._data().get("writer", ""), self._holder()})

        assert wait_until(has_changed, limit_seconds=LIMIT_SECONDS), f"{self.name}: nobody follows {former.identity}"

    def _holder(self) -> str:
        with suppress(WindlassError):
            return self._client.get(Lease, self._key).spec.holder_identity or ""
        # Not there yet, or the API server is not.
        return ""

    def _data(self) -> Mapping[str, str]:
        with suppress(WindlassError):
            return self._client.get(ConfigMap, self._key).data
        return {}


def _state_of(pid: int) -> str:
    """One letter, as in ps; after the name, which may hold anything, in parentheses."""
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2]
