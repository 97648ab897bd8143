"""The relay as a test sees it."""

import socket
import ssl
import threading  # noqa: TID251 - the relay is outside the seams: it plays the network
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.testing.relay.connection import Connection, Context
from framework.testing.relay.control import Control, Network
from framework.testing.relay.errors import RelayError
from framework.testing.relay.fault import Fault
from framework.testing.relay.interceptor import Interceptor
from framework.testing.relay.journal import Journal
from framework.testing.relay.kubeconfig import write_kubeconfig
from framework.testing.relay.listener import Listener
from framework.testing.relay.plan import Injection, Plan
from framework.testing.relay.request import SeenRequest
from framework.testing.relay.upstream import Upstream
from framework.testing.relay.wire import Wire
from framework.testing.tls import for_mortal_servers

_END_SECONDS = 2.0


class Relay:
    """Stands on a free port of the loopback in front of the server at *upstream_url*.

    It listens from the start: use it as a context manager, or close it. With
    *certificate* (certificate and key files) it speaks TLS; the certificate
    file must be enough for a client to verify it. *interceptor* is asked about
    every request, before the faults that were injected.
    """

    def __init__(
        self,
        upstream_url: str,
        *,
        ca_file: Path | None = None,
        certificate: tuple[Path, Path] | None = None,
        interceptor: Interceptor | None = None,
    ) -> None:
        self._certificate = certificate
        self._journal = Journal()
        self._plan = Plan(self._journal)
        self._context = Context(
            Upstream(upstream_url, ca_file), _server_tls(certificate), self._journal, self._plan, interceptor
        )
        self._network = Network()
        self._lock = threading.Lock()
        self._connections: dict[Connection, threading.Thread] = {}
        self._listener = Listener(self._connected)
        self._listener.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        return f"{'https' if self._certificate else 'http'}://127.0.0.1:{self._listener.port}"

    def kubeconfig(self, folder: Path, token: str) -> Path:
        """Write a kubeconfig that leads here, and return its path."""
        ca_file = self._certificate[0] if self._certificate else None
        return write_kubeconfig(folder / "relay.kubeconfig", url=self.url, token=token, ca_file=ca_file)

    @property
    def requests(self) -> list[SeenRequest]:
        """Every request so far, oldest first."""
        return self._journal.requests()

    def count(self, predicate: Callable[[SeenRequest], bool]) -> int:
        return sum(map(predicate, self.requests))

    def wait_for(self, predicate: Callable[[SeenRequest], bool], limit: float = 10.0) -> SeenRequest:
        """The first request, past or coming, that satisfies *predicate*; TimeoutError if none does in time."""
        return self._journal.wait_until(lambda: self._journal.first(predicate), limit, "no such request")

    def inject(self, fault: Fault) -> Injection:
        """Arm *fault*, beside those already armed."""
        return self._plan.inject(fault)

    def release(self) -> None:
        """Let every answer that is stalled now go on."""
        with self._network.changed:
            self._network.releases += 1
        for connection in self._open_connections():
            connection.control.wake()

    def cut(self) -> None:
        """Reset every connection and refuse new ones."""
        self._listener.shut()
        self._end_connections()
        self._network.set_frozen(frozen=False)

    def freeze(self) -> None:
        """Forward nothing and accept nothing, with every connection left open."""
        self._listener.leave()
        self._network.set_frozen(frozen=True)

    def restore(self) -> None:
        """End a cut or a freeze; what was frozen goes on where it stopped."""
        self._network.set_frozen(frozen=False)
        self._listener.open()

    def close(self) -> None:
        """End everything; RelayError if the relay could not do what it was asked to."""
        self._listener.close()
        self._end_connections()
        failure = self._journal.take_failure()
        if failure is not None:
            raise failure

    def _connected(self, connected: socket.socket) -> None:
        control = Control(self._network)
        connection = Connection(Wire(connected, control), control, self._context)
        thread = threading.Thread(target=connection.run, name="relay-connection", daemon=True)
        with self._lock:
            alive = {one: task for one, task in self._connections.items() if task.is_alive()}
            self._connections = alive | {connection: thread}
            thread.start()

    def _open_connections(self) -> dict[Connection, threading.Thread]:
        with self._lock:
            return dict(self._connections)

    def _end_connections(self) -> None:
        ending = self._open_connections()
        for connection in ending:
            connection.control.sever()
        for thread in ending.values():
            thread.join(_END_SECONDS)
            if thread.is_alive():
                raise RelayError("a connection of the relay did not end")


def _server_tls(certificate: tuple[Path, Path] | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = for_mortal_servers(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    context.load_cert_chain(*certificate)
    # Otherwise a client may take HTTP/2 for granted.
    context.set_alpn_protocols(["http/1.1"])
    return context
