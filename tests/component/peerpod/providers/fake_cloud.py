"""An HTTP server that answers as a test tells it, and records what it was asked."""

import json
import socket
import ssl
import struct
import threading  # noqa: TID251 - a server beside the test
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import msgspec

from framework.certificates.authority import Authority
from framework.clock import SystemClock
from framework.testing.tls import for_mortal_servers


class Answer(msgspec.Struct, frozen=True):
    status: int = 200
    body: Any = None
    headers: dict[str, str] = {}
    # Instead of an answer: close with a reset, or say nothing until the server ends.
    instead: Literal["", "reset", "silence"] = ""

    def content(self) -> bytes:
        if self.body is None:
            return b""
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


RESET = Answer(instead="reset")
SILENCE = Answer(instead="silence")


class Asked(msgspec.Struct, frozen=True):
    method: str
    path: str
    headers: dict[str, str]
    body: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class FakeCloud:
    """Each route has a line of answers, of which the last one stays; what has no route is answered 418."""

    def __init__(self, folder: Path) -> None:
        self._routes: dict[tuple[str, str], list[Answer]] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.asked: list[Asked] = []
        self.authority_file = folder / "authority.pem"
        self._server = _server(self, folder)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, method: str, path: str, *answers: Answer) -> None:
        self._routes[method, path] = list(answers)

    def asked_of(self, method: str, path: str) -> int:
        return sum((asked.method, asked.path) == (method, path) for asked in self.asked)

    def next_answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            line = self._routes.get((asked.method, asked.path), [Answer(418, {"message": f"no route {asked}"})])
            return line.pop(0) if len(line) > 1 else line[0]

    def wait_for_end(self) -> None:
        self._ended.wait()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is nothing to print."""


def _server(cloud: FakeCloud, folder: Path) -> ThreadingHTTPServer:
    authority = Authority.create(clock=SystemClock())
    cloud.authority_file.write_bytes(authority.certificate)
    pair = authority.issue_server(["127.0.0.1"])
    certificate, key = folder / "server.pem", folder / "server.key"
    certificate.write_bytes(pair.certificate)
    key.write_bytes(pair.key)
    context = for_mortal_servers(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    context.load_cert_chain(certificate, key)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            # Here, in the thread of the connection: a client that is slow to greet holds up no other.
            self.request = context.wrap_socket(self.request, server_side=True)
            super().setup()

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            asked = Asked(self.command, urlsplit(self.path).path, dict(self.headers), body)
            answer = cloud.next_answer(asked)
            if answer.instead == "silence":
                cloud.wait_for_end()
            if answer.instead:
                self._reset()
                return
            self._send(answer)

        def _send(self, answer: Answer) -> None:
            body = answer.content()
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _reset(self) -> None:
            self.close_connection = True
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the base class
            pass

        do_GET = do_POST = do_DELETE = do_PUT = _serve  # noqa: N815 - of the base class

    return _Server(("127.0.0.1", 0), Handler)
