"""The body of a watch."""

from framework.http.compression import gzip_member
from framework.http.exchange import EventStream
from framework.http.outgoing import Outgoing

_LAST_CHUNK = b"0\r\n\r\n"
_ONE_WRITE_BYTES = 16 * 1024


class EventBody:
    """Sends what an EventStream has, and no faster than the client reads.

    While the client does not read, events stay in the stream, which ends when
    they become too many.
    """

    def __init__(self, stream: EventStream, outgoing: Outgoing, *, is_chunked: bool, is_gzip: bool) -> None:
        self._stream = stream
        self._outgoing = outgoing
        self._is_chunked = is_chunked
        self._is_gzip = is_gzip

    def send_what_is_there(self) -> bool:
        """Returns whether the body has ended."""
        while self._outgoing.is_drained:
            data = self._stream.read()
            if data is None:
                self.end()
                return True
            if not data:
                break
            self._send(gzip_member(data) if self._is_gzip else data)
        return False

    def is_due(self, now: float) -> bool:
        wake_at = self._stream.wake_at
        return wake_at is not None and wake_at <= now

    def end(self) -> None:
        """Complete the body: the client sees an end, not a broken connection."""
        self._stream.close()
        if self._is_chunked:
            self._outgoing.send(_LAST_CHUNK)

    def abandon(self) -> None:
        self._stream.close()

    def _send(self, data: bytes) -> None:
        if not self._is_chunked:
            self._outgoing.send(data)
        elif len(data) <= _ONE_WRITE_BYTES:
            self._outgoing.send(b"%x\r\n%b\r\n" % (len(data), data))
        else:
            # The whole initial state may come at once: it is not copied.
            for part in (b"%x\r\n" % len(data), data, b"\r\n"):
                self._outgoing.send(part)
