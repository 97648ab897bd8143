"""How a watch can end at an event, other than by a reset."""

from collections.abc import Callable

import msgspec

from framework.errors import TransportError

BROKEN_BY = frozenset({"end_watch", "half_event", "expire_watch"})
# As the watch cache says it: inside an answer that has long begun as a success.
EXPIRED = (
    msgspec.json.encode(
        {
            "type": "ERROR",
            "object": {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": "too old resource version: 1 (2)",
                "reason": "Expired",
                "code": 410,
            },
        }
    )
    + b"\n"
)


class StreamEnds(Exception):
    """The server has ended the stream, and means it."""


def half_of(line: bytes) -> bytes:
    return line[: len(line) // 2]


def break_stream(deed: str, line: bytes, on_chunk: Callable[[bytes], None]) -> None:
    """Do what *deed* says in place of the event on *line*."""
    if deed == "half_event":
        on_chunk(half_of(line))
        raise TransportError("the connection was reset by the peer")
    if deed == "expire_watch":
        on_chunk(EXPIRED)
    raise StreamEnds
