"""The Transport seam: one HTTP exchange with an API server."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from framework.client.cancellation import Cancellation


class Timeouts(msgspec.Struct, frozen=True):
    """How long each phase of an exchange may take; `total_seconds` of None is for watches, which end otherwise.

    `connect_seconds` covers the TLS handshake, `headers_seconds` counts from
    the start of the exchange to the head of the answer, `idle_seconds` is a
    silence inside it, noticed a second late on a stream and up to six
    otherwise.
    """

    connect_seconds: float = 10.0
    headers_seconds: float = 30.0
    idle_seconds: float = 30.0
    total_seconds: float | None = 60.0


class HttpRequest(msgspec.Struct, frozen=True):
    method: str
    target: str
    headers: tuple[str, ...] = ()
    body: bytes | None = None
    timeouts: Timeouts = Timeouts()

    @property
    def is_read(self) -> bool:
        return self.method == "GET"


class HttpResponse(msgspec.Struct, frozen=True):
    """Header names are lower case. The body of a streamed answer is empty: its chunks went to the caller."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    # None when no name had to be looked up.
    name_lookup_seconds: float | None = None


class Transport(Protocol):
    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        """Send *request* and return the answer, whatever its status.

        With *on_chunk* the body of a 2xx answer is handed over as it arrives,
        in the calling task, after one empty chunk that stands for the head; an
        exception from it ends the exchange and is raised here. Raises
        TransportError when no whole answer came; ConnectError or TlsError only
        if the server has not seen the request. A write is put on the wire once
        at most.
        """

    def close(self) -> None:
        """Drop all connections that are not in use; those in use go when their exchange ends."""
