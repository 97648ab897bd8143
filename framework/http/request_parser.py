"""From the bytes of one connection to its requests; the grammar is llhttp's."""

from collections import deque
from enum import Enum, auto

import httptools
import msgspec

from framework.errors import ApiError
from framework.http import refusals
from framework.http.body_budget import BodyAllowance
from framework.http.exchange import HeadCheck, PeerCertificate, ServerRequest, admit_all
from framework.http.options import HttpOptions

_LEGAL_VERSIONS = ("1.1", "1.0")


class Phase(Enum):
    """How much of the next request is there."""

    NOTHING = auto()
    HEAD = auto()
    BODY = auto()


class Incoming(msgspec.Struct, frozen=True):
    """A whole request, and what its client understands."""

    request: ServerRequest
    is_http_1_1: bool
    keep_alive: bool


class RequestParser:
    """Appends each whole request to *incoming*.

    Memory: at most one head, one body and what one call of `feed` holds.
    """

    def __init__(
        self,
        options: HttpOptions,
        peer: PeerCertificate | None,
        incoming: deque[Incoming],
        allowance: BodyAllowance,
        check_head: HeadCheck = admit_all,
    ) -> None:
        self._options = options
        self._peer = peer
        self._incoming = incoming
        self._allowance = allowance
        self._check_head = check_head
        self._parser = httptools.HttpRequestParser(self)
        # Bytes that the parser may hold without having told of them.
        self._untold_bytes = 0
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._version = ""
        self.phase = Phase.NOTHING
        # The client waits for a word before it sends the body.
        self.awaits_continue = False
        # No request can follow on this connection.
        self.is_over = False

    def feed(self, data: memoryview) -> None:
        """Take *data* in; raises what to answer if it is no acceptable HTTP. Then no further call makes sense."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # An offer to speak another protocol after this request. We stay with ours, and what follows is not it.
            self.is_over = True
        except httptools.HttpParserCallbackError as error:
            raise _cause(error) from None
        except httptools.HttpParserError as error:
            if not self.is_over:
                raise refusals.malformed(str(error)) from None
        self._limit_untold(len(data))

    def on_message_begin(self) -> None:
        self._untold_bytes = 0
        self._target = b""
        self._headers = {}
        self._body = []
        self._body_bytes = 0
        self.phase = Phase.HEAD

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.phase is Phase.BODY:
            return  # a trailer: nothing in Kubernetes has a meaning there
        headers = self._headers
        key = name.decode("ascii").lower()
        text = value.decode("utf-8", "replace")
        if key not in headers:
            headers[key] = text
        elif key == "host":
            raise refusals.malformed("more than one Host")
        else:
            headers[key] = f"{headers[key]}, {text}"
        if len(headers) > self._options.max_headers:
            raise refusals.too_many_headers(self._options.max_headers)

    def on_headers_complete(self) -> None:
        self.phase = Phase.BODY
        self._version = self._parser.get_http_version()
        headers = self._headers
        if self._version not in _LEGAL_VERSIONS:
            raise refusals.unsupported_version(self._version)
        if self._version == "1.1" and "host" not in headers:
            raise refusals.malformed("no Host")
        encoding = headers.get("transfer-encoding", "chunked")
        if encoding.lower() != "chunked":
            raise refusals.unsupported_transfer_encoding(encoding)
        # The parser has seen to it that this is a number.
        length = int(headers.get("content-length", 0))
        self._limit_body(length)
        if self._parser.should_upgrade() and (length or "transfer-encoding" in headers):
            # The parser takes the body for the other protocol.
            raise refusals.unsupported_upgrade(headers.get("upgrade", ""))
        # Small bodies are no burden, and refusing them here would cost the connection.
        if length > self._options.free_body_bytes or "transfer-encoding" in headers:
            method = self._parser.get_method().decode("ascii")
            self._check_head(ServerRequest(method, self._origin_form(method), headers, peer=self._peer))
        self._meet_expectation(headers.get("expect"))

    def on_body(self, body: bytes) -> None:
        self._untold_bytes = 0
        self.awaits_continue = False
        self._body.append(body)
        self._body_bytes += len(body)
        self._limit_body(self._body_bytes)
        self._allowance.grow(self._body_bytes - len(body), self._body_bytes)

    def on_message_complete(self) -> None:
        parser = self._parser
        method = parser.get_method().decode("ascii")
        keep_alive = parser.should_keep_alive() and not parser.should_upgrade()
        request = ServerRequest(method, self._origin_form(method), self._headers, b"".join(self._body), self._peer)
        self._incoming.append(Incoming(request, self._version == "1.1", keep_alive))
        self._body = []
        self.awaits_continue = False
        self.is_over = not keep_alive
        self.phase = Phase.NOTHING

    def _origin_form(self, method: str) -> str:
        target = self._target.decode("utf-8", "replace")
        if target.startswith("/") or (target == "*" and method == "OPTIONS"):
            return target
        _, has_scheme, rest = target.partition("://")
        if not has_scheme:
            raise refusals.malformed("the request target is no path")
        # As if it went to a proxy: http://host/path. Whoever it was meant for, it came to us.
        path_at = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
        path = rest[path_at:]
        return path if path.startswith("/") else f"/{path}"

    def _meet_expectation(self, expectation: str | None) -> None:
        if expectation is None:
            return
        if expectation.lower() != "100-continue":
            raise refusals.unknown_expectation(expectation)
        self.awaits_continue = self._version == "1.1"

    def _limit_body(self, size: int) -> None:
        if size > self._options.max_body_bytes:
            raise refusals.body_too_large(self._options.max_body_bytes)

    def _limit_untold(self, size: int) -> None:
        if self.phase is Phase.NOTHING:
            self._untold_bytes = 0
            return
        self._untold_bytes += size
        if self._untold_bytes > self._options.max_head_bytes:
            raise refusals.head_too_large(self._options.max_head_bytes)


def _cause(error: httptools.HttpParserCallbackError) -> BaseException:
    cause = error.__context__
    return cause if isinstance(cause, ApiError) else error
