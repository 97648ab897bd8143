"""What a front end hands to the server, and what it gets back."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from framework.errors import ApiError


class PeerCertificate(msgspec.Struct, frozen=True):
    """The subject of a client certificate that was verified against the server's authority."""

    common_name: str
    organizations: tuple[str, ...] = ()


class ServerRequest(msgspec.Struct, frozen=True):
    """*headers* have lower-case names; *target* is path and query as they stood in the request line."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    peer: PeerCertificate | None = None


class EventStream(Protocol):
    """The body of a watch. Used by one front end task; `on_ready` is called from whichever task made the event."""

    def read(self) -> bytes | None:
        """All that is there now, without blocking: b"" for nothing yet, None at the end."""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have *wake* called whenever `read` may have something new; at once if it has already."""

    @property
    def wake_at(self) -> float | None:
        """The moment on the server's monotonic clock at which `read` is due even without a call of *wake*."""

    def close(self) -> None:
        """The reader is gone; costs nothing when called twice."""


class Answer(msgspec.Struct, frozen=True):
    """A whole answer, or with *stream* the head of one. Header names are as they go over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    stream: EventStream | None = None
    # Several Warning headers may be needed, and a mapping holds one.
    warnings: tuple[str, ...] = ()


# How a refusal of the front end itself looks: a client may know no `Status`.
RefusalWriter = Callable[[ApiError], Answer]
# Raises ApiError to turn a request down before its body is read. Asked on the event loop, about the head alone.
HeadCheck = Callable[[ServerRequest], None]


def admit_all(request: ServerRequest) -> None:
    """Every body is read."""


class Handler(Protocol):
    def handle(self, request: ServerRequest) -> Answer:
        """Answer *request*; never raises. May block if `may_block` says so."""

    def may_block(self, request: ServerRequest) -> bool:
        """Whether `handle` may wait for something other than the processor: a webhook, a disk, a later version."""
