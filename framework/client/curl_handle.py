"""One libcurl handle: its options, its sockets, one exchange at a time."""

import ipaddress
import os
import select
import socket
import ssl
import struct
from collections.abc import Callable
from math import ceil
from urllib.parse import urlsplit

import pycurl

from framework.client.cancellation import Cancellation
from framework.client.credentials import ClusterAddress
from framework.client.curl_exchange import CurlExchange, Received
from framework.client.transport import HttpRequest, HttpResponse, Timeouts
from framework.clock import Clock
from framework.errors import Cancelled
from framework.runtime import Runtime

_STREAM_BUFFER_BYTES = 512 * 1024
# CURLOPT_SUPPRESS_CONNECT_HEADERS, for which pycurl has no name: a proxy's "200 connected" is not the server's answer.
_SUPPRESS_CONNECT_HEADERS = 265
# On, for no seconds.
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class CurlHandle:
    """A curl handle with everything set that never changes, and at most one connection."""

    def __init__(self, address: ClusterAddress, clock: Clock, runtime: Runtime, *, max_idle_seconds: int) -> None:
        self._clock = clock
        self._server = address.server
        self._host_header: tuple[str, ...] = ()
        self._has_name = not _is_ip_address(address.proxy or address.server)
        self._curl = pycurl.Curl()
        # Held around every use of our duplicates: a descriptor closed meanwhile could already be somebody else's.
        self._lock = runtime.lock()
        self._sockets: list[socket.socket] = []
        # Says whether one of the sockets has something to read.
        self._poller = select.poll()
        self._received = Received()
        self._exchange: CurlExchange | None = None
        # What the options of the last exchange were; setting them costs.
        self._method = ""
        self._timeouts: Timeouts | None = None
        self._is_fresh = False
        self._has_progress = False
        self._set_common(max_idle_seconds)
        self._set_tls(address)
        self._set_route(address)

    def _set_common(self, max_idle_seconds: int) -> None:
        curl = self._curl
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
        curl.setopt(pycurl.TCP_KEEPALIVE, 1)
        curl.setopt(pycurl.MAXCONNECTS, 1)
        curl.setopt(pycurl.MAXAGE_CONN, max_idle_seconds)
        curl.setopt(pycurl.BUFFERSIZE, _STREAM_BUFFER_BYTES)
        curl.setopt(pycurl.LOW_SPEED_LIMIT, 1)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        curl.setopt(pycurl.CLOSESOCKETFUNCTION, self._close_socket)
        curl.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        self._collect_answers()

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

    def _set_route(self, address: ClusterAddress) -> None:
        curl = self._curl
        # Always set: otherwise libcurl asks the environment.
        curl.setopt(pycurl.PROXY, address.proxy or "")
        curl.setopt(pycurl.NOPROXY, address.no_proxy)
        curl.setopt(_SUPPRESS_CONNECT_HEADERS, 1)
        if address.tls_server_name:
            # libcurl takes the name to verify from the URL; the rest of the world goes on with the real one.
            parts = urlsplit(address.server)
            host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
            port = parts.port or 443
            curl.setopt(pycurl.CONNECT_TO, [f"::{host}:{port}"])
            self._server = parts._replace(netloc=f"{address.tls_server_name}:{port}").geturl()
            self._host_header = (f"Host: {parts.netloc}",)

    def perform(
        self,
        request: HttpRequest,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
    ) -> HttpResponse:
        exchange = CurlExchange(request, on_chunk, cancellation, self._clock, self._received)
        self._exchange = exchange
        self._set_request(request)
        self._set_progress(exchange)
        if on_chunk is not None:
            self._curl.setopt(pycurl.HEADERFUNCTION, exchange.on_header)
            self._curl.setopt(pycurl.WRITEFUNCTION, exchange.on_body)
        try:
            self._run(exchange, cancellation)
            return exchange.response(self._curl.getinfo(pycurl.RESPONSE_CODE), self._name_lookup_seconds(exchange))
        finally:
            if on_chunk is not None:
                self._collect_answers()
            # An idle handle must not keep a page of a list alive.
            self._received.clear()
            self._exchange = None

    def _collect_answers(self) -> None:
        self._curl.setopt(pycurl.HEADERFUNCTION, self._received.header_lines.append)
        self._curl.setopt(pycurl.WRITEFUNCTION, self._received.body.append)

    def _run(self, exchange: CurlExchange, cancellation: Cancellation | None) -> None:
        if cancellation is None:
            self._perform(exchange)
            return
        cancellation.on_request(self.shut)
        try:
            self._perform(exchange)
        finally:
            is_ours = cancellation.forget(self.shut)
        if not is_ours:
            # `shut` may run even later; it must not meet another exchange on this handle.
            raise Cancelled("ended from this side")

    def _perform(self, exchange: CurlExchange) -> None:
        try:
            self._curl.perform()
        except pycurl.error as error:
            exchange.hand_over_pending()
            raise exchange.failure(error, self._server) from None
        exchange.hand_over_pending()
        if exchange.callback_error is not None:
            raise exchange.callback_error

    def _set_request(self, request: HttpRequest) -> None:
        curl = self._curl
        curl.setopt(pycurl.URL, self._server + request.target)
        curl.setopt(pycurl.HTTPHEADER, request.headers + self._host_header)
        if request.body is None:
            curl.setopt(pycurl.HTTPGET, 1)
        else:
            curl.setopt(pycurl.POSTFIELDS, request.body)
        if request.method != self._method:
            curl.setopt(pycurl.CUSTOMREQUEST, request.method)
            self._method = request.method
        if request.timeouts is not self._timeouts:
            self._set_timeouts(request.timeouts)
        # libcurl repeats a read by itself when the kept connection turns out to be dead; a write it may not repeat.
        # Between two exchanges a server has nothing to say but goodbye.
        is_fresh = not request.is_read and bool(self._poller.poll(0))
        if is_fresh != self._is_fresh:
            curl.setopt(pycurl.FRESH_CONNECT, int(is_fresh))
            self._is_fresh = is_fresh

    def _set_timeouts(self, timeouts: Timeouts) -> None:
        curl = self._curl
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, _milliseconds(timeouts.connect_seconds))
        curl.setopt(pycurl.LOW_SPEED_TIME, max(1, ceil(timeouts.idle_seconds)))
        total = timeouts.total_seconds
        curl.setopt(pycurl.TIMEOUT_MS, 0 if total is None else _milliseconds(total))
        self._timeouts = timeouts

    def _set_progress(self, exchange: CurlExchange) -> None:
        if exchange.needs_progress:
            self._curl.setopt(pycurl.XFERINFOFUNCTION, exchange.on_progress)
        if exchange.needs_progress != self._has_progress:
            self._has_progress = exchange.needs_progress
            self._curl.setopt(pycurl.NOPROGRESS, int(not self._has_progress))

    def _before_sending(self, *_addresses: object) -> int:
        if self._exchange is None or self._exchange.may_be_sent():
            return int(pycurl.PREREQFUNC_OK)
        return int(pycurl.PREREQFUNC_ABORT)

    def _name_lookup_seconds(self, exchange: CurlExchange) -> float | None:
        if exchange.opened_socket and self._has_name:
            return float(self._curl.getinfo(pycurl.NAMELOOKUP_TIME))
        return None

    def shut(self) -> None:
        """Make a running exchange end now; called from another task."""
        with self._lock:
            for opened in self._sockets:
                try:
                    opened.shutdown(socket.SHUT_RDWR)
                except OSError:
                    # Not connected: the peer was faster.
                    continue

    def close(self) -> None:
        self._curl.close()
        with self._lock:
            for opened in self._sockets:
                opened.close()
            self._sockets.clear()

    def _open_socket(self, _purpose: int, address: tuple[int, int, int, object]) -> socket.socket | int:
        exchange = self._exchange
        if exchange is None:
            return int(pycurl.SOCKET_BAD)
        exchange.opened_socket = True
        family, kind, protocol, _ = address
        opened = socket.socket(family, kind, protocol)
        with self._lock:
            # libcurl works on a duplicate of this descriptor, so ours stays good for a shutdown.
            self._sockets.append(opened)
        self._poller.register(opened, select.POLLIN)
        # Asked after the socket is where `shut` finds it, so that one of the two sees the other.
        return int(pycurl.SOCKET_BAD) if exchange.is_cancelled else opened

    def _close_socket(self, descriptor: int) -> int:
        # A socket's inode is what the duplicates have in common.
        inode = os.fstat(descriptor).st_ino
        socket.close(descriptor)
        with self._lock:
            for opened in [each for each in self._sockets if os.fstat(each.fileno()).st_ino == inode]:
                if self._exchange is not None and self._exchange.is_unanswered_write:
                    # Given up: what the kernel has not delivered yet must not arrive later, when the network is back.
                    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
                self._sockets.remove(opened)
                self._poller.unregister(opened)
                opened.close()
        return 0


def _milliseconds(seconds: float) -> int:
    # Zero would mean no limit at all.
    return max(1, int(seconds * 1000))


def _is_ip_address(url: str) -> bool:
    try:
        ipaddress.ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return True
