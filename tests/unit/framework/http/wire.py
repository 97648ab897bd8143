"""The client's side of a connection, byte by byte."""

import socket
from typing import Any, Self

import msgspec

from framework.http.server import HttpServer

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def get(target: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def post(target: str, body: bytes, *headers: str) -> bytes:
    head = [f"POST {target} HTTP/1.1", "Host: a", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


class WireAnswer(msgspec.Struct):
    version: str
    status: int
    headers: dict[str, str]
    body: bytes = b""

    def status_object(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(self.body)
        assert document["kind"] == "Status"
        assert document["code"] == self.status
        return document


class Wire:
    """A plain socket to *server*; every wait has an end."""

    def __init__(self, server: HttpServer, *, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(10)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", server.port))
        self._incoming = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._incoming.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(self, method: str = "GET") -> WireAnswer:
        """The next answer, with its whole body unless it has no end."""
        answer = self.head()
        if method != "HEAD" and "content-length" in answer.headers:
            answer.body = self._incoming.read(int(answer.headers["content-length"]))
        return answer

    def head(self) -> WireAnswer:
        version, code, _ = self._line().split(" ", 2)
        headers: dict[str, str] = {}
        while line := self._line():
            name, _, value = line.partition(": ")
            headers[name.lower()] = f"{headers[name.lower()]}\n{value}" if name.lower() in headers else value
        return WireAnswer(version, int(code), headers)

    def chunk(self) -> bytes:
        """The next chunk of a body; empty at its end."""
        data = self._incoming.read(int(self._line(), 16))
        assert self._line() == ""
        return data

    def rest(self) -> bytes:
        """All that comes until the server closes."""
        try:
            return self._incoming.read()
        except ConnectionResetError:
            return b""

    def _line(self) -> str:
        line = self._incoming.readline()
        assert line.endswith(b"\r\n"), "the connection has ended"
        return line[:-2].decode()
