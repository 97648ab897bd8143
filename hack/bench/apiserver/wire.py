"""The two ways to a server: over one kept TLS connection, and by a call."""

import ssl
from http.client import HTTPResponse, HTTPSConnection
from typing import Protocol

from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import ServerRequest

MERGE = "application/merge-patch+json"
_FIRST_NOT_OK = 300
_TIMEOUT_SECONDS = 60.0


class Refused(Exception):
    """The server did not do what it was asked to."""


class Wire(Protocol):
    def send(self, method: str, target: str, body: bytes = b"", content_type: str = "application/json") -> bytes:
        """The body of a good answer; raises Refused."""


class HttpWire:
    def __init__(self, port: int, tls: ssl.SSLContext, token: str = "") -> None:
        self._connection = HTTPSConnection("127.0.0.1", port, context=tls, timeout=_TIMEOUT_SECONDS)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, target: str, body: bytes = b"", content_type: str = "application/json") -> bytes:
        headers = {**self._headers, "Content-Type": content_type, "Accept": "application/json"}
        self._connection.request(method, target, body or None, headers)
        response = self._connection.getresponse()
        return _good(method, target, response.status, response.read())

    def stream(self, target: str) -> HTTPResponse:
        """The answer to a GET, to be read while it comes."""
        self._connection.request("GET", target, headers=self._headers)
        return self._connection.getresponse()

    def close(self) -> None:
        self._connection.close()


class CallWire:
    """No sockets, no TLS, no threads: `ApiServer.handle`."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    def send(self, method: str, target: str, body: bytes = b"", content_type: str = "application/json") -> bytes:
        headers = {"content-type": content_type, "accept": "application/json", "user-agent": "bench"}
        answer = self._server.handle(ServerRequest(method, target, headers, body, ADMIN))
        return _good(method, target, answer.status, answer.body)


def _good(method: str, target: str, status: int, body: bytes) -> bytes:
    if status >= _FIRST_NOT_OK:
        raise Refused(f"{method} {target}: {status} {body[:300].decode(errors='replace')}")
    return body
