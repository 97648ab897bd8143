"""What is no HTTP, too large, too slow or too much."""

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.http.exchange import Answer
from framework.http.options import HttpOptions
from framework.http.server import HttpServer
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import JSON, FakeHandler, FastClock
from tests.unit.framework.http.wire import GET, LAST, Wire, get, post

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "code", "reason"),
    [
        (b"NONSENSE\r\n\r\n", 400, "BadRequest"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "BadRequest"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "BadRequest"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Host: b\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"A : b\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"A: b\r\n folded\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"A: b\x00c\r\n\r\n", 400, "BadRequest"),
        (b"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BadRequest"),
        (b"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BadRequest"),
        (b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "BadRequest"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "BadRequest"),
        (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "NotImplemented"),
        (HEAD + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\nx", 501, "NotImplemented"),
        (HEAD + b"Expect: wonders\r\n\r\n", 417, "ExpectationFailed"),
        (b"GET /\r\n\r\n", 505, "HTTPVersionNotSupported"),
        (HEAD + b"A: " + b"b" * 2_000_000, 431, "RequestHeaderFieldsTooLarge"),
        (b"GET /" + b"a" * 2_000_000, 431, "RequestHeaderFieldsTooLarge"),
        (HEAD + b"".join(b"A%d: b\r\n" % n for n in range(2_000)), 431, "RequestHeaderFieldsTooLarge"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nT: " + b"t" * 2_000_000, 431, "RequestHeaderFieldsTooLarge"),
    ],
)
def test_unacceptable_request_gets_a_status_and_the_end_of_the_connection(
    serve: Serve, request_bytes: bytes, code: int, reason: str
) -> None:
    handler = FakeHandler()

    with Wire(serve(handler)) as wire:
        wire.send(request_bytes)
        answer = wire.answer()

        assert (answer.status, answer.status_object()["reason"]) == (code, reason)
        assert answer.headers["connection"] == "close"
        assert wire.rest() == b""
        assert handler.requests == []


def test_requests_before_a_bad_one_are_answered(serve: Serve) -> None:
    with Wire(serve(FakeHandler({"/block": Answer(200, JSON, b"{}")}))) as wire:
        wire.send(get("/block") + GET + b"NONSENSE\r\n\r\n")

        assert [wire.answer().status for _ in range(3)] == [200, 200, 400]


def test_body_may_be_as_large_as_the_limit(serve: Serve) -> None:
    handler = FakeHandler()
    body = b"x" * 3_145_728

    with Wire(serve(handler)) as wire:
        wire.send(post("/", body))

        assert wire.answer().status == 200
        assert handler.requests[0].body == body


@pytest.mark.parametrize("is_chunked", [False, True])
def test_larger_body_is_refused_with_the_status_of_the_real_server(serve: Serve, *, is_chunked: bool) -> None:
    body = b"x" * 3_145_729
    chunked = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n300001\r\n%b\r\n0\r\n\r\n" % body

    with Wire(serve(FakeHandler())) as wire:
        wire.send(chunked if is_chunked else post("/", body))
        status = wire.answer().status_object()

    assert (status["code"], status["reason"]) == (413, "RequestEntityTooLarge")
    assert status["message"] == "Request entity too large: limit is 3145728"


@pytest.mark.parametrize(
    "beginning", [b"G", HEAD + b"A: ", post("/", b"1234")[:-1], HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"]
)
def test_request_that_does_not_arrive_in_time_is_refused(serve: Serve, beginning: bytes) -> None:
    with Wire(serve(FakeHandler(), clock=FastClock())) as wire:
        wire.send(beginning)

        assert wire.answer().status_object()["reason"] == "Timeout"
        assert wire.rest() == b""


def test_idle_connection_is_closed_without_a_word(serve: Serve) -> None:
    with Wire(serve(FakeHandler(), clock=FastClock())) as wire:
        wire.send(GET)
        wire.answer()

        assert wire.rest() == b""


def test_empty_lines_do_not_keep_a_connection_alive(serve: Serve) -> None:
    with Wire(serve(FakeHandler(), clock=FastClock())) as wire:
        wire.send(b"\r\n" * 100)

        assert wire.rest() == b""


def test_connections_beyond_the_limit_are_refused_and_those_within_it_live_on(serve: Serve) -> None:
    server = serve(FakeHandler(), max_connections=2)
    with Wire(server) as first, Wire(server) as second:
        for wire in (first, second):
            wire.send(GET)
            wire.answer()

        with Wire(server) as third:
            third.send(GET)
            refused = third.answer()

        assert refused.status_object()["reason"] == "ServiceUnavailable"
        assert refused.headers["retry-after"] == "1"
        first.send(GET)
        assert first.answer().status == 200


def test_place_of_a_closed_connection_is_given_to_another(serve: Serve) -> None:
    server = serve(FakeHandler(), max_connections=1)

    for _ in range(100):
        with Wire(server) as wire:
            wire.send(LAST)

            assert wire.answer().status == 200
            wire.rest()


def test_client_that_sends_without_end_and_does_not_read_is_not_read_either(serve: Serve) -> None:
    server = serve(FakeHandler({"/": Answer(200, JSON, b"x" * 10_000)}))

    sent = 0
    with Wire(server, receive_buffer=4096) as wire:
        wire.socket.settimeout(0.3)
        with suppress(TimeoutError):
            while sent < 200_000_000:
                sent += wire.socket.send(GET * 10_000)

    # What the sockets' own buffers hold, and no more.
    assert sent < 20_000_000


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[HttpServer]:
    with HttpServer(FakeHandler(), options=HttpOptions(max_body_bytes=1000, max_head_bytes=2000)) as server:
        yield server


FRAGMENTS = [
    b"GET ",
    b"POST ",
    b"/",
    b"*",
    b" HTTP/1.1\r\n",
    b" HTTP/1.0\r\n",
    b"Host: a\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 5000\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: close\r\n",
    b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
    b"Expect: 100-continue\r\n",
    b"\r\n",
    b"\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"hello",
    b"\x00",
    b": ",
    GET,
    post("/", b"hello"),
    b"x" * 3000,
]
PIECES = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=20), max_size=12).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(data=PIECES, is_in_two=st.booleans())
def test_no_bytes_hang_or_break_the_server(fuzzed: HttpServer, data: bytes, *, is_in_two: bool) -> None:
    with Wire(fuzzed) as wire:
        middle = len(data) // 2 if is_in_two else 0
        # It may have closed already.
        with suppress(OSError):
            wire.send(data[:middle])
            wire.send(data[middle:])
            wire.socket.shutdown(socket.SHUT_WR)
        received = wire.rest()

    assert not received or received.startswith((b"HTTP/1.1 ", b"HTTP/1.0 "))
    with Wire(fuzzed) as wire:
        wire.send(GET)
        assert wire.answer().status == 200
