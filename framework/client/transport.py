"""The Transport seam: one HTTP exchange with an API server."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from framework.runtime import Runtime


class Timeouts(msgspec.Struct, frozen=True):
    """How long each phase of an exchange may take; `total_seconds` of None is for watches, which end otherwise."""

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
    # A request that must not be sent twice may not ride on a kept connection,
    # which can turn out dead after the server has read the request.
    fresh_connection: bool = False


class HttpResponse(msgspec.Struct, frozen=True):
    """Header names are lower case. The body of a streamed answer is empty: its chunks went to the caller."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class Cancellation:
    """Ends an exchange from another task, at once and for good."""

    def __init__(self, runtime: Runtime) -> None:
        self._lock = runtime.lock()
        self._closers: list[Callable[[], None]] = []
        self._requested = False

    @property
    def is_requested(self) -> bool:
        return self._requested

    def request(self) -> None:
        with self._lock:
            self._requested = True
            closers, self._closers = self._closers, []
        for close in closers:
            close()

    def on_request(self, close: Callable[[], None]) -> None:
        """Have *close* called when the cancellation comes; at once if it has come already."""
        with self._lock:
            if not self._requested:
                self._closers.append(close)
                return
        close()

    def forget(self, close: Callable[[], None]) -> None:
        with self._lock:
            if close in self._closers:
                self._closers.remove(close)


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
        TransportError when no whole answer came.
        """

    def close(self) -> None:
        """Drop all connections."""
