"""As much of HTTP/1.1 as it takes to follow a conversation: heads, and where a body ends."""

from collections.abc import Iterator
from enum import Enum, auto

import msgspec

from framework.testing.relay.errors import PeerClosed, RelayError
from framework.testing.relay.wire import RECEIVE_BYTES, Wire

_NO_CONTENT = 204
_NOT_MODIFIED = 304
_FIRST_FINAL_STATUS = 200


class Head(msgspec.Struct, frozen=True):
    """The first line and the header fields of a request or an answer."""

    first_line: tuple[str, str, str]
    fields: tuple[tuple[str, str], ...]

    @property
    def status(self) -> int:
        return int(self.first_line[1])

    def get(self, name: str) -> str:
        """The value of a field, lower-case name, or nothing."""
        return next((value for key, value in self.fields if key.lower() == name), "")

    def has_token(self, name: str, token: str) -> bool:
        return token in (part.strip().lower() for part in self.get(name).split(","))

    def replace(self, names: frozenset[str], *fields: tuple[str, str]) -> "Head":
        """Without the fields of those lower-case names, and with *fields*."""
        kept = tuple(field for field in self.fields if field[0].lower() not in names)
        return Head(self.first_line, kept + fields)

    def encode(self) -> bytes:
        lines = [" ".join(self.first_line), *(f"{name}: {value}" for name, value in self.fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")


def read_head(source: Wire) -> Head:
    first, *rest = source.until(b"\r\n\r\n").decode("latin-1").lstrip("\r\n").split("\r\n")
    words = (*first.split(" ", 2), "", "")
    fields = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in rest))
    return Head((words[0], words[1], words[2]), fields)


def read_final_head(source: Wire) -> Head:
    """The head of the answer proper, after any 1xx."""
    while True:
        head = read_head(source)
        if not head.first_line[1].isdecimal():
            raise RelayError(f"the server does not speak HTTP/1.1: {' '.join(head.first_line)[:80]!r}")
        if head.status >= _FIRST_FINAL_STATUS:
            return head


class Framing(Enum):
    """How the end of a body is known."""

    NONE = auto()
    LENGTH = auto()
    CHUNKED = auto()
    UNTIL_CLOSE = auto()

    def encode(self, data: bytes, whole: int | None = None) -> bytes:
        """*data* as it is sent; with *whole*, as the beginning of a longer chunk that will not be finished."""
        if self is not Framing.CHUNKED:
            return data
        if whole is None or whole == len(data):
            return b"%x\r\n%b\r\n" % (len(data), data)
        return b"%x\r\n%b" % (whole, data)

    def end(self) -> bytes:
        return b"0\r\n\r\n" if self is Framing.CHUNKED else b""


def request_framing(head: Head) -> Framing:
    if head.has_token("transfer-encoding", "chunked"):
        return Framing.CHUNKED
    return Framing.LENGTH if head.get("content-length") else Framing.NONE


def answer_framing(method: str, head: Head) -> Framing:
    if method == "HEAD" or head.status in (_NO_CONTENT, _NOT_MODIFIED):
        return Framing.NONE
    framing = request_framing(head)
    return Framing.UNTIL_CLOSE if framing is Framing.NONE else framing


class Body:
    """The content of a body, piece by piece as it arrives; *is_complete* once its end has been read."""

    def __init__(self, source: Wire, head: Head, framing: Framing) -> None:
        self._source = source
        self._head = head
        self._framing = framing
        self.is_complete = False

    def __iter__(self) -> Iterator[bytes]:
        if self._framing is Framing.LENGTH:
            yield from self._exactly(int(self._head.get("content-length")))
        elif self._framing is Framing.CHUNKED:
            yield from self._chunks()
        elif self._framing is Framing.UNTIL_CLOSE:
            yield from self._rest()
        self.is_complete = True

    def _exactly(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._source.some(min(length, RECEIVE_BYTES))
            length -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while size := self._chunk_size():
            yield from self._exactly(size)
            self._source.until(b"\r\n")
        while self._source.until(b"\r\n"):
            pass

    def _chunk_size(self) -> int:
        line = self._source.until(b"\r\n")
        try:
            return int(line.partition(b";")[0], 16)
        except ValueError:
            raise RelayError(f"a chunk cannot begin with {line[:40]!r}") from None

    def _rest(self) -> Iterator[bytes]:
        try:
            while True:
                yield self._source.some()
        except PeerClosed as closed:
            if closed.side is not self._source:
                raise
