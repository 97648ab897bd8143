"""A webhook server in a process of its own, so that its memory can be measured, and clients of all sorts for it."""

import socket
import ssl
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair
from framework.clock import SystemClock
from framework.testing.tls import for_mortal_servers

PATH = "/validate--v1-configmap"
_PROGRAM = Path(__file__).with_name("webhook_program.py")
_ROOT = Path(__file__).parents[3]
_KIBIBYTE = 1024


class WebhookProcess:
    """Between enter and exit; with *client_authority*, clients must show a certificate of it."""

    def __init__(self, folder: Path, *, client_authority: Authority | None = None, head_seconds: float = 32.0) -> None:
        self._folder = folder
        self._head_seconds = head_seconds
        self.authority = Authority.create(clock=SystemClock())
        pair = self.authority.issue_server(["127.0.0.1"])
        (folder / "tls.crt").write_bytes(pair.certificate)
        (folder / "tls.key").write_bytes(pair.key)
        if client_authority is not None:
            (folder / "client-ca.crt").write_bytes(client_authority.certificate)

    def __enter__(self) -> Self:
        command = [sys.executable, str(_PROGRAM), str(self._folder), str(self._head_seconds)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=_ROOT
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _, self.log = self._process.communicate(timeout=30)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def forget_peak(self) -> int:
        """Begin to measure anew; returns the bytes that are in use now."""
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")
        return self._status("VmRSS")

    def peak(self) -> int:
        return self._status("VmHWM")

    def plain(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def connect(self, pair: KeyPair | None = None, alpn: tuple[str, ...] = ()) -> ssl.SSLSocket:
        context = for_mortal_servers(ssl.create_default_context(cadata=self.authority.certificate.decode()))
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if pair is not None:
            file = self._folder / "client.pem"
            file.write_bytes(pair.certificate + pair.key)
            context.load_cert_chain(file)
        return context.wrap_socket(self.plain(), server_hostname="127.0.0.1")

    def post(
        self,
        body: bytes,
        path: str = PATH,
        content_type: str = "application/json",
        pair: KeyPair | None = None,
    ) -> tuple[int, Any]:
        with self.connect(pair) as client:
            client.sendall(head(len(body), path, content_type) + body)
            return answer_of(client)

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * _KIBIBYTE for line in lines if line.startswith(f"{name}:"))


def head(length: int, path: str = PATH, content_type: str = "application/json", method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: a", f"Content-Type: {content_type}", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "", ""]).encode()


def answer_of(client: socket.socket) -> tuple[int, Any]:
    """The status and the document of the next answer."""
    with client.makefile("rb") as incoming:
        status = int(incoming.readline().split()[1])
        headers: dict[bytes, bytes] = {}
        while line := incoming.readline().strip():
            name, _, value = line.partition(b": ")
            headers[name.lower()] = value
        return status, msgspec.json.decode(incoming.read(int(headers[b"content-length"])))


def a_review(**data: str) -> bytes:
    request = {
        "uid": "42",
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "operation": "CREATE",
        "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data},
    }
    return msgspec.json.encode({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
