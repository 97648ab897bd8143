"""One client connection and its upstream connection: request after request, with the faults that fit."""

import ssl
import time
from collections.abc import Iterator
from urllib.parse import urlencode

import msgspec

from framework.testing.relay.answers import encode_answer
from framework.testing.relay.control import Control
from framework.testing.relay.errors import PeerClosed, RelayError, Severed
from framework.testing.relay.fault import (
    Action,
    ResetBefore,
    Respond,
    RespondAfterApply,
    RewriteQuery,
    Stall,
    counts_events,
)
from framework.testing.relay.http1 import (
    Body,
    Framing,
    Head,
    answer_framing,
    read_final_head,
    read_head,
    request_framing,
)
from framework.testing.relay.interceptor import Interceptor
from framework.testing.relay.journal import Journal
from framework.testing.relay.plan import Plan
from framework.testing.relay.request import SeenRequest, split_target
from framework.testing.relay.steps import Fired, Hold, Part, Pause, Sever, Step, lines_of, steps_of
from framework.testing.relay.upstream import Upstream
from framework.testing.relay.wire import Wire

REQUEST_LIMIT_BYTES = 32 * 1024 * 1024
# Those that concern one connection only; an upgrade that is not forwarded is an upgrade declined.
_HOP_BY_HOP = frozenset(
    {"host", "connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings", "te", "expect"}
)
_LENGTHS = frozenset({"content-length", "transfer-encoding"})


class Context(msgspec.Struct, frozen=True):
    """What every connection of a relay shares."""

    upstream: Upstream
    tls: ssl.SSLContext | None
    journal: Journal
    plan: Plan
    interceptor: Interceptor | None = None


class Request(msgspec.Struct, frozen=True):
    """A request in full, and what is to be done to it; *fired* is called when that has happened."""

    seen: SeenRequest
    head: Head
    action: Action | None
    fired: Fired

    @property
    def number(self) -> int:
        return self.seen.number


