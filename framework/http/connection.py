"""One connection: its requests, one after the other, and their answers."""

import asyncio
from collections import deque
from enum import Enum, auto
from functools import partial
from typing import Protocol, cast

from framework.bugs import report_bug
from framework.errors import ApiError
from framework.http import refusals
from framework.http.answers import CONTINUE, NOTHING_TO_SAY, has_body
from framework.http.body_budget import BodyAllowance
from framework.http.compression import as_gzip, compressed, wants_gzip
from framework.http.event_body import EventBody
from framework.http.event_rounds import Waker
from framework.http.exchange import Answer
from framework.http.outgoing import Outgoing
from framework.http.request_parser import Incoming, Phase, RequestParser
from framework.http.service import Service
from framework.http.tls import peer_certificate

_FOREVER = float("inf")
_WRITE_BUFFER_BYTES = 64 * 1024
# Requests may be as short as 30 bytes, and as objects they take far more: few at a time are parsed ahead.
_PARSED_AT_ONCE_BYTES = 16 * 1024
# Smaller bodies are copied behind their head, which saves a system call and a TLS record.
_ONE_WRITE_BYTES = 16 * 1024


class Turn(Enum):
    """What the connection is about. Only while READY may the next request begin."""

    READY = auto()
    HANDLING = auto()
    SENDING = auto()
    STREAMING = auto()
    # A refusal was sent; the rest of what the client sends is thrown away.
    LINGERING = auto()
    CLOSED = auto()


class Members(Protocol):
    def join(self, connection: "Connection") -> None: ...

    def leave(self, connection: "Connection") -> None: ...


