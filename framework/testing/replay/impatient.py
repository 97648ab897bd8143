"""A Transport whose time-outs fit a time that passes faster."""

from collections.abc import Callable

import msgspec

from framework.client import Cancellation, HttpRequest, HttpResponse, Timeouts, Transport


class ImpatientTransport:
    def __init__(self, inner: Transport, speed: float) -> None:
        self._inner = inner
        self._speed = speed

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        hurried = msgspec.structs.replace(
            request, timeouts=self._shorter(request.timeouts, is_stream=on_chunk is not None)
        )
        return self._inner.exchange(hurried, on_chunk=on_chunk, cancellation=cancellation)

    def close(self) -> None:
        self._inner.close()

    def _shorter(self, timeouts: Timeouts, *, is_stream: bool) -> Timeouts:
        total = timeouts.total_seconds
        return Timeouts(
            timeouts.connect_seconds,
            timeouts.headers_seconds / self._speed,
            # The bookmarks by which a stream shows that it is alive come at the server's pace.
            timeouts.idle_seconds if is_stream else timeouts.idle_seconds / self._speed,
            total if total is None else total / self._speed,
        )
