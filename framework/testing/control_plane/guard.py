"""Run one command and see to it that it does not outlive the process that asked for it.

    python guard.py PARENT_PID COMMAND [ARGUMENT...]

stdin carries signal numbers for the command, one byte each; its end means kill. stdout gets the pid of the command,
then nothing more. The command writes to stderr. The exit code is that of the command.

Guarantees: the command is gone soon after the end of the parent or of the guard, however these end.
Run as a file, so that it needs nothing but the standard library and starts in milliseconds.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

_PR_SET_PDEATHSIG = 1
_PARENT_CHECK_SECONDS = 1.0


def main(argv: Sequence[str]) -> int:
    parent, command = int(argv[1]), argv[2:]
    woken = _wake_on_child_exit()
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            process_group=0,
            # Safe here, and only here: this process has one thread. With more, the child could deadlock before
            # exec, and the death signal would come from the end of a thread rather than of the process.
            preexec_fn=_die_with(os.getpid()),  # noqa: PLW1509
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return 127
    os.write(1, f"{child.pid}\n".encode())
    os.close(1)
    while child.poll() is None:
        _obey(child, parent, woken)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _wake_on_child_exit() -> int:
    """Return a descriptor that becomes readable when the child ends."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read_end


def _die_with(guard: int) -> Callable[[], None]:
    prctl = ctypes.CDLL(None).prctl

    def arrange() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # The guard may have ended before the line above took effect.
        if os.getppid() != guard:
            os._exit(1)

    return arrange


def _obey(child: subprocess.Popen[bytes], parent: int, woken: int) -> None:
    ready, _, _ = select.select([0, woken], [], [], _PARENT_CHECK_SECONDS)
    if woken in ready:
        os.read(woken, 64)
    signals = os.read(0, 64) if 0 in ready else None
    # A fork of the parent may still hold its end of the pipe: hence the second look.
    if signals == b"" or os.getppid() != parent:
        _kill_group(child)
        return
    for number in signals or b"":
        child.send_signal(number)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    # The group's number cannot be someone else's: the child has not been waited for yet.
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
