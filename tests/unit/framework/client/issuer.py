"""An OpenID issuer on loopback, over TLS, which gives a new token for each refresh token."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from framework.certificates.authority import Authority
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from framework.testing.tls import for_mortal_servers


@contextmanager
def issuer_of(id_token: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Its address, and the file with its authority."""
    authority = Authority.create(clock=SystemClock())
    pair = authority.issue_server(["127.0.0.1"])
    files = {"ca": authority.certificate, "certificate": pair.certificate, "key": pair.key}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(id_token))
    context = for_mortal_servers(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    context.load_cert_chain(folder / "certificate", folder / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    task = ThreadRuntime().spawn("issuer", lambda: server.serve_forever(poll_interval=0.01))
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}", folder / "ca"
    finally:
        server.shutdown()
        server.server_close()
        task.join(10)


def _handler(id_token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"token_endpoint": f"https://{self.headers['Host']}/token"})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(
                {"access_token": "a", "token_type": "bearer", "id_token": id_token, "refresh_token": "next"},
            )

        def _answer(self, document: dict[str, str]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

    return Handler
