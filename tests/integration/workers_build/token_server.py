"""Who gives out the tokens of a registry, as Docker Hub has one: asked with a login, it signs what may be done."""

import base64
import threading  # noqa: TID251 - a server of a test
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from framework.clock import SystemClock

ISSUER, SERVICE = "tokens-of-the-test", "registry-of-the-test"


class TokenServer:
    def __init__(self, folder: Path, username: str, password: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = _certificate(self._key)
        self._login = base64.b64encode(f"{username}:{password}".encode()).decode()
        self.bundle = folder / "tokens.pem"
        folder.mkdir(parents=True, exist_ok=True)
        self.bundle.write_bytes(self._certificate.public_bytes(Encoding.PEM))
        self.scopes: list[list[str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.realm = f"http://127.0.0.1:{self._server.server_address[1]}/token"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def registry_auth(self) -> dict[str, Any]:
        settings = {
            "realm": self.realm,
            "service": SERVICE,
            "issuer": ISSUER,
            "rootcertbundle": str(self.bundle),
        }
        return {"token": settings}

    def token(self, authorization: str, scopes: list[str]) -> str | None:
        """None for who is not known here."""
        if authorization != f"Basic {self._login}":
            return None
        self.scopes.append(scopes)
        now = int(SystemClock().now().timestamp())
        claims = {
            "iss": ISSUER,
            "sub": "user",
            "aud": SERVICE,
            "iat": now,
            "nbf": now - 10,
            "exp": now + 300,
            "jti": "1",
            "access": [
                {"type": kind, "name": name, "actions": actions.split(",")}
                for kind, name, actions in (scope.split(":") for scope in scopes)
            ],
        }
        chain = [base64.b64encode(self._certificate.public_bytes(Encoding.DER)).decode()]
        return jwt.encode(claims, self._key, algorithm="ES256", headers={"x5c": chain})


def _certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tokens")])
    now = SystemClock().now()
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(hours=1))
    builder = builder.not_valid_after(now + timedelta(hours=1))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.sign(key, hashes.SHA256())


def _handler_of(server: TokenServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            scopes = parse_qs(urlsplit(self.path).query).get("scope", [])
            token = server.token(self.headers.get("Authorization", ""), scopes)
            body = msgspec.json.encode({"token": token})
            self.send_response(200 if token else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

    return Handler
