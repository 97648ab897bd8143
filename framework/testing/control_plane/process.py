"""One server of the control plane, as a process under guard."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from framework.testing.control_plane import guard
from framework.testing.control_plane.error import ControlPlaneError

_STOP_LIMIT_SECONDS = 20.0
_TAIL_LINES = 20


class Process:
    """A command that ends at the latest with this Python process; its output is appended to one log."""

    def __init__(self, name: str, command: Sequence[str], *, log: Path) -> None:
        self.name = name
        self._log = log
        self._log_start = log.stat().st_size if log.exists() else 0
        self._guard, self._to_guard = _spawn_guard(command, log)
        # Blocks until the guard has started the command, or has ended: then nothing comes.
        report = self._to_guard.recv(32)
        if not report:
            self.stop(signal.SIGKILL)
            raise ControlPlaneError(f"cannot start {name}: {command[0]} does not run\n{self.tail()}")
        self.pid = int(report)

    def is_running(self) -> bool:
        return self._guard.poll() is None

    def stop(self, how: signal.Signals) -> None:
        """Send *how* and wait for the end; kill after a while. Stopping twice is harmless."""
        if self.is_running():
            self._send(how)
            try:
                self._guard.wait(_STOP_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self._send(signal.SIGKILL)
                self._guard.wait()
        self._to_guard.close()

    def output(self) -> str:
        """What this process, not an earlier one with the same log, has written."""
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode(errors="replace")

    def tail(self) -> str:
        """The end of the output, headed by the path of the log."""
        return "\n".join([f"--- {self._log}", *self.output().splitlines()[-_TAIL_LINES:]])

    def _send(self, how: signal.Signals) -> None:
        try:
            self._to_guard.send(bytes([how]))
        except BrokenPipeError:
            # It has ended already, and that is what was asked for.
            return


def _spawn_guard(command: Sequence[str], log: Path) -> tuple[subprocess.Popen[bytes], socket.socket]:
    # By its path and isolated: neither the working directory nor PYTHON* variables may decide what runs.
    guarded = [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *command]
    ours, theirs = socket.socketpair()
    with theirs, log.open("ab") as output:
        process = subprocess.Popen(
            guarded,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=output,
            cwd=log.parent,
            # Ctrl-C is for the tests, which then stop their control planes in order.
            start_new_session=True,
        )
    return process, ours
