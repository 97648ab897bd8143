"""Small HTTP servers for probes and metrics, with TLS on request.

Guarantees: one request for each connection, answered or dropped within ten
seconds however slowly it is sent; no more than so many connections at a time;
after a stop no thread and no socket is left.
"""

import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any

import msgspec
import structlog

from framework.clock import Clock, SystemClock
from framework.http.address import listen
from framework.runtime import Runtime, Task

_REQUEST_SECONDS = 10.0
_POLL_SECONDS = 0.1
_END_SECONDS = 5.0
MAX_CONNECTIONS = 64

_log = structlog.get_logger("windlass.manager")


class Page(msgspec.Struct, frozen=True):
    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


# Asked for each connection; None: there is no certificate yet.
TlsContexts = Callable[[], ssl.SSLContext | None]
# Is given the headers of the request, their names in lower case, and under `:path` what was asked for, query included.
Route = Callable[[Mapping[str, str]], Page]


def text_page(status: int, text: str, *headers: tuple[str, str]) -> Page:
    return Page(status, "text/plain; charset=utf-8", text.encode(), headers)


class HttpServer:
    """Serves GET and HEAD for a fixed set of paths, from the moment it is made: a connection waits for `start`."""

    def __init__(
        self,
        name: str,
        address: str,
        routes: Mapping[str, Route],
        runtime: Runtime,
        *,
        clock: Clock | None = None,
        tls: TlsContexts | None = None,
        request_seconds: float = _REQUEST_SECONDS,
    ) -> None:
        self._name = name
        self._runtime = runtime
        self._server = _Server(
            listen(name, address),
            _handler(routes),
            runtime,
            clock or SystemClock(),
            tls=tls,
            request_seconds=request_seconds,
        )
        self._task: Task | None = None

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self) -> None:
        self._task = self._runtime.spawn(f"http-{self._name}", lambda: self._server.serve_forever(_POLL_SECONDS))

    def stop(self) -> None:
        """End at once, connections included."""
        if self._task is not None:
            self._server.shutdown()
            self._task.join(_END_SECONDS)
        self._server.server_close()
        self._server.end_connections()


class _Connection:
    def __init__(self, opened: socket.socket, ends_at: float) -> None:
        self.socket = opened
        self.ends_at = ends_at
        self.task: Task | None = None


class _Server(TCPServer):
    """A thread for each connection, made by the Runtime and remembered until it has ended."""

    def __init__(
        self,
        listening: socket.socket,
        handler: type[BaseHTTPRequestHandler],
        runtime: Runtime,
        clock: Clock,
        *,
        tls: TlsContexts | None,
        request_seconds: float,
    ) -> None:
        super().__init__(("", 0), handler, bind_and_activate=False)
        # The base class has made a socket of its own choice.
        self.socket.close()
        self.socket = listening
        self.server_address = listening.getsockname()
        self._runtime = runtime
        self._clock = clock
        self._tls = tls
        self._request_seconds = request_seconds
        # Touched by the accepting task only, and by the stopping one after that has ended.
        self._connections: list[_Connection] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        connection = _Connection(request, self._clock.monotonic() + self._request_seconds)
        connection.task = self._runtime.spawn("http-connection", lambda: self._serve(connection, client_address))
        self._connections.append(connection)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002 - the base class calls it so
        self._forget_ended()
        return len(self._connections) < MAX_CONNECTIONS

    def service_actions(self) -> None:
        """Drop whoever is late; called a few times a second."""
        self._forget_ended()
        now = self._clock.monotonic()
        for connection in self._connections:
            if now >= connection.ends_at:
                _shut(connection.socket)

    def end_connections(self) -> None:
        for connection in self._connections:
            _shut(connection.socket)
        for connection in self._connections:
            if connection.task is not None:
                connection.task.join(_END_SECONDS)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class calls it so
        # A client that went away, or was cut off, is none of our problems.
        _log.debug("http_connection_failed", exc_info=True)

    def _forget_ended(self) -> None:
        self._connections = [each for each in self._connections if each.task is not None and each.task.is_alive()]

    def _serve(self, connection: _Connection, client_address: Any) -> None:
        try:
            self._begin_tls(connection)
            self.finish_request(connection.socket, client_address)
        except Exception:  # noqa: BLE001 - as the base class does: one connection must not end the server
            self.handle_error(connection.socket, client_address)
        finally:
            _say_goodbye(connection.socket)
            self.shutdown_request(connection.socket)

    def _begin_tls(self, connection: _Connection) -> None:
        if self._tls is None:
            return
        context = self._tls()
        if context is None:
            raise ConnectionError("there is no certificate yet")
        # The handshake comes after, so that whoever cuts the connection off finds the socket that is in use.
        secured = context.wrap_socket(connection.socket, server_side=True, do_handshake_on_connect=False)
        connection.socket = secured
        secured.do_handshake()


def _say_goodbye(opened: socket.socket) -> None:
    """With TLS, tell the client that this was all; else it cannot know that nobody has cut the answer short."""
    if not isinstance(opened, ssl.SSLSocket):
        return
    with suppress(OSError, ValueError):
        # Without waiting for the client to say the same: it has nothing to add.
        opened.settimeout(0.0)
        opened.unwrap()


def _shut(opened: socket.socket) -> None:
    """Make whoever reads from or writes to *opened* stop."""
    try:
        # Not the method of a TLS socket, which would go on without TLS.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)
    except OSError:
        # Closed meanwhile.
        return


def _handler(routes: Mapping[str, Route]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "windlass"
        sys_version = ""

        def do_GET(self) -> None:
            page = self._page()
            self._send(page, page.body)

        def do_HEAD(self) -> None:
            self._send(self._page(), b"")

        def do_POST(self) -> None:
            self._send(not_allowed, not_allowed.body)

        do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815 - the base class looks for these names

        def _page(self) -> Page:
            route = routes.get(self.path.partition("?")[0])
            if route is None:
                return text_page(HTTPStatus.NOT_FOUND, "not found\n")
            try:
                return route({**{name.lower(): value for name, value in self.headers.items()}, ":path": self.path})
            except Exception as error:  # noqa: BLE001 - a route asks foreign code: checks and collectors
                _log.exception("http_page_failed", path=self.path)
                return text_page(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}\n")

        def _send(self, page: Page, body: bytes) -> None:
            self.send_response(page.status)
            for name, value in page.headers:
                self.send_header(name, value)
            self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(page.body)))
            # A connection that stays would need a thread for as long as its client likes.
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Probes every few seconds are no news."""

    not_allowed = text_page(
        HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are served here\n", ("Allow", "GET, HEAD")
    )
    return Handler
