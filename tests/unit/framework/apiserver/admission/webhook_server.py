"""A webhook on loopback with TLS, whose answers the test decides."""

import datetime as dt
import ipaddress
import json
import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from framework.runtime import ThreadRuntime
from framework.testing.tls import for_mortal_servers

SERVICE_NAME = "hook.default.svc"


class Reply(NamedTuple):
    status: int
    content_type: str
    body: bytes


# What a webhook answers to a path and a review: the `response` of an AdmissionReview, or anything at all.
Answer = Callable[[str, Any], "dict[str, Any] | Reply"]


class WebhookServer:
    """Answers as *answer* says; *reviews* holds what it was asked, with the path."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self.reviews: list[tuple[str, Any]] = []
        certificate = _write_certificate(folder)
        self.ca = certificate.read_bytes()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.reviews, answer))
        self._server.daemon_threads = True
        context = for_mortal_servers(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        context.load_cert_chain(certificate, certificate.with_name("webhook.key"))
        # The handshake belongs to the connection's own thread, so that a client that fails it disturbs nobody.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._task = ThreadRuntime().spawn("webhook", lambda: self._server.serve_forever(poll_interval=0.01))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.reviews]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._task.join(5)


def allowed(review: Any, **more: Any) -> dict[str, Any]:
    return {"uid": review["request"]["uid"], "allowed": True, **more}


def denied(review: Any, **status: Any) -> dict[str, Any]:
    return {"uid": review["request"]["uid"], "allowed": False, **({"status": status} if status else {})}


def _handler(reviews: list[tuple[str, Any]], answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            reviews.append((path, review))
            reply = answer(path, review)
            if isinstance(reply, dict):
                head = {"apiVersion": review["apiVersion"], "kind": "AdmissionReview"}
                reply = Reply(200, "application/json", json.dumps({**head, "response": reply}).encode())
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                # The client did not like the certificate, or lost its patience.
                return

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _write_certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
    start = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    names = [x509.DNSName(SERVICE_NAME), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start.replace(year=2120))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "webhook.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    file = folder / "webhook.crt"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return file
