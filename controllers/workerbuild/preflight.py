"""Whether the real workerd starts with a configuration.

It runs the top level of foreign code, so it runs without a variable, a terminal or a kept file, in a session of its
own, with limits on its CPU time and its output, and is always killed at the end: a script that never returns does not
hear a polite signal.
"""

import os
import resource
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from controllers.workerbuild.context import CONFIG_FILE
from controllers.workerbuild.termination import one_line
from framework.clock import Clock, SystemClock
from framework.errors import ConfigurationError

_PIECE = 64 * 1024
_MOST_OUTPUT = 1024 * 1024
_LONGEST_MESSAGE = 2048
_KILLED = -signal.SIGKILL
# Who has used less of its time than this was not at work, and is given so many times more.
_BUSY_SHARE, _PATIENCE = 0.5, 3


class PreflightOptions(msgspec.Struct, frozen=True, kw_only=True):
    workerd: Path
    timeout_seconds: float = 10.0
    cpu_seconds: int = 10


class Failure(msgspec.Struct, frozen=True):
    """Why workerd did not start; *message* is one line of its own words if it said any."""

    message: str
    is_timeout: bool = False


class _Event(msgspec.Struct, frozen=True):
    event: str = ""
    socket: str = ""


def preflight(
    folder: Path, sockets: Sequence[str], options: PreflightOptions, clock: Clock | None = None
) -> Failure | None:
    """None if workerd listened on all *sockets* of the configuration in *folder*."""
    clock = clock or SystemClock()
    read_end, write_end = os.pipe()
    # Not below the folder, which may be one that cannot be written.
    with os.fdopen(read_end, "rb", buffering=0) as events, tempfile.TemporaryFile() as output:
        try:
            process = _start(folder, sockets, options, write_end, output)
        finally:
            os.close(write_end)
        try:
            _limit(process.pid, options)
            start = _Start(events, sockets, clock)
            waited = options.timeout_seconds
            start.wait(waited)
            if start.is_under_way and _cpu_seconds(process.pid) < waited * _BUSY_SHARE:
                # A machine that has no time for it, most likely: whoever computes without an end has had the time.
                waited *= 1 + _PATIENCE
                start.wait(options.timeout_seconds * _PATIENCE)
        finally:
            code = _end(process)
        if start.has_succeeded:
            return None
        if start.is_under_way:
            return Failure(f"did not start within {waited:g} s", is_timeout=True)
        return _failure(output, code, options)


def _start(
    folder: Path, sockets: Sequence[str], options: PreflightOptions, control: int, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    overrides = [argument for name in sockets for argument in ("-s", f"{name}=127.0.0.1:0")]
    command = [str(options.workerd), "serve", CONFIG_FILE, *overrides, f"--control-fd={control}"]
    try:
        return subprocess.Popen(  # noqa: S603 - our own program, no shell, names that were checked
            command,
            cwd=folder,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
            pass_fds=(control,),
            start_new_session=True,
        )
    except OSError as error:
        raise ConfigurationError(f"-workerd: {options.workerd}: {error.strerror}") from None


def _limit(pid: int, options: PreflightOptions) -> None:
    """From outside: what would run between fork and exec is not safe in a process with threads."""
    limits = {
        resource.RLIMIT_CPU: options.cpu_seconds,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: _MOST_OUTPUT,
    }
    for which, limit in limits.items():
        try:
            resource.prlimit(pid, which, (limit, limit))
        except ProcessLookupError:
            return


class _Start:
    """What workerd says of its sockets. Whoever ends without all of them has closed its end of the pipe."""

    def __init__(self, events: IO[bytes], sockets: Sequence[str], clock: Clock) -> None:
        self._events, self._clock = events, clock
        self._missing = set(sockets)
        self._rest = b""
        self._is_closed = False

    @property
    def has_succeeded(self) -> bool:
        return not self._missing

    @property
    def is_under_way(self) -> bool:
        return bool(self._missing) and not self._is_closed

    def wait(self, seconds: float) -> None:
        deadline = self._clock.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._events, selectors.EVENT_READ)
            while self.is_under_way:
                left = deadline - self._clock.monotonic()
                if left <= 0 or not selector.select(left):
                    return
                self._read()

    def _read(self) -> None:
        piece = self._events.read(_PIECE)
        self._is_closed = not piece
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._missing -= {_socket_of(line) for line in lines}


def _cpu_seconds(pid: int) -> float:
    """Of the whole process, so far."""
    try:
        # Its name, which is in parentheses, may hold anything; 12 and 13 after it are user and system time.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def _socket_of(line: bytes) -> str:
    try:
        event = msgspec.json.decode(line, type=_Event)
    except msgspec.DecodeError:
        return ""
    return event.socket if event.event == "listen" else ""


def _end(process: subprocess.Popen[bytes]) -> int:
    """Its exit code."""
    # Not reaped before, so that nobody else can have its number; the whole session goes with it.
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _failure(output: IO[bytes], code: int, options: PreflightOptions) -> Failure:
    output.seek(0)
    said = one_line(output.read(_LONGEST_MESSAGE).decode(errors="replace"))
    if said:
        return Failure(said)
    if code in {_KILLED, -signal.SIGXCPU}:
        return Failure(f"used more than {options.cpu_seconds} s of CPU before it started")
    return Failure(f"workerd ended with {code}")
