"""SIGTERM and SIGINT as an Event."""

import os
import signal
import socket

from framework.runtime import Event, Runtime


def stop_on_signals(stop: Event, runtime: Runtime) -> None:
    """Set *stop* at the first signal; end the process at the second: somebody is in a hurry."""
    # Not from a signal handler: it interrupts the main thread, which may hold the very lock that `set` needs.
    reader, writer = socket.socketpair()
    writer.setblocking(False)  # noqa: FBT003 - its only parameter
    signal.set_wakeup_fd(writer.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: None)
    runtime.spawn("signals", lambda: _wait_for_signals(reader, writer, stop))


def _wait_for_signals(reader: socket.socket, _writer: socket.socket, stop: Event) -> None:
    """Keeps *_writer* open as well: only its number is known to the interpreter."""
    reader.recv(1)
    stop.set()
    os._exit(128 + reader.recv(1)[0])
