"""A registry that answers some requests itself, with a failure, and passes the others on to a real one."""

import http.client
import threading  # noqa: TID251 - a server of a test
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP_HEADERS = frozenset({"connection", "transfer-encoding", "content-length", "date", "server"})


class FailingRegistry:
    def __init__(self, real: str) -> None:
        self.real = real
        self._failures: list[tuple[str, int]] = []
        self._lock = threading.Lock()
        self.asked: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail_once(self, method: str, status: int) -> None:
        with self._lock:
            self._failures.append((method, status))

    def failure_of(self, method: str, path: str) -> int | None:
        with self._lock:
            self.asked.append((method, path))
            for failure in self._failures:
                if failure[0] == method:
                    self._failures.remove(failure)
                    return failure[1]
        return None


def _handler_of(registry: FailingRegistry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            failure = registry.failure_of(self.command, self.path)
            if failure is not None:
                self._answer(failure, [], b"")
                return
            connection = http.client.HTTPConnection(registry.real, timeout=60)
            try:
                connection.request(self.command, self.path, body, dict(self.headers))
                answer = connection.getresponse()
                headers = [(k, v) for k, v in answer.getheaders() if k.lower() not in _HOP_HEADERS]
                self._answer(answer.status, headers, answer.read())
            finally:
                connection.close()

        def __getattr__(self, name: str) -> Callable[[], None]:
            """Every method of HTTP alike."""
            if name.startswith("do_"):
                return self._handle
            raise AttributeError(name)

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

    return Handler
