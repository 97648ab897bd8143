"""The running servers of one control plane."""

import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from framework.testing.control_plane.error import ControlPlaneError
from framework.testing.control_plane.process import Process
from framework.testing.control_plane.waiting import wait_until

# Long enough for a machine that compiles something else at the same time.
_READY_LIMIT_SECONDS = 90.0
_BIND_ATTEMPTS = 5


class PortTakenError(ControlPlaneError):
    """Somebody else was faster; other ports may do."""


class Processes:
    """Starts servers, waits for them and ends them in the opposite order; the end of one is an error of every wait."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # In the order of their start. Invariant: a server that was told to stop is not in it.
        self._running: dict[str, Process] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._running

    def pids(self) -> dict[str, int]:
        return {name: process.pid for name, process in self._running.items()}

    def start(self, name: str, command: Sequence[str]) -> None:
        self._running[name] = Process(name, command, log=self._folder / f"{name}.log")

    def start_on_free_ports(
        self, name: str, command: Callable[[], Sequence[str]], is_ready: Callable[[], bool]
    ) -> None:
        """Start *name* with a command that picks ports anew each time, until it can bind them, and wait for it."""
        for attempt in range(_BIND_ATTEMPTS):
            self.start(name, command())
            try:
                self.wait_for(name, is_ready)
            except PortTakenError:
                self.stop(name, signal.SIGKILL)
                if attempt == _BIND_ATTEMPTS - 1:
                    raise
            else:
                return

    def wait_for(self, name: str, is_ready: Callable[[], bool]) -> None:
        """Return when *name* has done what *is_ready* looks at."""
        done = wait_until(lambda: bool(self._ended()) or is_ready(), limit_seconds=_READY_LIMIT_SECONDS)
        for process in self._ended():
            taken = "address already in use" in process.output()
            kind = PortTakenError if taken else ControlPlaneError
            raise kind(f"{process.name} ended by itself; the end of its log says why\n{process.tail()}")
        if not done:
            tail = self._running[name].tail()
            raise ControlPlaneError(f"{name} is not ready after {_READY_LIMIT_SECONDS:.0f} s\n{tail}")

    def stop(self, name: str, how: signal.Signals) -> None:
        """End *name* if it is running."""
        if process := self._running.pop(name, None):
            process.stop(how)

    def stop_all(self, how: signal.Signals) -> None:
        for name in reversed(tuple(self._running)):
            self.stop(name, how)

    def _ended(self) -> list[Process]:
        return [process for process in self._running.values() if not process.is_running()]
