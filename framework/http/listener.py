"""Accepts connections, looks after them, and lets them finish."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from framework.bugs import report_bug
from framework.clock import Clock
from framework.http.connection import Connection
from framework.http.service import Service
from framework.http.tls import LeanTls, TlsContexts

_CHECK_SECONDS = 0.1
# So many beyond the limit get to hear of it; any more wait in the kernel's queue.
_REFUSALS_AT_ONCE = 32
# Sockets that were told to close at once do so in a few rounds of the loop.
_ABORT_SECONDS = 1.0


class Listener:
    """Lives on the event loop; `run` returns when all connections are gone."""

    def __init__(self, service: Service, listening: socket.socket, tls: TlsContexts | None, clock: Clock) -> None:
        self._service = service
        self._options = service.options
        self._listening = listening
        self._tls = tls
        self._clock = clock
        self._is_stopped = asyncio.Event()
        self._grace_seconds = 0.0
        # One for each connection, from its first moment on: a handshake takes a place too.
        self._places = asyncio.Semaphore(self._options.max_connections + _REFUSALS_AT_ONCE)
        self._connections: set[Connection] = set()
        self._handshakes: set[asyncio.Task[None]] = set()
        self._is_empty = asyncio.Event()

    async def run(self) -> None:
        accepting = asyncio.create_task(self._accept_all())
        checking = asyncio.create_task(self._check_all())
        await self._is_stopped.wait()
        accepting.cancel()
        self._listening.close()
        for handshake in self._handshakes:
            handshake.cancel()
        await self._end_all(Connection.finish, self._grace_seconds)
        await self._end_all(Connection.abort, _ABORT_SECONDS)
        checking.cancel()
        self._service.workers.stop()

    def stop(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._service.is_stopping = True
        self._is_stopped.set()

    def join(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._is_empty.clear()

    def leave(self, connection: Connection) -> None:
        self._connections.remove(connection)
        self._places.release()
        if not self._connections:
            self._is_empty.set()

    async def _accept_all(self) -> None:
        while True:
            await self._places.acquire()
            try:
                accepted, _ = await self._service.loop.sock_accept(self._listening)
            except OSError:
                # Out of file descriptors, most likely: wait until some connections have ended.
                self._places.release()
                await asyncio.sleep(_CHECK_SECONDS)
                continue
            handshake = asyncio.create_task(self._begin(accepted))
            self._handshakes.add(handshake)
            handshake.add_done_callback(self._handshakes.discard)

    async def _begin(self, accepted: socket.socket) -> None:
        is_one_too_many = len(self._connections) >= self._options.max_connections
        connection = Connection(self._service, self, is_one_too_many=is_one_too_many)
        try:
            await self._connect(connection, accepted)
        except (OSError, asyncio.CancelledError):
            # No TLS, the wrong certificates, too slow, or we are stopping. Nobody is there to be told.
            if connection not in self._connections:
                accepted.close()
                self._places.release()

    async def _connect(self, connection: Connection, accepted: socket.socket) -> None:
        loop = self._service.loop
        # Else the end of an answer of several TLS records waits for the client's delayed acknowledgement;
        # asyncio sets it only on sockets that were made with the number of the protocol.
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            await loop.connect_accepted_socket(lambda: connection, accepted)
            return
        context = self._tls()
        if context is None:
            raise ConnectionAbortedError("there is no certificate yet")
        is_encrypted = loop.create_future()
        linger_seconds = self._options.linger_seconds
        tls = LeanTls(loop, connection, context, is_encrypted, server_side=True, ssl_shutdown_timeout=linger_seconds)
        transport, _ = await loop.connect_accepted_socket(lambda: tls, accepted)
        try:
            async with asyncio.timeout(self._options.head_seconds):
                await is_encrypted
        except (OSError, asyncio.CancelledError):
            transport.abort()
            raise

    async def _check_all(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            now = self._clock.monotonic()
            for connection in list(self._connections):
                try:
                    connection.check(now)
                except Exception as error:  # noqa: BLE001 - the others must be looked after all the same
                    report_bug("a connection could not be looked after", error)
                    connection.abort()

    async def _end_all(self, how: Callable[[Connection], None], seconds: float) -> None:
        for connection in list(self._connections):
            how(connection)
        if self._connections:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_empty.wait(), seconds)
