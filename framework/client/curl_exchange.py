"""What is known of one request while libcurl works on it, and what its end means."""

from collections.abc import Callable

import pycurl

from framework.client.cancellation import Cancellation
from framework.client.headers import Headers
from framework.client.transport import HttpRequest, HttpResponse
from framework.clock import Clock
from framework.errors import Cancelled, ConnectError, TimedOut, TlsError, TransportError

# Not E_SSL_CONNECT_ERROR: a handshake that was cut off is no matter of certificates.
_TLS_ERRORS = frozenset(
    {
        pycurl.E_SSL_CERTPROBLEM,
        pycurl.E_SSL_CIPHER,
        pycurl.E_PEER_FAILED_VERIFICATION,
        pycurl.E_SSL_CACERT_BADFILE,
        pycurl.E_SSL_ISSUER_ERROR,
    }
)
_FIRST_OK, _FIRST_NOT_OK = 200, 300
# Fewer bytes than were given.
_STOP = 0
_MOST_PENDING_BYTES = 256 * 1024


class Received:
    """Where an answer arrives; libcurl appends to the lists without a line of Python for each header."""

    def __init__(self) -> None:
        self.header_lines: list[bytes] = []
        self.body: list[bytes] = []

    def clear(self) -> None:
        self.header_lines.clear()
        self.body.clear()


class CurlExchange:
    """One exchange; a streamed answer arrives by way of `on_header` and `on_body`."""

    def __init__(
        self,
        request: HttpRequest,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
        clock: Clock,
        received: Received,
    ) -> None:
        self._is_read = request.is_read
        self._timeouts = request.timeouts
        self._on_chunk = on_chunk
        self._cancellation = cancellation
        self._clock = clock
        self._started = clock.monotonic()
        self._header_lines = received.header_lines
        self._body = received.body
        self._is_announced = False
        # Pieces of a streamed answer that were read in one go; see on_body.
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._status = 0
        self.callback_error: BaseException | None = None
        self._late: str | None = None
        self._bytes = 0
        self._heard_at = self._started
        self._was_sent = False
        self._repeat_refused = False
        self.opened_socket = False
        # Otherwise the limit on silence is also the limit on silence before the headers.
        is_late_possible = self._timeouts.headers_seconds < self._timeouts.idle_seconds
        self.needs_progress = on_chunk is not None or cancellation is not None or is_late_possible

    @property
    def is_cancelled(self) -> bool:
        return self._cancellation is not None and self._cancellation.is_requested

    @property
    def is_unanswered_write(self) -> bool:
        return not self._is_read and self._was_sent and not self._header_lines

    def may_be_sent(self) -> bool:
        """Asked each time before the request goes out.

        When a kept connection ends without an answer, libcurl by itself sends
        the request again on a new one, whatever its method. A write may have
        been applied by then.
        """
        # The connection stands, and the next thing is the sending: the last moment to find that it must not be.
        if self.is_cancelled:
            return False
        if self._was_sent and not self._is_read:
            self._repeat_refused = True
            return False
        self._was_sent = True
        return True

    def on_progress(self, _total: int, received: int, *_sent: int) -> int:
        """Called after each read, and at least once a second; anything but zero ends the exchange."""
        if self._pending and self.hand_over_pending() is not None:
            return 1
        now = self._clock.monotonic()
        if received != self._bytes:
            self._bytes = received
            self._heard_at = now
        limits = self._timeouts
        if not self._header_lines and now - self._started > limits.headers_seconds:
            self._late = f"no answer within {limits.headers_seconds:g} s"
        elif now - self._heard_at > limits.idle_seconds:
            self._late = f"silent for {limits.idle_seconds:g} s"
        return int(self.is_cancelled or self._late is not None)

    def response(self, status: int, name_lookup_seconds: float | None) -> HttpResponse:
        return HttpResponse(status, Headers(tuple(self._header_lines)), b"".join(self._body), name_lookup_seconds)

    def failure(self, error: pycurl.error, server: str) -> BaseException:
        code, text = error.args
        if self.callback_error is not None:
            return self.callback_error
        if self.is_cancelled:
            return Cancelled("ended from this side")
        if self._repeat_refused:
            return TransportError(f"{server}: the connection ended before the answer; the request is not sent again")
        if self._late is not None:
            return TimedOut(f"{server}: {self._late}")
        return self._class_of(code)(f"{server}: {text}")

    def _class_of(self, code: int) -> type[TransportError]:
        # What counts is whether the request went out, not the code: after a silent repeat of libcurl the last
        # thing that failed may well be a connect.
        if not self._was_sent:
            return TlsError if code in _TLS_ERRORS else ConnectError
        return TimedOut if code == pycurl.E_OPERATION_TIMEDOUT else TransportError

    def on_header(self, line: bytes) -> int | None:
        if line.startswith(b"HTTP/"):
            # A new head: the one before was an interim answer.
            self._header_lines.clear()
            self._status = int(line.split(None, 2)[1])
        is_end = line in {b"\r\n", b"\n"}
        if not is_end:
            self._header_lines.append(line)
        if is_end and self._is_streamed and not self._is_announced:
            # Only once: trailers end with an empty line as well.
            self._is_announced = True
            return self._hand_over(b"")
        return None

    def on_body(self, piece: bytes) -> int | None:
        """Collect until libcurl has given all it read.

        An API server sends each event as an HTTP chunk of its own, and libcurl
        calls for each of them; taking them one by one would cost a busy watch
        several times as much.
        """
        if not self._is_streamed:
            self._body.append(piece)
            return None
        self._pending.append(piece)
        self._pending_bytes += len(piece)
        return self.hand_over_pending() if self._pending_bytes > _MOST_PENDING_BYTES else None

    def hand_over_pending(self) -> int | None:
        """To be called once more when the exchange has ended, however it ended."""
        pieces, self._pending, self._pending_bytes = self._pending, [], 0
        return self._hand_over(pieces[0] if len(pieces) == 1 else b"".join(pieces)) if pieces else None

    @property
    def _is_streamed(self) -> bool:
        return _FIRST_OK <= self._status < _FIRST_NOT_OK

    def _hand_over(self, chunk: bytes) -> int | None:
        try:
            self._on_chunk(chunk)  # type: ignore[misc]  # only a streamed exchange comes here
        except BaseException as error:  # noqa: BLE001 - libcurl is between us and the caller; raised again there
            self.callback_error = error
            return _STOP
        return None
