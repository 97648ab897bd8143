"""The real Transport: libcurl, one handle and one kept connection for each exchange under way."""

from collections import deque
from collections.abc import Callable

from framework.client.cancellation import Cancellation
from framework.client.credentials import ClusterAddress
from framework.client.curl_handle import CurlHandle
from framework.client.transport import HttpRequest, HttpResponse
from framework.clock import Clock
from framework.errors import ConfigurationError
from framework.runtime import Runtime

_MAX_IDLE_HANDLES = 64
# The API server closes a connection that was idle for 90 s, load balancers after 60 s. A write that meets this moment
# has an unknown outcome, so a connection is given up before.
MAX_IDLE_SECONDS = 50
_PEM = b"-----BEGIN "


class CurlTransport:
    """Keeps connections between exchanges; safe for any number of tasks."""

    def __init__(self, address: ClusterAddress, *, clock: Clock, runtime: Runtime) -> None:
        self._address = address
        self._clock = clock
        self._runtime = runtime
        self._lock = runtime.lock()
        # With the time since when each is idle, longest first.
        self._idle: deque[tuple[float, CurlHandle]] = deque()
        self._closed = False

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        handle = self._acquire()
        try:
            response = handle.perform(request, on_chunk, cancellation)
        except BaseException:
            # What state the connection is in is unknown.
            handle.close()
            raise
        self._release(handle)
        return response

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle = [handle for _, handle in self._idle]
            self._idle.clear()
        for handle in idle:
            handle.close()

    def _acquire(self) -> CurlHandle:
        with self._lock:
            if self._idle:
                # The one used last: its connection is the least likely to have been closed by the server.
                return self._idle.pop()[1]
        return CurlHandle(self._address, self._clock, self._runtime, max_idle_seconds=MAX_IDLE_SECONDS)

    def _release(self, handle: CurlHandle) -> None:
        now = self._clock.monotonic()
        with self._lock:
            if not self._closed:
                self._idle.append((now, handle))
            surplus = [handle] if self._closed else self._take_surplus(now)
        for each in surplus:
            each.close()

    def _take_surplus(self, now: float) -> list[CurlHandle]:
        surplus = []
        while len(self._idle) > _MAX_IDLE_HANDLES or self._idle[0][0] < now - MAX_IDLE_SECONDS:
            surplus.append(self._idle.popleft()[1])
        return surplus


def check_tls_material(address: ClusterAddress) -> None:
    """Refuse what libcurl would only complain about at the first request."""
    given = {"CA": address.ca, "client certificate": address.certificate, "client key": address.key}
    present = {name: pem for name, pem in given.items() if pem is not None}
    if ("client certificate" in present) != ("client key" in present):
        raise ConfigurationError(f"{address.server}: client certificate and client key must be given together")
    if present and address.server.startswith("http://"):
        raise ConfigurationError(f"{address.server} is plain HTTP, but certificates are configured; use https://")
    for name, pem in present.items():
        # An empty CA must not quietly become that of the system.
        if _PEM not in pem:
            raise ConfigurationError(
                f"{address.server}: the {name} is not in PEM format; it must contain {_PEM.decode()}"
            )
