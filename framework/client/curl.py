"""The real Transport: libcurl, one handle and one kept connection for each exchange under way."""

import os
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

import pycurl

from framework.client.credentials import ClusterAddress
from framework.client.transport import Cancellation, HttpRequest, HttpResponse, Timeouts
from framework.clock import Clock
from framework.errors import Cancelled, ConfigurationError, ConnectError, TimedOut, TlsError, TransportError
from framework.runtime import Runtime

_CONNECT_ERRORS = {pycurl.E_COULDNT_RESOLVE_HOST, pycurl.E_COULDNT_RESOLVE_PROXY, pycurl.E_COULDNT_CONNECT}
_TLS_ERRORS = {
    pycurl.E_SSL_CONNECT_ERROR,
    pycurl.E_SSL_CERTPROBLEM,
    pycurl.E_SSL_CIPHER,
    pycurl.E_PEER_FAILED_VERIFICATION,
    pycurl.E_SSL_CACERT_BADFILE,
    pycurl.E_SSL_ISSUER_ERROR,
}
_MAX_IDLE_HANDLES = 64
_STREAM_BUFFER_BYTES = 512 * 1024
_FIRST_OK, _FIRST_NOT_OK = 200, 300


class CurlTransport:
    """Keeps connections between exchanges; safe for any number of tasks."""

    def __init__(self, address: ClusterAddress, *, clock: Clock, runtime: Runtime) -> None:
        self._address = address
        self._clock = clock
        self._lock = runtime.lock()
        self._idle: list[_Handle] = []
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
            idle, self._idle = self._idle, []
        for handle in idle:
            handle.close()

    def _acquire(self) -> "_Handle":
        with self._lock:
            if self._idle:
                # The one used last: its connection is the least likely to have been closed by the server.
                return self._idle.pop()
        return _Handle(self._address, self._clock)

    def _release(self, handle: "_Handle") -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _MAX_IDLE_HANDLES:
                self._idle.append(handle)
                return
        handle.close()


class _Handle:
    """A curl handle with everything set that never changes."""

    def __init__(self, address: ClusterAddress, clock: Clock) -> None:
        self._clock = clock
        self._server = address.server
        self._curl = pycurl.Curl()
        self._sockets: list[socket.socket] = []
        self._set_common()
        self._set_tls(address)
        if address.proxy:
            self._curl.setopt(pycurl.PROXY, address.proxy)

    def _set_common(self) -> None:
        curl = self._curl
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
        curl.setopt(pycurl.TCP_KEEPALIVE, 1)
        curl.setopt(pycurl.MAXCONNECTS, 1)
        curl.setopt(pycurl.BUFFERSIZE, _STREAM_BUFFER_BYTES)
        curl.setopt(pycurl.LOW_SPEED_LIMIT, 1)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        curl.setopt(pycurl.CLOSESOCKETFUNCTION, self._close_socket)

    def _set_tls(self, address: ClusterAddress) -> None:
        curl = self._curl
        curl.setopt(pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2)
        curl.setopt(pycurl.SSL_VERIFYPEER, int(address.verify))
        curl.setopt(pycurl.SSL_VERIFYHOST, 2 if address.verify else 0)
        if address.ca:
            curl.setopt(pycurl.CAINFO_BLOB, address.ca)
        elif system_ca := ssl.get_default_verify_paths().cafile:
            curl.setopt(pycurl.CAINFO, system_ca)
        if address.certificate and address.key:
            curl.setopt(pycurl.SSLCERT_BLOB, address.certificate)
            curl.setopt(pycurl.SSLKEY_BLOB, address.key)
        if address.tls_server_name:
            parts = urlsplit(address.server)
            port = parts.port or 443
            curl.setopt(pycurl.CONNECT_TO, [f"::{parts.hostname}:{port}"])
            self._server = parts._replace(netloc=f"{address.tls_server_name}:{port}").geturl()

    def perform(
        self,
        request: HttpRequest,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
    ) -> HttpResponse:
        exchange = _Exchange(self._curl, on_chunk, cancellation, self._clock, request.timeouts)
        self._set_request(request)
        self._curl.setopt(pycurl.HEADERFUNCTION, exchange.on_header)
        self._curl.setopt(pycurl.WRITEFUNCTION, exchange.on_body)
        self._watch_over(exchange, request.timeouts, needed=on_chunk is not None or cancellation is not None)
        if cancellation is not None:
            cancellation.on_request(self.shut)
        try:
            self._curl.perform()
        except pycurl.error as error:
            raise exchange.failure(error, self._server) from None
        finally:
            if cancellation is not None:
                cancellation.forget(self.shut)
        return exchange.response()

    def _set_request(self, request: HttpRequest) -> None:
        curl = self._curl
        curl.setopt(pycurl.URL, self._server + request.target)
        curl.setopt(pycurl.HTTPHEADER, list(request.headers))
        curl.setopt(pycurl.FRESH_CONNECT, int(request.fresh_connection))
        if request.body is None:
            curl.setopt(pycurl.HTTPGET, 1)
        else:
            curl.setopt(pycurl.POSTFIELDS, request.body)
        if request.method == "GET" and request.body is None:
            curl.unsetopt(pycurl.CUSTOMREQUEST)
        else:
            curl.setopt(pycurl.CUSTOMREQUEST, request.method)
        timeouts = request.timeouts
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(timeouts.connect_seconds * 1000))
        curl.setopt(pycurl.LOW_SPEED_TIME, max(1, int(timeouts.idle_seconds)))
        total = timeouts.total_seconds
        curl.setopt(pycurl.TIMEOUT_MS, 0 if total is None else max(1, int(total * 1000)))

    def _watch_over(self, exchange: "_Exchange", timeouts: Timeouts, *, needed: bool) -> None:
        needed = needed or timeouts.total_seconds is None or timeouts.headers_seconds < timeouts.total_seconds
        self._curl.setopt(pycurl.NOPROGRESS, int(not needed))
        self._curl.setopt(pycurl.XFERINFOFUNCTION, exchange.on_progress)

    def shut(self) -> None:
        """Make a running exchange end now; called from another task."""
        for opened in list(self._sockets):
            try:
                opened.shutdown(socket.SHUT_RDWR)
            except OSError:
                # Closed meanwhile, or not connected yet: the progress callback ends that one.
                continue

    def close(self) -> None:
        self._curl.close()
        for opened in self._sockets:
            opened.close()
        self._sockets.clear()

    def _open_socket(self, _purpose: int, address: tuple[int, int, int, object]) -> socket.socket:
        family, kind, protocol, _ = address
        opened = socket.socket(family, kind, protocol)
        # libcurl works on a duplicate of this descriptor, so ours stays good for a shutdown.
        self._sockets.append(opened)
        return opened

    def _close_socket(self, descriptor: int) -> int:
        # A socket's inode is what the duplicates have in common.
        inode = os.fstat(descriptor).st_ino
        socket.close(descriptor)
        for opened in [each for each in self._sockets if os.fstat(each.fileno()).st_ino == inode]:
            self._sockets.remove(opened)
            opened.close()
        return 0


