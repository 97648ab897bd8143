"""A libvirt daemon that takes connections and then answers when the test lets it."""

import socket
import struct
import threading  # noqa: TID251 - a server beside the test
from collections import deque
from types import TracebackType
from typing import Self

_HEADER = struct.Struct(">IIiiII")
_REPLY = 1
_AUTH_LIST, _SUPPORTS_FEATURE = 66, 60
CONNECT_CLOSE = 2
_LOOKUP_BY_UUID = 24


class StuckDaemon:
    """Answers what opens a connection; a look-up of a domain has to wait for `release`."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._release = threading.Event()
        self.procedures: deque[int] = deque()
        self.is_looked_up = threading.Event()
        self.is_closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def uri(self) -> str:
        return f"test+tcp://127.0.0.1:{self._listener.getsockname()[1]}/default"

    def asked_after_look_up(self) -> list[int]:
        asked = list(self.procedures)
        return asked[asked.index(_LOOKUP_BY_UUID) + 1 :]

    def release(self) -> None:
        self._release.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._listener.close()
        self._thread.join(60)

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            while (call := _read_message(connection)) is not None:
                program, version, procedure, _kind, serial, _status = _HEADER.unpack(call[: _HEADER.size])
                self.procedures.append(procedure)
                body = self._answer(procedure)
                header = _HEADER.pack(program, version, procedure, _REPLY, serial, 0)
                connection.sendall(struct.pack(">I", 4 + len(header) + len(body)) + header + body)
        self.is_closed.set()

    def _answer(self, procedure: int) -> bytes:
        if procedure == _AUTH_LIST:
            # One way to authenticate: none.
            return struct.pack(">II", 1, 0)
        if procedure == _SUPPORTS_FEATURE:
            return struct.pack(">I", 0)
        if procedure == _LOOKUP_BY_UUID:
            self.is_looked_up.set()
            self._release.wait()
            return _text("podvm-x") + bytes(16) + struct.pack(">i", 1)
        return b""


def _read_message(connection: socket.socket) -> bytes | None:
    length = _read(connection, 4)
    return None if length is None else _read(connection, int(struct.unpack(">I", length)[0]) - 4)


def _read(connection: socket.socket, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


def _text(text: str) -> bytes:
    return struct.pack(">I", len(text)) + text.encode() + bytes(-len(text) % 4)
