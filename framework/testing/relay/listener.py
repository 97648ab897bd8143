"""The door of the relay: open, unattended, or shut."""

import select
import socket
import threading  # noqa: TID251 - the relay is outside the seams: it plays the network
from collections.abc import Callable

from framework.testing.relay.control import Control, Network
from framework.testing.relay.errors import Severed

_HOST = "127.0.0.1"


class Listener:
    """Accepts on one port of the loopback for as long as it lives."""

    def __init__(self, accepted: Callable[[socket.socket], None]) -> None:
        self._accepted = accepted
        # Bound but never listening: keeps the port ours while the door is shut.
        self._guard = _bound(0)
        self.port: int = self._guard.getsockname()[1]
        self._socket: socket.socket | None = None
        self._control: Control | None = None
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        if self._thread is not None:
            return
        if self._socket is None:
            self._socket = _bound(self.port)
            self._socket.listen(128)
            self._socket.settimeout(0)
        control = self._control = Control(Network())
        listening = self._socket
        self._thread = threading.Thread(target=lambda: self._accept(listening, control), name="relay-listener")
        self._thread.start()

    def leave(self) -> None:
        """Accept nothing; the kernel still lets clients in to wait."""
        if self._thread is None or self._control is None:
            return
        self._control.sever()
        self._thread.join()
        self._control.close()
        self._thread = None

    def shut(self) -> None:
        """Clients are refused, those that wait are reset."""
        self.leave()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def close(self) -> None:
        self.shut()
        self._guard.close()

    def _accept(self, listening: socket.socket, control: Control) -> None:
        try:
            while True:
                if control.wait({listening.fileno(): select.POLLIN}):
                    self._accept_one(listening)
        except Severed:
            return

    def _accept_one(self, listening: socket.socket) -> None:
        try:
            connected, _ = listening.accept()
        except (BlockingIOError, ConnectionError):
            # The client went away while it waited.
            return
        self._accepted(connected)


def _bound(port: int) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((_HOST, port))
    return bound