class _Exchange:
    """What is known of one request while libcurl works on it."""

    def __init__(
        self,
        curl: pycurl.Curl,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
        clock: Clock,
        timeouts: Timeouts,
    ) -> None:
        self._curl = curl
        self._on_chunk = on_chunk
        self._cancellation = cancellation
        self._clock = clock
        self._timeouts = timeouts
        self._started = clock.monotonic()
        self._header_lines: list[bytes] = []
        self._has_headers = False
        self._status = 0
        self._body: list[bytes] = []
        self._callback_error: BaseException | None = None
        self._headers_late = False

    def on_header(self, line: bytes) -> int | None:
        if line.startswith(b"HTTP/"):
            # A new head: the one before was an interim answer or a proxy's.
            self._header_lines.clear()
            self._status = int(line.split(None, 2)[1])
        elif line not in {b"\r\n", b"\n"}:
            self._header_lines.append(line)
        elif self._status >= _FIRST_OK and not self._has_headers:
            self._has_headers = True
            return self._hand_over(b"") if self._is_streamed else None
        return None

    def on_body(self, chunk: bytes) -> int | None:
        if self._is_streamed:
            return self._hand_over(chunk)
        self._body.append(chunk)
        return None

    @property
    def _is_streamed(self) -> bool:
        return self._on_chunk is not None and _FIRST_OK <= self._status < _FIRST_NOT_OK

    def _hand_over(self, chunk: bytes) -> int | None:
        try:
            self._on_chunk(chunk)  # type: ignore[misc]  # _is_streamed says it is there
        except BaseException as error:  # noqa: BLE001 - libcurl is between us and the caller; raised again there
            self._callback_error = error
            return 0
        return None

    def on_progress(self, *_counts: int) -> int:
        if self._cancellation is not None and self._cancellation.is_requested:
            return 1
        if not self._has_headers and self._clock.monotonic() - self._started > self._timeouts.headers_seconds:
            self._headers_late = True
            return 1
        return 0

    def response(self) -> HttpResponse:
        headers: dict[str, str] = {}
        for line in self._header_lines:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if self._cancellation is not None and self._cancellation.is_requested and self._on_chunk is not None:
            raise Cancelled("ended from this side")
        return HttpResponse(self._status, headers, b"".join(self._body))

    def failure(self, error: pycurl.error, server: str) -> BaseException:
        code, text = error.args
        if self._callback_error is not None:
            return self._callback_error
        if self._cancellation is not None and self._cancellation.is_requested:
            return Cancelled("ended from this side")
        if self._headers_late:
            return TimedOut(f"{server}: no answer within {self._timeouts.headers_seconds:g} s")
        if code == pycurl.E_OPERATION_TIMEDOUT:
            connected = self._curl.getinfo(pycurl.PRETRANSFER_TIME) > 0
            return TimedOut(f"{server}: {text}") if connected else ConnectError(f"{server}: {text}")
        for codes, kind in ((_CONNECT_ERRORS, ConnectError), (_TLS_ERRORS, TlsError)):
            if code in codes:
                return kind(f"{server}: {text}")
        return TransportError(f"{server}: {text}")


def check_tls_material(address: ClusterAddress) -> None:
    """Refuse what libcurl would only complain about at the first request."""
    if bool(address.certificate) != bool(address.key):
        raise ConfigurationError("client certificate and client key must be given together")
    if address.server.startswith("http://") and (address.certificate or address.ca):
        raise ConfigurationError(f"{address.server} is plain HTTP, but certificates are configured; use https://")