class Connection:
    """Serves one client until either side, a fault or the relay ends it."""

    def __init__(self, client: Wire, control: Control, context: Context) -> None:
        self.control = control
        self._client = client
        self._upstream: Wire | None = None
        self._context = context

    def run(self) -> None:
        reset = True
        try:
            self._serve()
        except PeerClosed:
            reset = False
        except RelayError as error:
            self._context.journal.fail(error)
        except (Severed, OSError):
            # A broken connection on one side is a broken connection on the other.
            pass
        else:
            reset = False
        finally:
            self._drop_upstream()
            self._client.close(reset=reset)
            self.control.close()

    def _serve(self) -> None:
        if self._context.tls:
            self._client.secure(self._context.tls)
        is_open = True
        while is_open:
            is_open = self._answer(self._read_request())

    def _read_request(self) -> Request:
        head = read_head(self._client)
        method, target, version = head.first_line
        if version != "HTTP/1.1":
            raise RelayError(f"a request must be HTTP/1.1, not {' '.join(head.first_line)[:80]!r}")
        if head.has_token("expect", "100-continue"):
            self._client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self._read_request_body(head)
        headers = {name.lower(): value for name, value in head.fields}
        seen = self._context.journal.record(method, target, headers, body)
        injection = self._context.plan.choose(seen)
        if injection is None:
            return Request(seen, head, None, lambda: None)
        return Request(seen, head, injection.action, injection.mark_fired)

    def _read_request_body(self, head: Head) -> bytes:
        body = bytearray()
        for piece in Body(self._client, head, request_framing(head)):
            body += piece
            if len(body) > REQUEST_LIMIT_BYTES:
                raise RelayError(f"a request of more than {REQUEST_LIMIT_BYTES} bytes")
        return bytes(body)

    def _answer(self, request: Request) -> bool:
        """Whether the connection can serve another request."""
        interceptor = self._context.interceptor
        if interceptor is not None and (answer := interceptor.before(request.seen, self._pause)) is not None:
            return self._respond(request, answer)
        match request.action:
            case ResetBefore():
                request.fired()
                raise Severed
            case Respond():
                return self._respond(request, request.action)
            case RespondAfterApply(replacement):
                self._await_upstream(request)
                # The rest of its answer is of no use to anyone.
                self._drop_upstream()
                if replacement is None:
                    request.fired()
                    raise Severed
                return self._respond(request, replacement)
            case _:
                return self._relay(request)

    def _respond(self, request: Request, answer: Respond) -> bool:
        self._client.send(encode_answer(answer))
        self._context.journal.answered(request.number, answer.status)
        request.fired()
        return not answer.close

    def _await_upstream(self, request: Request) -> tuple[Wire, Head]:
        """Forward *request*; return once the server has answered, and so has applied it."""
        upstream = self._connected_upstream()
        upstream.send(_forwarded(request, self._context.upstream.authority).encode() + request.seen.body)
        head = read_final_head(upstream)
        self._context.journal.upstream_answered(request.number, head.status)
        if self._context.interceptor is not None:
            self._context.interceptor.after(request.seen, head.status, self._pause)
        return upstream, head

    def _relay(self, request: Request) -> bool:
        upstream, head = self._await_upstream(request)
        if request.action == Stall(before_headers=True):
            upstream.hold(request.fired)
        elif isinstance(request.action, RewriteQuery):
            request.fired()
        framing = answer_framing(request.seen.method, head)
        body = Body(upstream, head, framing)
        edited = self._edited(request, head, body)
        if edited is not None or counts_events(request.action):
            head, framing = _as_editable(head), Framing.CHUNKED
        self._client.send(head.encode())
        self._context.journal.answered(request.number, head.status)
        for step in edited or steps_of(request.action, body, request.fired):
            self._carry_out(step, framing, upstream)
        self._client.send(framing.end())
        if not body.is_complete:
            self._drop_upstream()
        return not _ends_connection(request.head, head, framing)

    def _edited(self, request: Request, head: Head, body: Body) -> Iterator[Step] | None:
        interceptor = self._context.interceptor
        return interceptor.edit(request.seen, head.status, lines_of(body)) if interceptor is not None else None

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds  # noqa: TID251 - the relay is outside the seams: it plays the network
        while (left := end - time.monotonic()) > 0:  # noqa: TID251 - as above
            self.control.wait({}, left)

    def _carry_out(self, step: Step, framing: Framing, upstream: Wire) -> None:
        match step:
            case bytes():
                self._client.send(framing.encode(step))
            case Part(data, whole):
                self._client.send(framing.encode(data, whole))
            case Hold(is_held):
                upstream.hold(is_held)
            case Pause(seconds):
                upstream.pause(seconds)
            case Sever(reset):
                self._client.flush()
                raise Severed if reset else PeerClosed(self._client)

    def _connected_upstream(self) -> Wire:
        if self._upstream is None:
            self._upstream = self._context.upstream.connect(self.control)
            self._upstream.watched, self._client.watched = self._client, self._upstream
        return self._upstream

    def _drop_upstream(self) -> None:
        if self._upstream is not None:
            self._client.watched = None
            self._upstream.close(reset=False)
            self._upstream = None


def _forwarded(request: Request, authority: str) -> Head:
    method, target, version = request.head.first_line
    if isinstance(request.action, RewriteQuery):
        target = _rewritten(target, request.action)
    fields = [("Host", authority)]
    if request_framing(request.head) is not Framing.NONE:
        fields.append(("Content-Length", str(len(request.seen.body))))
    return Head((method, target, version), request.head.replace(_HOP_BY_HOP | _LENGTHS, *fields).fields)


def _rewritten(target: str, action: RewriteQuery) -> str:
    path, query = split_target(target)
    changed = {**query, **action.parameters}
    return f"{path}?{urlencode({name: value for name, value in changed.items() if value is not None})}"


def _as_editable(head: Head) -> Head:
    if head.get("content-encoding") not in ("", "identity"):
        raise RelayError(
            f"events cannot be counted in a body encoded with {head.get('content-encoding')}; "
            "let the client under test not accept encodings on a watch"
        )
    return head.replace(_LENGTHS, ("Transfer-Encoding", "chunked"))


def _ends_connection(request: Head, answer: Head, framing: Framing) -> bool:
    return (
        framing is Framing.UNTIL_CLOSE
        or answer.first_line[0] == "HTTP/1.0"
        or request.has_token("connection", "close")
        or answer.has_token("connection", "close")
    )