class Connection(asyncio.Protocol):
    """Asyncio's protocol of one connection; it is in *members* from its first moment to its last."""

    def __init__(self, service: Service, members: Members, *, is_one_too_many: bool) -> None:
        self._service = service
        self._options = service.options
        self._members = members
        self._is_one_too_many = is_one_too_many
        self._turn = Turn.READY
        self._incoming: deque[Incoming] = deque()
        self._unparsed = memoryview(b"")
        self._refusal: ApiError | None = None
        self._allowance = BodyAllowance(service.bodies)
        self._body: EventBody | None = None
        self._closes_after_answer = False
        self._client_is_done = False
        self._is_reading = True
        self._answered = 0
        self._seen: tuple[object, ...] = ()
        self._seen_since = 0.0

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Asyncio promises it for stream sockets.
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=_WRITE_BUFFER_BYTES)
        self._outgoing = Outgoing(self._transport, self._on_drained)
        self._parser = RequestParser(
            self._options,
            peer_certificate(transport),
            self._incoming,
            self._allowance,
            self._service.check_head,
        )
        self._members.join(self)
        if self._is_one_too_many:
            self._refuse(refusals.too_many_connections(self._options.max_connections))

    def data_received(self, data: bytes) -> None:
        if self._turn is Turn.LINGERING or self._refusal is not None or self._parser.is_over:
            return
        self._unparsed = memoryview(self._unparsed.tobytes() + data) if self._unparsed else memoryview(data)
        self._go_on()

    def eof_received(self) -> bool:
        """Returns whether to stay open, for the answers to a client that has finished sending."""
        self._client_is_done = True
        # While requests wait for their turn nothing is read, not even the end. TLS knows no half-closed connection.
        return self._turn in {Turn.HANDLING, Turn.SENDING} and self._transport.can_write_eof()

    def pause_writing(self) -> None:
        self._outgoing.pause()

    def resume_writing(self) -> None:
        self._outgoing.resume()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - it makes no difference
        self._drop_all()
        self._members.leave(self)

    # What the server calls.

    def finish(self) -> None:
        """Close as soon as nothing is under way; end a watch in order."""
        if self._body is not None:
            self._closes_after_answer = True
            self._body.end()
            self._end_of_body()
        elif self._turn is Turn.READY and self._parser.phase is Phase.NOTHING and not self._incoming:
            self._close()
            # There is nothing left to send; clients that never answer to a close would cost the whole grace time.
            self._transport.abort()

    def abort(self) -> None:
        self._drop_all()
        self._transport.abort()

    def check(self, now: float) -> None:
        """Called several times a second: send what is due, and end what takes too long."""
        if self._body is not None and self._body.is_due(now):
            self._send_events()
        # The clock runs while nothing of this changes.
        state = (self._turn, self._parser.phase, self._answered, self._outgoing.pauses, self._outgoing.is_paused)
        if state != self._seen:
            self._seen, self._seen_since = state, now
        elif now - self._seen_since > (limit := self._limit_seconds()):
            self._run_out_of_time(limit)

    # Requests.

    def _go_on(self) -> None:
        """Begin one request, if there is one and its turn has come."""
        if self._turn is Turn.READY:
            self._parse()
            if self._incoming:
                self._begin(self._incoming.popleft())
            elif self._refusal is not None:
                self._refuse(self._refusal)
            elif self._parser.awaits_continue:
                self._parser.awaits_continue = False
                self._outgoing.send(CONTINUE)
            elif self._client_is_done:
                self._close()
        self._control_reading()

    def _parse(self) -> None:
        try:
            while self._unparsed and not self._incoming and not self._parser.is_over:
                part, self._unparsed = self._unparsed[:_PARSED_AT_ONCE_BYTES], self._unparsed[_PARSED_AT_ONCE_BYTES:]
                self._parser.feed(part)
        except ApiError as refusal:
            self._refusal = refusal
            self._unparsed = memoryview(b"")

    def _control_reading(self) -> None:
        """Read only what there is room for; a client that sends ahead waits in its socket."""
        wants_more = self._turn is Turn.LINGERING or not (self._incoming or self._unparsed)
        if wants_more != self._is_reading and not self._transport.is_closing():
            self._is_reading = wants_more
            if wants_more:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def _begin(self, incoming: Incoming) -> None:
        self._turn = Turn.HANDLING
        self._allowance.hand_out(incoming.request.body)
        service, request = self._service, incoming.request
        if service.may_block(request):
            service.workers.submit(partial(self._handle_elsewhere, incoming))
            return
        answer = service.answer(request)
        if answer.stream is None and wants_gzip(self._options, request, answer):
            service.workers.submit(partial(self._compress_elsewhere, incoming, answer))
        else:
            self._answer(incoming, answer)

    def _handle_elsewhere(self, incoming: Incoming) -> None:
        if self._turn is not Turn.HANDLING:
            # The client has left while others had their turn. Under load, work that nobody waits for would only make
            # those who still wait leave too.
            self._hand_over(incoming, NOTHING_TO_SAY)
            return
        answer = self._service.answer(incoming.request)
        if answer.stream is None and wants_gzip(self._options, incoming.request, answer):
            answer = compressed(answer)
        self._hand_over(incoming, answer)

    def _compress_elsewhere(self, incoming: Incoming, answer: Answer) -> None:
        self._hand_over(incoming, compressed(answer))

    def _hand_over(self, incoming: Incoming, answer: Answer) -> None:
        try:
            self._service.loop.call_soon_threadsafe(self._answer, incoming, answer)
        except RuntimeError:  # the server has stopped meanwhile
            _give_up(answer)

    # Answers.

    def _answer(self, incoming: Incoming, answer: Answer) -> None:
        self._allowance.give_back(incoming.request.body)
        if self._turn is not Turn.HANDLING:  # the client has left
            _give_up(answer)
            return
        self._closes_after_answer = (
            self._service.is_stopping
            or not incoming.keep_alive
            or self._answered + 1 == self._options.max_requests_each
            # Without chunks, only the end of the connection ends the body.
            or (answer.stream is not None and not incoming.is_http_1_1)
        )
        if answer.stream is not None and self._client_is_done:
            # Most likely it has left, which shows only when something is sent to it.
            _give_up(answer)
            self._close()
        elif answer.stream is not None and has_body(incoming, answer):
            self._stream(incoming, answer)
        else:
            self._send_whole(incoming, answer)

    def _send_whole(self, incoming: Incoming, answer: Answer) -> None:
        _give_up(answer)
        self._turn = Turn.SENDING
        head = self._head(incoming, answer)
        body = answer.body if has_body(incoming, answer) else b""
        if len(body) <= _ONE_WRITE_BYTES:
            self._outgoing.send(head + body)
        else:
            self._outgoing.send(head)
            self._outgoing.send(body)
        self._end_of_answer()

    def _stream(self, incoming: Incoming, answer: Answer) -> None:
        assert answer.stream is not None  # noqa: S101 - the caller has looked
        self._turn = Turn.STREAMING
        is_gzip = wants_gzip(self._options, incoming.request, answer)
        # The head goes out before the first event, which may be long in coming.
        self._outgoing.send(self._head(incoming, as_gzip(answer) if is_gzip else answer))
        self._body = EventBody(answer.stream, self._outgoing, is_chunked=incoming.is_http_1_1, is_gzip=is_gzip)
        answer.stream.on_ready(Waker(self._service.rounds, self._send_events))
        self._send_events()

    def _head(self, incoming: Incoming, answer: Answer) -> bytes:
        keep_alive = not self._closes_after_answer
        return self._service.heads.head(answer, is_http_1_1=incoming.is_http_1_1, keep_alive=keep_alive)

    def _send_events(self) -> None:
        if self._body is None:
            return
        try:
            has_ended = self._body.send_what_is_there()
        except Exception as error:  # noqa: BLE001 - other watches wait for their turn in the same round
            report_bug("a watch failed", error)
            self.abort()
            return
        if has_ended:
            self._end_of_body()

    def _end_of_body(self) -> None:
        self._body = None
        self._turn = Turn.SENDING
        self._end_of_answer()

    def _on_drained(self) -> None:
        if self._turn is Turn.STREAMING:
            self._send_events()
        elif self._turn is Turn.SENDING:
            self._end_of_answer()

    def _end_of_answer(self) -> None:
        """Go on with the next request once all of this answer is on its way."""
        if not self._outgoing.is_drained:
            return
        self._answered += 1
        if self._closes_after_answer:
            self._close()
            return
        self._turn = Turn.READY
        if self._incoming or self._unparsed or self._refusal is not None or self._client_is_done:
            # In a turn of its own, so that a client that sends many at once does not hold up the others.
            self._service.loop.call_soon(self._go_on)

    def _refuse(self, refusal: ApiError) -> None:
        answer = self._service.refusal_of(refusal)
        self._outgoing.send(self._service.heads.head(answer, is_http_1_1=True, keep_alive=False) + answer.body)
        # Closing now, with bytes of the client unread, would reset the connection and take the answer away with it.
        self._turn = Turn.LINGERING
        self._unparsed = memoryview(b"")
        if self._transport.can_write_eof():
            self._transport.write_eof()

    # Ends.

    def _limit_seconds(self) -> float:
        if self._turn is Turn.LINGERING:
            return self._options.linger_seconds
        if self._outgoing.is_paused or self._turn is Turn.CLOSED:
            return self._options.unread_seconds
        if self._turn is not Turn.READY:
            return _FOREVER
        limits = {
            Phase.NOTHING: self._options.idle_seconds,
            Phase.HEAD: self._options.head_seconds,
            Phase.BODY: self._options.body_seconds,
        }
        return limits[self._parser.phase]

    def _run_out_of_time(self, limit: float) -> None:
        if self._turn is Turn.LINGERING or (self._turn is Turn.READY and self._parser.phase is Phase.NOTHING):
            self._close()
        elif self._turn is not Turn.READY:
            self.abort()
        else:
            self._refuse(refusals.too_slow(limit))

    def _close(self) -> None:
        self._turn = Turn.CLOSED
        self._transport.close()

    def _drop_all(self) -> None:
        self._turn = Turn.CLOSED
        self._incoming.clear()
        self._allowance.drop()
        self._unparsed = memoryview(b"")
        self._outgoing.drop()
        if self._body is not None:
            self._body.abandon()
            self._body = None


def _give_up(answer: Answer) -> None:
    if answer.stream is not None:
        answer.stream.close()
