"""The server called as a function, through the client's own Transport seam: no sockets, no threads."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from framework.client import Cancellation, HttpRequest, HttpResponse
from framework.clock import Clock
from framework.errors import Cancelled, ConnectError, TimedOut
from framework.http.exchange import Answer, EventStream, Handler, PeerCertificate, ServerRequest
from framework.runtime import Event, Runtime

_FIRST_NOT_OK = 300
# A client has the same few again and again.
_KEPT_HEADERS = 256


class InProcessTransport:
    """Every exchange runs in the calling task; a watch blocks it on the Runtime seam until something comes."""

    def __init__(
        self, handler: Handler, *, clock: Clock, runtime: Runtime, peer: PeerCertificate | None = None
    ) -> None:
        self._handler = handler
        self._clock = clock
        self._runtime = runtime
        self._peer = peer
        self._is_closed = False

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        if self._is_closed:
            raise ConnectError("the in-process connection is closed")
        if cancellation is not None and cancellation.is_requested:
            raise Cancelled("the exchange was cancelled")
        answer = self._handler.handle(
            ServerRequest(request.method, request.target, _headers(request.headers), request.body or b"", self._peer)
        )
        if answer.stream is None:
            return self._whole(answer, on_chunk)
        try:
            self._stream(request, answer.stream, on_chunk, cancellation)
        finally:
            answer.stream.close()
        return HttpResponse(answer.status, _lower(answer))

    def close(self) -> None:
        self._is_closed = True

    def _whole(self, answer: Answer, on_chunk: Callable[[bytes], None] | None) -> HttpResponse:
        if on_chunk is None or answer.status >= _FIRST_NOT_OK:
            return HttpResponse(answer.status, _lower(answer), answer.body)
        on_chunk(b"")
        on_chunk(answer.body)
        return HttpResponse(answer.status, _lower(answer))

    def _stream(
        self,
        request: HttpRequest,
        stream: EventStream,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
    ) -> None:
        take = on_chunk or _ignore
        ready = self._runtime.event()
        wake = ready.set
        stream.on_ready(wake)
        if cancellation is not None:
            cancellation.on_request(wake)
        try:
            take(b"")
            self._deliver(request, stream, take, ready, cancellation)
        finally:
            if cancellation is not None:
                cancellation.forget(wake)

    def _deliver(
        self,
        request: HttpRequest,
        stream: EventStream,
        take: Callable[[bytes], None],
        ready: Event,
        cancellation: Cancellation | None,
    ) -> None:
        started = heard = self._clock.monotonic()
        limits = request.timeouts
        while True:
            # Before the read: what comes after it must wake the wait below.
            ready.clear()
            if cancellation is not None and cancellation.is_requested:
                raise Cancelled("the exchange was cancelled")
            chunk = stream.read()
            if chunk is None:
                return
            now = self._clock.monotonic()
            if chunk:
                heard = now
                take(chunk)
                continue
            ends = [heard + limits.idle_seconds]
            if limits.total_seconds is not None:
                ends.append(started + limits.total_seconds)
            if now >= min(ends):
                raise TimedOut(f"nothing came for {now - heard:g} s")
            if stream.wake_at is not None:
                ends.append(stream.wake_at)
            ready.wait(max(0.0, min(ends) - now))


def _ignore(_chunk: bytes) -> None:
    return


@lru_cache(_KEPT_HEADERS)
def _headers(lines: tuple[str, ...]) -> Mapping[str, str]:
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        if value := value.strip():
            headers[name.strip().lower()] = value
    return headers


def _lower(answer: Answer) -> dict[str, str]:
    headers = {name.lower(): value for name, value in answer.headers.items()}
    if answer.warnings:
        headers["warning"] = ", ".join(answer.warnings)
    return headers
