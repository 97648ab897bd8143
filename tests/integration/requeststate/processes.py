"""The console script as real processes, with their output and their end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from framework.testing.control_plane.waiting import wait_until

WINDLASS = Path(sys.executable).with_name("windlass")
LIMIT_SECONDS = 90.0
_OWN_VARIABLES = ("KUBECONFIG", "KUBERNETES_SERVICE_HOST")
# All processes of all tests share one loopback: who wants the page chooses an address.
_NO_DEBUG_PAGE = {"WINDLASS_DEBUG_BIND_ADDRESS": "0"}


class Process:
    """One run of `windlass`; its output is in two files."""

    def __init__(self, flags: tuple[str, ...], environment: Mapping[str, str], folder: Path, name: str) -> None:
        self.name = f"{name} {' '.join(flags)}"
        self._stdout, self._stderr = folder / f"{name}.stdout", folder / f"{name}.stderr"
        with self._stdout.open("wb") as stdout, self._stderr.open("wb") as stderr:
            self._process = subprocess.Popen([str(WINDLASS), *flags], env=environment, stdout=stdout, stderr=stderr)

    @property
    def stdout(self) -> str:
        return self._stdout.read_text()

    @property
    def stderr(self) -> str:
        return self._stderr.read_text()

    @property
    def logs(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stderr.splitlines() if line.startswith("{") and line.endswith("}")]

    def wait(self, limit: float = LIMIT_SECONDS) -> int:
        try:
            return self._process.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} has not ended within {limit} s") from None

    def is_running(self) -> bool:
        return self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        self._process.wait()

    def wait_for_log(self, event: str, limit: float = LIMIT_SECONDS, **fields: object) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [log for log in self.logs if {**log, "event": event, **fields} == log]

        assert wait_until(lambda: bool(found()), limit_seconds=limit), f"{self.name} did not log {event} {fields}"
        return found()[0]

    def end(self) -> None:
        """Whatever state it is in, and show what it said: pytest prints it when the test failed."""
        if self.is_running():
            self.kill()
        print(f"--- {self.name}: exit {self._process.returncode}\n{self.stdout}{self.stderr}")  # noqa: T201 - for pytest


class Windlass:
    """Starts processes and ends them all."""

    def __init__(self, folder: Path, kubeconfig: Path, namespace: str) -> None:
        self._folder = folder
        self._kubeconfig = kubeconfig
        self._namespace = namespace
        self._processes: list[Process] = []

    def start(
        self, *flags: str, kubeconfig: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> Process:
        cluster = (f"-kubeconfig={kubeconfig or self._kubeconfig}", f"-namespace={self._namespace}")
        return self.start_bare(*cluster, *flags, environment=environment)

    def start_bare(self, *flags: str, environment: Mapping[str, str] | None = None) -> Process:
        """Without any flag but *flags*."""
        inherited = {name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES}
        variables = {**inherited, "HOME": str(self._folder), **_NO_DEBUG_PAGE, **(environment or {})}
        process = Process(flags, variables, self._folder, f"windlass-{len(self._processes)}")
        self._processes.append(process)
        return process

    def worker(
        self, *flags: str, kubeconfig: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> Process:
        """A worker that has synced its cache and begun to work."""
        process = self.start("-mode=worker", *flags, kubeconfig=kubeconfig, environment=environment)
        process.wait_for_log("controller_started")
        return process

    def director(self, *flags: str, kubeconfig: Path | None = None) -> Process:
        """A director that creates nothing, runs until it is told to stop, and leads."""
        process = self.start("-requests=0", *flags, kubeconfig=kubeconfig)
        process.wait_for_log("leading")
        return process

    def end(self) -> None:
        for process in self._processes:
            process.end()


def eventual_event(kubectl: Callable[..., subprocess.CompletedProcess[str]], namespace: str, reason: str) -> str:
    """What kubectl shows of the events with that *reason*, as soon as there is one."""

    def shown() -> str:
        return kubectl("get", "events", "-n", namespace, "--no-headers", f"--field-selector=reason={reason}").stdout

    eventually(lambda: bool(shown()), f"an event says {reason}")
    return shown()


def eventually(condition: Callable[[], bool], what: str, limit: float = LIMIT_SECONDS) -> None:
    assert wait_until(condition, limit_seconds=limit), f"not within {limit} s: {what}"
