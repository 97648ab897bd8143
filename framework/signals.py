"""SIGTERM and SIGINT as an Event."""

import os
import signal
import socket

from framework.runtime import Event, Runtime, ThreadRuntime


def stop_on_signals(runtime: Runtime | None = None) -> Event:
    """An Event that the first SIGTERM or SIGINT sets; a second one ends the process: somebody is in a hurry.

    To be called from the main thread.
    """
    runtime = runtime or ThreadRuntime()
    stop = runtime.event()
    # Not set from a signal handler: it interrupts the main thread, which may hold the very lock that `set` needs.
    reader, writer = socket.socketpair()
    writer.setblocking(False)  # noqa: FBT003 - its only parameter
    signal.set_wakeup_fd(writer.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: None)
    runtime.spawn("signals", lambda: _wait_for_signals(reader, writer, stop))
    return stop


def _wait_for_signals(reader: socket.socket, _writer: socket.socket, stop: Event) -> None:
    """Keeps *_writer* open as well: only its number is known to the interpreter."""
    reader.recv(1)
    stop.set()
    os._exit(128 + reader.recv(1)[0])
