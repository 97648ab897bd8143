"""Small HTTP servers for probes and metrics."""

import socket
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import msgspec

from framework.errors import ConfigurationError
from framework.runtime import Runtime, Task

_REQUEST_SECONDS = 10


class Page(msgspec.Struct, frozen=True):
    status: int
    content_type: str
    body: bytes


Route = Callable[[Mapping[str, str]], Page]


class HttpServer:
    """Serves GET for a fixed set of paths; everything else is 404."""

    def __init__(self, name: str, address: str, routes: Mapping[str, Route], runtime: Runtime) -> None:
        self._name = name
        self._runtime = runtime
        self._server = _bind(name, address, routes)
        self._task: Task | None = None

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self) -> None:
        self._task = self._runtime.spawn(f"http-{self._name}", lambda: self._server.serve_forever(poll_interval=0.2))

    def stop(self) -> None:
        if self._task is not None:
            self._server.shutdown()
            self._task.join(5.0)
        self._server.server_close()


def parse_address(name: str, address: str) -> tuple[str, int]:
    """`:8080`, `127.0.0.1:8080` or `[::1]:8080`; an empty host is every address."""
    host, separator, port = address.rpartition(":")
    if not separator or not port.isdigit():
        raise ConfigurationError(f"{name} address {address!r} is not HOST:PORT or :PORT")
    return host.strip("[]"), int(port)


def _bind(name: str, address: str, routes: Mapping[str, Route]) -> ThreadingHTTPServer:
    host, port = parse_address(name, address)

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

    try:
        return Server((host, port), _handler(routes))
    except OSError as error:
        raise ConfigurationError(f"{name} address {address} cannot be listened on: {error.strerror}") from None


def _handler(routes: Mapping[str, Route]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A client that sends nothing must not hold a thread for ever.
        timeout = _REQUEST_SECONDS

        def do_GET(self) -> None:
            route = routes.get(urlsplit(self.path).path)
            page = route(dict(self.headers.items())) if route else Page(404, "text/plain", b"not found\n")
            self.send_response(page.status)
            self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(page.body)))
            self.end_headers()
            self.wfile.write(page.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Probes every few seconds are no news."""

    return Handler
