import pycurl
import pytest

from framework.client.curl_exchange import CurlExchange, Received
from framework.client.curl_handle import CurlHandle
from framework.client.transport import HttpRequest
from framework.clock import SystemClock
from framework.errors import TransportError


def a_stream(chunks: list[bytes]) -> CurlExchange:
    exchange = CurlExchange(HttpRequest("GET", "/"), chunks.append, None, SystemClock(), Received())
    for line in (b"HTTP/1.1 200 OK\r\n", b"\r\n"):
        exchange.on_header(line)
    return exchange


def a_stream_whose_receiver_refuses() -> CurlExchange:
    def refuse(chunk: bytes) -> None:
        if chunk:
            raise ValueError("no")

    exchange = CurlExchange(HttpRequest("GET", "/"), refuse, None, SystemClock(), Received())
    exchange.on_header(b"HTTP/1.1 200 OK\r\n")
    return exchange


def test_pieces_of_one_read_are_handed_over_as_one_chunk() -> None:
    chunks: list[bytes] = []
    exchange = a_stream(chunks)

    exchange.on_body(b"one")
    exchange.on_body(b"two")
    exchange.on_progress(0, 6, 0, 0)

    assert chunks == [b"", b"onetwo"]


def test_what_is_pending_does_not_grow_without_limit() -> None:
    chunks: list[bytes] = []
    exchange = a_stream(chunks)

    for _ in range(5):
        exchange.on_body(b"x" * 100_000)

    assert sum(map(len, chunks)) >= 300_000


def test_an_exception_of_the_receiver_ends_the_exchange_and_is_kept() -> None:
    exchange = a_stream_whose_receiver_refuses()

    exchange.on_body(b"one")

    assert exchange.on_progress(0, 3, 0, 0) != 0
    assert isinstance(exchange.callback_error, ValueError)


class CurlThatEnds:
    """Stands in for libcurl where the real one cannot be made to: it ends without a last progress callback."""

    def __init__(self, error: pycurl.error | None = None) -> None:
        self._error = error

    def perform(self) -> None:
        if self._error is not None:
            raise self._error


def a_handle(curl: CurlThatEnds) -> CurlHandle:
    handle = CurlHandle.__new__(CurlHandle)
    handle._curl = curl
    handle._server = "http://server"
    return handle


def test_what_was_read_before_a_reset_is_handed_over() -> None:
    chunks: list[bytes] = []
    exchange = a_stream(chunks)
    exchange.on_body(b"one")

    with pytest.raises(TransportError):
        a_handle(CurlThatEnds(pycurl.error(pycurl.E_RECV_ERROR, "reset")))._perform(exchange)

    assert chunks == [b"", b"one"]


def test_what_was_read_last_is_handed_over_at_a_clean_end() -> None:
    chunks: list[bytes] = []
    exchange = a_stream(chunks)
    exchange.on_body(b"one")

    a_handle(CurlThatEnds())._perform(exchange)

    assert chunks == [b"", b"one"]


def test_what_the_receiver_raises_at_the_end_is_raised() -> None:
    exchange = a_stream_whose_receiver_refuses()
    exchange.on_body(b"one")

    with pytest.raises(ValueError, match="no"):
        a_handle(CurlThatEnds())._perform(exchange)
