"""Requests with authentication, metrics, retries and errors; knows nothing of kinds."""

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit

import msgspec

from framework.client.codec import decode_status
from framework.client.credentials import ClusterAddress, Credentials
from framework.client.metrics import HostMetrics, RequestMeasure
from framework.client.retry import Retrier, is_retryable, parse_retry_after
from framework.client.transport import Cancellation, HttpRequest, HttpResponse, Timeouts, Transport
from framework.clock import Clock
from framework.errors import ApiError, Cancelled, DeadlineExceeded, Unauthorized, WindlassError, api_error
from framework.randomness import Random
from framework.runtime import Runtime, current_deadline

_FIRST_ERROR = 300


class Call(msgspec.Struct, frozen=True):
    """One request in Kubernetes' words."""

    verb: str
    method: str
    path: str
    query: Mapping[str, str] = {}
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    timeouts: Timeouts = Timeouts()
    fresh_connection: bool = False

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def target(self) -> str:
        if not self.query:
            return self.path
        # quote, not quote_plus: continue tokens and selectors need %20, not +.
        pairs = "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in self.query.items())
        return f"{self.path}?{pairs}"


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
        self._user_agent = user_agent
        self._metrics = metrics
        self._address = credentials.address()
        self._transport = make_transport(self._address)

    @property
    def server(self) -> str:
        return self._address.server

    def send(self, call: Call) -> HttpResponse:
        """The answer to *call*, sent again where that is safe; raises for everything but a 2xx."""
        try:
            return self._attempt(call)
        except Unauthorized:
            self._renew_credentials()
            return self._attempt(call)
        except WindlassError as error:
            if not is_retryable(error, is_read=call.is_read):
                raise
            return self._retrier.resume_after(
                error,
                lambda: self._attempt(call),
                is_read=call.is_read,
                on_retry=lambda failure: self._count_retry(call, failure),
            )

    def stream(self, call: Call, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        """Feed the body of the answer to *on_chunk* until the server ends it. Never retried here."""
        try:
            self._attempt(call, on_chunk, cancellation)
        except Unauthorized:
            self._renew_credentials()
            raise

    def close(self) -> None:
        self._closing.set()
        self._transport.close()

    def _attempt(
        self,
        call: Call,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        if self._closing.is_set():
            raise Cancelled("the client is closed")
        request = self._request(call)
        started = self._clock.monotonic()
        code = "<error>"
        response = HttpResponse(0, {})
        try:
            response = self._transport.exchange(request, on_chunk=on_chunk, cancellation=cancellation)
            code = str(response.status)
        finally:
            self._measure(call, code, started, response)
        if response.status >= _FIRST_ERROR:
            raise _error_of(response)
        return response

    def _request(self, call: Call) -> HttpRequest:
        headers = [f"Accept: {call.accept}", f"User-Agent: {self._user_agent}", "Expect:"]
        if call.body is not None:
            headers.append(f"Content-Type: {call.content_type}")
        authorization = self._credentials.authorization()
        if authorization:
            headers.append(f"Authorization: {authorization}")
        headers.extend(self._address.impersonation)
        return HttpRequest(
            call.method, call.target, tuple(headers), call.body, self._within_deadline(call), call.fresh_connection
        )

    def _within_deadline(self, call: Call) -> Timeouts:
        deadline = current_deadline()
        if deadline is None:
            return call.timeouts
        left = deadline.at - self._clock.monotonic()
        if left <= 0:
            raise DeadlineExceeded(
                f"reconcile timed out after {deadline.timeout_seconds:g} s, before {call.verb} {call.path}"
            )
        total = call.timeouts.total_seconds
        return msgspec.structs.replace(call.timeouts, total_seconds=left if total is None else min(total, left))

    def _measure(self, call: Call, code: str, started: float, response: HttpResponse) -> None:
        if self._metrics is not None:
            seconds = self._clock.monotonic() - started
            sent = len(call.body) if call.body else 0
            self._metrics.observe(RequestMeasure(call.method, code, seconds, sent, len(response.body)))

    def _count_retry(self, call: Call, error: BaseException) -> None:
        if self._metrics is not None:
            self._metrics.retried(call.method, str(error.code) if isinstance(error, ApiError) else "<error>")

    def _pause(self, seconds: float) -> None:
        self._closing.wait(seconds)

    def _renew_credentials(self) -> None:
        with self._lock:
            self._credentials.reload()
            address = self._credentials.address()
            if address == self._address:
                return
            retired, self._transport = self._transport, self._make_transport(address)
            self._address = address
        retired.close()


def _error_of(response: HttpResponse) -> ApiError:
    status = decode_status(response.status, response.body)
    retry_after = parse_retry_after(response.headers.get("retry-after"))
    if retry_after is None and status.details and status.details.retry_after_seconds:
        retry_after = parse_retry_after(str(status.details.retry_after_seconds))
    return api_error(status, retry_after_seconds=retry_after)


def host_of(server: str) -> str:
    return urlsplit(server).netloc
