"""One contestant in a process of its own, as the bench sees it."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from framework.clock import SystemClock

_END_LIMIT_SECONDS = 5.0
_TAIL_CHARACTERS = 500
_READ_BYTES = 65536


class Figures(msgspec.Struct, frozen=True):
    """What a contestant says of itself when it reaches a stage; CPU and wall count from arbitrary starts."""

    stage: str
    cpu_seconds: float
    wall_seconds: float
    rss_kib: int
    peak_kib: int
    raw_bytes: int = 0
    note: str = ""


class ContestantError(Exception):
    """The contestant did not reach a stage; one line says which and why."""


class Contestant:
    """Ends with the `with` block, and by itself when the bench dies: its stdin is our pipe."""

    def __init__(self, module: str, arguments: Sequence[str], *, folder: Path, checkout: str = "") -> None:
        self._name = module.rpartition(".")[2]
        self._log = folder / f"{self._name}.log"
        self._buffer = b""
        self._clock = SystemClock()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # The folder in which a module is started is the first that is looked into for packages.
                cwd=checkout or None,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Its end may have come first; then what was still to be said does not matter.
        with contextlib.suppress(BrokenPipeError):
            self._stdin_of().close()
        try:
            self._process.wait(_END_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout_of().close()

    def say(self, word: str) -> None:
        """`go` starts the work; any other word asks for a report under that name."""
        stdin = self._stdin_of()
        try:
            stdin.write(f"{word}\n".encode())
            stdin.flush()
        except BrokenPipeError:
            raise ContestantError(f"{self._name} ended early; its log ends with: {self._tail()}") from None

    def wait_for(self, *stages: str, limit_seconds: float) -> Figures:
        """The figures of the first of *stages* that is reached; reports of others are dropped."""
        deadline = self._clock.monotonic() + limit_seconds
        while True:
            try:
                figures = self._next_report(deadline)
            except (EOFError, TimeoutError) as error:
                missed = f"{self._name} {error} before it was {' or '.join(stages)}"
                raise ContestantError(f"{missed}; its log ends with: {self._tail()}") from None
            if figures.stage in stages:
                return figures

    def figures(self, limit_seconds: float = 10.0) -> Figures:
        """How it stands now."""
        self.say("now")
        return self.wait_for("now", limit_seconds=limit_seconds)

    def _next_report(self, deadline: float) -> Figures:
        while b"\n" not in self._buffer:
            self._read_more(deadline)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return msgspec.json.decode(line, type=Figures)

    def _read_more(self, deadline: float) -> None:
        descriptor = self._stdout_of().fileno()
        readable, _, _ = select.select([descriptor], [], [], max(0.0, deadline - self._clock.monotonic()))
        if not readable:
            raise TimeoutError("ran out of time")
        chunk = os.read(descriptor, _READ_BYTES)
        if not chunk:
            raise EOFError("ended")
        self._buffer += chunk

    def _tail(self) -> str:
        end = self._log.read_text(errors="replace")[-_TAIL_CHARACTERS:]
        return " | ".join(line.strip() for line in end.splitlines()) or "nothing"

    def _stdin_of(self) -> IO[bytes]:
        assert self._process.stdin is not None  # noqa: S101 - made with a pipe
        return self._process.stdin

    def _stdout_of(self) -> IO[bytes]:
        assert self._process.stdout is not None  # noqa: S101 - made with a pipe
        return self._process.stdout
