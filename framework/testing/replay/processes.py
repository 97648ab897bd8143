"""The processes of one scenario, as who replays it sees them."""

import os
import signal
import subprocess
import sys
import threading  # noqa: TID251 - crashes come from the threads of the relays
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from framework.errors import ConfigurationError
from framework.testing.control_plane.waiting import wait_until
from framework.testing.replay.birth import Answer, Birth, Order, Upbringing


class Processes:
    """None outlives this object, nor the process that holds it."""

    def __init__(self, upbringing: Upbringing, log: Path) -> None:
        self._lock = threading.Lock()
        self._log = log
        self._ended: list[str] = []
        command = [sys.executable, "-m", "framework.testing.replay.nursery", msgspec.json.encode(upbringing).decode()]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with log.open("ab") as errors:
            self._nursery = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        try:
            self._read()
        except ConfigurationError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, birth: Birth) -> None:
        self._ask(Order(start=birth))

    def kill(self, process: str) -> None:
        """As by kill -9: when this returns, it runs no more."""
        self._ask(Order(process=process, signal=signal.SIGKILL))

    def stop(self, process: str) -> None:
        """Nothing of it runs until it is told to go on."""
        self._ask(Order(process=process, signal=signal.SIGSTOP))

    def go_on(self, process: str) -> None:
        self._ask(Order(process=process, signal=signal.SIGCONT))

    def terminate(self, process: str, limit_seconds: float) -> None:
        """Ask it to end, and wait until it has; it is killed at the limit."""
        self._ask(Order(process=process, signal=signal.SIGTERM))
        if not wait_until(lambda: process in self.ended(), limit_seconds=limit_seconds):
            self.kill(process)
            return
        with self._lock:
            self._ended.remove(process)

    def ended(self) -> Sequence[str]:
        """Those that ended by themselves."""
        self._ask(Order())
        return list(self._ended)

    def close(self) -> None:
        for pipe in (self._nursery.stdin, self._nursery.stdout):
            if pipe is not None:
                pipe.close()
        self._nursery.wait()

    def _ask(self, order: Order) -> None:
        with self._lock:
            assert self._nursery.stdin is not None  # noqa: S101 - for the type checker: it was asked for
            self._nursery.stdin.write(msgspec.json.encode(order) + b"\n")
            self._nursery.stdin.flush()
            self._ended += msgspec.json.decode(self._read(), type=Answer).ended

    def _read(self) -> bytes:
        assert self._nursery.stdout is not None  # noqa: S101 - as above
        line = self._nursery.stdout.readline()
        if not line:
            raise ConfigurationError(f"the processes of this scenario cannot be made: {self._log.read_text()[-2000:]}")
        return line
