"""Requests with authentication, metrics, retries and errors; knows nothing of kinds."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import msgspec

from framework.client.call import Call
from framework.client.cancellation import Cancellation
from framework.client.codec import decode_status
from framework.client.credentials import ClusterAddress, Credentials
from framework.client.fence import current_fence
from framework.client.metrics import NO_ANSWER, NO_STATUS, HostMetrics
from framework.client.retry import Retrier, is_retryable, parse_retry_after
from framework.client.transport import HttpRequest, HttpResponse, Timeouts, Transport
from framework.clock import Clock
from framework.errors import ApiError, Cancelled, DeadlineExceeded, TlsError, Unauthorized, WindlassError, api_error
from framework.randomness import Random
from framework.runtime import Runtime, current_deadline

_FIRST_OK, _FIRST_NOT_OK = 200, 300


class _Stream:
    """A streamed exchange. It is counted when its head arrives: its end may be minutes away, and is no latency."""

    def __init__(
        self, on_chunk: Callable[[bytes], None], cancellation: Cancellation, count: Callable[[int], None]
    ) -> None:
        self._on_chunk = on_chunk
        self._cancellation = cancellation
        self._count = count
        self._has_begun = False

    def exchange(self, request: HttpRequest, transport: Transport) -> HttpResponse:
        try:
            response = transport.exchange(request, on_chunk=self._take, cancellation=self._cancellation)
        except WindlassError:
            if not self._has_begun:
                self._count(NO_STATUS)
            raise
        if not self._has_begun:
            self._count(response.status)
        return response

    def _take(self, chunk: bytes) -> None:
        # Only the chunk that stands for the head is empty.
        if not chunk:
            self._has_begun = True
            self._count(_FIRST_OK)
        self._on_chunk(chunk)


class Connection:
    """Sends calls to one cluster."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        make_transport: Callable[[ClusterAddress], Transport],
        clock: Clock,
        runtime: Runtime,
        random: Random,
        user_agent: str,
        metrics: HostMetrics | None = None,
    ) -> None:
        self._credentials = credentials
        self._make_transport = make_transport
        self._clock = clock
        self._lock = runtime.lock()
        self._closing = runtime.event()
        self._retrier = Retrier(sleep=self._pause, random=random)
        # Without `Expect:` libcurl asks before it sends a large body, which costs a round trip.
        self._fixed_headers = (f"User-Agent: {user_agent}", "Expect:")
        self._metrics = metrics
        self._address = credentials.address()
        self._transport = make_transport(self._address)

    @property
    def server(self) -> str:
        return self._address.server

    def send(self, call: Call, before_each: Callable[[], None] = lambda: None) -> HttpResponse:
        """The answer to *call*, sent again where that is safe; raises for everything but a 2xx.

        *before_each* is called right before each time it is sent, and can keep it from being sent by raising.
        """
        try:
            return self._attempt(call, before_each=before_each)
        except WindlassError as error:
            if not is_retryable(error, is_read=call.is_read):
                raise
            return self._retrier.resume_after(
                error,
                lambda: self._attempt(call, before_each=before_each),
                is_read=call.is_read,
                before_wait=lambda failure, seconds: self._before_wait(call, failure, seconds),
            )

    def stream(self, call: Call, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        """Feed the body of the answer to *on_chunk* until the server ends it; a failure is the caller's to answer."""
        self._attempt(call, _Stream(on_chunk, cancellation, partial(self._count, call.method)))

    def close(self) -> None:
        """Begin nothing more and wait for nothing more; what is on the wire ends by itself."""
        self._closing.set()
        self._transport.close()

    def _attempt(
        self, call: Call, stream: _Stream | None = None, before_each: Callable[[], None] = lambda: None
    ) -> HttpResponse:
        authorization, transport = self._credentials.authorization(), self._transport
        before_each()
        try:
            return self._exchange(call, authorization, transport, stream)
        except (Unauthorized, TlsError):
            # A token, a certificate or the CA may have been rotated. Either way nothing was done.
            if not self._has_other_credentials(authorization, transport):
                raise
        authorization = self._credentials.authorization()
        before_each()
        return self._exchange(call, authorization, self._transport, stream)

    def _exchange(
        self, call: Call, authorization: str | None, transport: Transport, stream: _Stream | None
    ) -> HttpResponse:
        if self._closing.is_set():
            raise Cancelled("the client is closed")
        request = self._request(call, authorization)
        response = stream.exchange(request, transport) if stream else self._measured(request, transport)
        if not _FIRST_OK <= response.status < _FIRST_NOT_OK:
            raise self._error_of(response)
        return response

    def _measured(self, request: HttpRequest, transport: Transport) -> HttpResponse:
        metrics = self._metrics
        if metrics is None:
            return _exchange(request, transport)
        started = self._clock.monotonic()
        try:
            response = _exchange(request, transport)
        except WindlassError:
            metrics.failed(request.method, self._clock.monotonic() - started)
            raise
        sent = len(request.body) if request.body else 0
        metrics.answered(request.method, self._clock.monotonic() - started, sent, response)
        return response

    def _request(self, call: Call, authorization: str | None) -> HttpRequest:
        headers = (f"Accept: {call.accept}", *self._fixed_headers, *self._address.impersonation)
        if call.body is not None:
            headers += (f"Content-Type: {call.content_type}",)
        if authorization:
            headers += (f"Authorization: {authorization}",)
        return HttpRequest(call.method, call.target, headers, call.body, self._within_deadline(call))

    def _within_deadline(self, call: Call) -> Timeouts:
        deadline = current_deadline()
        if deadline is None:
            return call.timeouts
        left = deadline.at - self._clock.monotonic()
        if left <= 0:
            raise DeadlineExceeded(f"timed out after {deadline.timeout_seconds:g} s, before {call.verb} {call.path}")
        total = call.timeouts.total_seconds
        return msgspec.structs.replace(call.timeouts, total_seconds=left if total is None else min(total, left))

    def _before_wait(self, call: Call, error: BaseException, seconds: float) -> None:
        deadline = current_deadline()
        if deadline is not None and self._clock.monotonic() + seconds >= deadline.at:
            raise DeadlineExceeded(
                f"timed out after {deadline.timeout_seconds:g} s, before {call.verb} {call.path} "
                f"could be sent again: {error}"
            ) from error
        if self._metrics is not None:
            self._metrics.retried(call.method, str(error.code) if isinstance(error, ApiError) else NO_ANSWER)

    def _pause(self, seconds: float) -> None:
        self._closing.wait(seconds)

    def _count(self, method: str, status: int) -> None:
        if self._metrics is not None:
            self._metrics.counted(method, status)

    def _has_other_credentials(self, authorization: str | None, transport: Transport) -> bool:
        """Load the credentials again, unless another task just did; whether they differ from those that failed."""
        with self._lock:
            if self._are_current(authorization, transport):
                self._credentials.reload()
                self._adopt(self._credentials.address())
            return not self._are_current(authorization, transport)

    def _are_current(self, authorization: str | None, transport: Transport) -> bool:
        return transport is self._transport and authorization == self._credentials.authorization()

    def _adopt(self, address: ClusterAddress) -> None:
        if address != self._address:
            retired, self._transport = self._transport, self._make_transport(address)
            self._address = address
            retired.close()

    def _error_of(self, response: HttpResponse) -> ApiError:
        status = decode_status(response.status, response.body)
        now = self._clock.now()
        retry_after = parse_retry_after(response.headers.get("retry-after"), now)
        if retry_after is None and status.details and status.details.retry_after_seconds:
            retry_after = parse_retry_after(str(status.details.retry_after_seconds), now)
        return api_error(status, retry_after_seconds=retry_after)


def _exchange(request: HttpRequest, transport: Transport) -> HttpResponse:
    fence = None if request.is_read else current_fence()
    if fence is None:
        return transport.exchange(request)
    fence.check()
    try:
        return transport.exchange(request, cancellation=fence)
    except Cancelled:
        fence.check(is_under_way=True)
        raise


def host_of(server: str) -> str:
    return urlsplit(server).netloc
