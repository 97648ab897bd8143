"""One side of a connection: a socket that never blocks, and what was read from it but not used yet."""

import fcntl
import select
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from framework.testing.relay.control import Control
from framework.testing.relay.errors import PeerClosed, RelayError

Result = TypeVar("Result")

RECEIVE_BYTES = 64 * 1024
HEAD_LIMIT_BYTES = 1024 * 1024
# Linux: the bytes in the send queue that have not left yet.
_SIOCOUTQNSD = 0x894B
_FLUSH_STEP_SECONDS = 0.01
_FLUSH_STEPS = 100


class Wire:
    """Reads and writes that `Control` can end; a wait on one side also notices the end of the *watched* one."""

    def __init__(self, connected: socket.socket, control: Control) -> None:
        connected.settimeout(0)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connected
        self._control = control
        self._buffer = bytearray()
        self.watched: Wire | None = None

    @property
    def is_ahead(self) -> bool:
        """Whether the peer has sent more than was asked of it; then it is not read, nor watched, further."""
        return bool(self._buffer)

    def fileno(self) -> int:
        return self._socket.fileno()

    def secure(self, context: ssl.SSLContext, *, server_name: str | None = None) -> None:
        """Speak TLS from now on: as the server, or to the one of that name."""
        secured = context.wrap_socket(
            self._socket,
            server_side=server_name is None,
            server_hostname=server_name,
            do_handshake_on_connect=False,
        )
        self._socket = secured
        self._attempt(secured.do_handshake, select.POLLIN, None)

    def send(self, data: bytes) -> None:
        sent = 0
        while sent < len(data):
            rest = memoryview(data)[sent:]
            # The other side may be done and gone; what it said is still to be delivered.
            sent += self._attempt(partial(self._socket.send, rest), select.POLLOUT, None)

    def until(self, end: bytes) -> bytes:
        """What comes up to and without *end*."""
        searched = 0
        while (position := self._buffer.find(end, searched)) < 0:
            if len(self._buffer) > HEAD_LIMIT_BYTES:
                raise RelayError(f"no {end!r} in the first {HEAD_LIMIT_BYTES} bytes: this is not HTTP/1.1")
            searched = max(0, len(self._buffer) - len(end) + 1)
            self._fill()
        found = bytes(self._buffer[:position])
        del self._buffer[: position + len(end)]
        return found

    def some(self, limit: int = RECEIVE_BYTES) -> bytes:
        """At least one byte and at most *limit*, as soon as there are any."""
        if not self._buffer:
            self._fill()
        found = bytes(self._buffer[:limit])
        del self._buffer[:limit]
        return found

    def absorb(self) -> None:
        """Keep for later what is there now, and notice the end."""
        try:
            with self._control.moving():
                self._keep(self._socket.recv(RECEIVE_BYTES))
        except (BlockingIOError, ssl.SSLWantReadError):
            return

    def pause(self, seconds: float) -> None:
        """Let time pass; the watched side may end it."""
        self._wait(0, self.watched, seconds)

    def hold(self, is_held: Callable[[], None]) -> None:
        """Read nothing until a release that comes after *is_held* was called; the watched side may end it."""
        network = self._control.network
        start = network.releases
        is_held()
        while network.releases == start:
            self._wait(0, self.watched)

    def flush(self) -> None:
        """Let what was sent leave the machine: a reset would destroy it."""
        for _ in range(_FLUSH_STEPS):
            unsent = struct.unpack("i", fcntl.ioctl(self._socket, _SIOCOUTQNSD, bytes(4)))[0]
            if not unsent:
                return
            self._control.wait({}, _FLUSH_STEP_SECONDS)

    def close(self, *, reset: bool) -> None:
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", reset, 0))
        self._socket.close()

    def _fill(self) -> None:
        self._keep(self._attempt(lambda: self._socket.recv(RECEIVE_BYTES), select.POLLIN, self.watched))

    def _keep(self, data: bytes) -> None:
        if not data:
            raise PeerClosed(self)
        self._buffer += data

    def _attempt(self, operation: Callable[[], Result], direction: int, watched: "Wire | None") -> Result:
        while True:
            try:
                with self._control.moving():
                    return operation()
            except ssl.SSLWantReadError:
                wanted = select.POLLIN
            except ssl.SSLWantWriteError:
                wanted = select.POLLOUT
            except BlockingIOError:
                wanted = direction
            self._wait(wanted, watched)

    def _wait(self, own_events: int, watched: "Wire | None", seconds: float | None = None) -> None:
        interests = {self.fileno(): own_events} if own_events else {}
        if watched and not watched.is_ahead:
            interests[watched.fileno()] = select.POLLIN
        ready = self._control.wait(interests, seconds)
        if watched and watched.fileno() in ready:
            watched.absorb()
