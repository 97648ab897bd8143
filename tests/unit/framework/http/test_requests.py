"""Requests and their answers on one connection."""

import gzip
import socket

import pytest

from framework.http.exchange import Answer, ServerRequest
from framework.runtime import ThreadRuntime
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import JSON, FakeHandler, FastClock
from tests.unit.framework.http.wire import GET, LAST, Wire, get, post


def test_request_reaches_the_handler_as_it_was_sent(serve: Serve) -> None:
    handler = FakeHandler()
    request = post("/a%2Fb?x=1&x=2", b'{"a":1}', "X-Thing: One", "x-thing: two")

    with Wire(serve(handler)) as wire:
        wire.send(request)
        wire.answer()

    headers = {"host": "a", "content-length": "7", "x-thing": "One, two"}
    assert handler.requests == [ServerRequest("POST", "/a%2Fb?x=1&x=2", headers, b'{"a":1}')]


def test_answer_reaches_the_client_as_the_handler_gave_it(serve: Serve) -> None:
    answer = Answer(201, {"Content-Type": "application/json"}, b'{"b":2}', warnings=('299 - "one"', '299 - "two"'))

    with Wire(serve(FakeHandler({"/b": answer}), clock=FastClock())) as wire:
        wire.send(get("/b"))
        got = wire.answer()

    assert (got.version, got.status, got.body) == ("HTTP/1.1", 201, b'{"b":2}')
    assert got.headers == {
        "content-type": "application/json",
        "warning": '299 - "one"\n299 - "two"',
        "date": "Fri, 02 Jan 2026 03:04:05 GMT",
        "content-length": "7",
    }


def test_connection_serves_many_requests(serve: Serve) -> None:
    with Wire(serve(FakeHandler())) as wire:
        for _ in range(20):
            wire.send(GET)

            assert wire.answer().body == b"{}"


def test_requests_sent_ahead_are_answered_in_their_order(serve: Serve) -> None:
    handler = FakeHandler({f"/{n}": Answer(200, JSON, b"%d" % n) for n in range(1_000)})
    handler.replies["/block"] = Answer(200, JSON, b"blocked")

    with Wire(serve(handler)) as wire:
        wire.send(get("/block") + b"".join(get(f"/{n}") for n in range(1_000)) + LAST)
        bodies = [wire.answer().body for _ in range(1_002)]
        rest = wire.rest()

    assert bodies == [b"blocked", *(b"%d" % n for n in range(1_000)), b"{}"]
    assert rest == b""


def test_request_in_single_bytes_is_understood(serve: Serve) -> None:
    handler = FakeHandler()
    request = post("/", b"body")

    with Wire(serve(handler)) as wire:
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request:
            wire.send(bytes([byte]))
        wire.answer()

    assert handler.requests[0].body == b"body"


def test_body_in_chunks_is_put_together(serve: Serve) -> None:
    handler = FakeHandler()

    with Wire(serve(handler)) as wire:
        wire.send(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        wire.send(b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n")
        answer = wire.answer()

    assert answer.status == 200
    assert handler.requests[0].body == b"abcdefg"
    assert "trailer" not in handler.requests[0].headers


def test_large_answer_arrives_whole(serve: Serve) -> None:
    body = bytes(range(256)) * 40_000

    with Wire(serve(FakeHandler({"/large": Answer(200, JSON, body)}))) as wire:
        wire.send(get("/large") + GET)

        assert wire.answer().body == body
        assert wire.answer().body == b"{}"


def test_head_is_answered_without_a_body(serve: Serve) -> None:
    with Wire(serve(FakeHandler())) as wire:
        wire.send(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + GET)
        head = wire.answer("HEAD")

        assert (head.status, head.headers["content-length"]) == (200, "2")
        assert wire.answer().body == b"{}"


def test_answer_without_content_has_no_length(serve: Serve) -> None:
    with Wire(serve(FakeHandler({"/none": Answer(204, {})}))) as wire:
        wire.send(get("/none") + GET)

        assert "content-length" not in wire.answer().headers
        assert wire.answer().body == b"{}"


def test_options_of_the_whole_server_need_no_handler(serve: Serve) -> None:
    handler = FakeHandler()

    with Wire(serve(handler)) as wire:
        wire.send(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = wire.answer()

    assert (answer.status, answer.body, handler.requests) == (200, b"", [])


@pytest.mark.parametrize(
    ("target", "path"),
    [("http://a/b?c", "/b?c"), ("http://a", "/"), ("https://a?c=/d", "/?c=/d"), ("/a/../b//c", "/a/../b//c")],
)
def test_target_is_given_as_path_and_query(serve: Serve, target: str, path: str) -> None:
    handler = FakeHandler()

    with Wire(serve(handler)) as wire:
        wire.send(get(target))
        wire.answer()

    assert handler.requests[0].target == path


def test_client_that_asks_first_is_told_to_send_its_body(serve: Serve) -> None:
    handler = FakeHandler()

    with Wire(serve(handler)) as wire:
        wire.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        first = wire.head()
        wire.send(b"body")
        second = wire.answer()

    assert (first.status, second.status) == (100, 200)
    assert handler.requests[0].body == b"body"


def test_client_that_does_not_wait_to_be_told_is_not_told(serve: Serve) -> None:
    with Wire(serve(FakeHandler())) as wire:
        wire.send(post("/", b"body", "Expect: 100-continue"))

        assert wire.answer().status == 200


def test_client_that_asks_first_is_refused_before_it_sends_too_much(serve: Serve) -> None:
    with Wire(serve(FakeHandler(), max_body_bytes=3)) as wire:
        wire.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")

        assert wire.answer().status == 413


def test_http_1_0_client_is_answered_in_its_version_and_closed(serve: Serve) -> None:
    with Wire(serve(FakeHandler())) as wire:
        wire.send(b"GET / HTTP/1.0\r\n\r\n")
        answer = wire.answer()

        assert (answer.version, answer.status, wire.rest()) == ("HTTP/1.0", 200, b"")


def test_http_1_0_client_may_ask_to_go_on(serve: Serve) -> None:
    request = b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"

    with Wire(serve(FakeHandler())) as wire:
        wire.send(request)
        answers = [wire.answer()]
        wire.send(request)
        answers.append(wire.answer())

    assert [answer.headers["connection"] for answer in answers] == ["keep-alive"] * 2


@pytest.mark.parametrize("target", ["/", "/block"])
def test_client_that_has_finished_sending_still_gets_its_answers(serve: Serve, target: str) -> None:
    handler = FakeHandler({"/block": Answer(200, JSON, b"{}")})

    with Wire(serve(handler)) as wire:
        wire.send(get(target) * 3)
        wire.socket.shutdown(socket.SHUT_WR)

        assert [wire.answer().status for _ in range(3)] == [200] * 3
        assert wire.rest() == b""


def test_offer_of_another_protocol_is_not_taken_up(serve: Serve) -> None:
    with Wire(serve(FakeHandler())) as wire:
        wire.send(get("/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"))
        answer = wire.answer()

        assert (answer.status, answer.headers["connection"]) == (200, "close")


def test_request_that_blocks_does_not_hold_up_others(serve: Serve) -> None:
    go_on = ThreadRuntime().event()

    def block(_request: ServerRequest) -> Answer:
        go_on.wait(30)
        return Answer(200, JSON, b"late")

    server = serve(FakeHandler({"/block": block}))
    with Wire(server) as first, Wire(server) as second, Wire(server) as quick:
        first.send(get("/block"))
        second.send(get("/block"))
        quick.send(GET)
        quick_answer = quick.answer()
        go_on.set()

        assert quick_answer.body == b"{}"
        assert [first.answer().body, second.answer().body] == [b"late", b"late"]


def test_more_blocking_requests_than_workers_wait_for_their_turn(serve: Serve) -> None:
    server = serve(FakeHandler({"/block": Answer(200, JSON, b"done")}), max_workers=2)
    wires = [Wire(server) for _ in range(10)]

    for wire in wires:
        wire.send(get("/block"))
    bodies = [wire.answer().body for wire in wires]

    for wire in wires:
        wire.close()
    assert bodies == [b"done"] * 10


def test_handler_that_fails_costs_one_request_only(serve: Serve) -> None:
    def fail(_request: ServerRequest) -> Answer:
        raise ZeroDivisionError

    with Wire(serve(FakeHandler({"/fail": fail}))) as wire:
        wire.send(get("/fail") + GET)

        assert wire.answer().status_object()["reason"] == "InternalError"
        assert wire.answer().status == 200


def test_line_breaks_in_an_answers_header_do_not_make_headers(serve: Serve) -> None:
    answer = Answer(200, {"X-Name": "a\r\nSet-Cookie: b"}, warnings=("299 - a\nInjected: b",))

    with Wire(serve(FakeHandler({"/": answer}))) as wire:
        wire.send(GET)
        headers = wire.answer().headers

    assert headers["x-name"] == "a  Set-Cookie: b"
    assert headers["warning"] == "299 - a Injected: b"


@pytest.mark.parametrize("target", ["/list", "/block/list"])
def test_large_answer_is_compressed_for_a_client_that_accepts_it(serve: Serve, target: str) -> None:
    body = b"x" * (128 * 1024 + 1)

    with Wire(serve(FakeHandler({target: Answer(200, JSON, body)}))) as wire:
        wire.send(get(target, "Accept-Encoding: deflate, gzip"))
        answer = wire.answer()

    assert (answer.headers["content-encoding"], answer.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(answer.body) == body
    assert len(answer.body) < 10_000


@pytest.mark.parametrize(("size", "accepted"), [(128 * 1024, "gzip"), (200_000, "identity"), (200_000, "gzip;q=1")])
def test_other_answers_are_sent_as_they_are(serve: Serve, size: int, accepted: str) -> None:
    with Wire(serve(FakeHandler({"/list": Answer(200, JSON, b"x" * size)}))) as wire:
        wire.send(get("/list", f"Accept-Encoding: {accepted}"))
        answer = wire.answer()

    assert "content-encoding" not in answer.headers
    assert len(answer.body) == size


def test_a_connection_ends_after_the_most_requests_it_may_have(serve: Serve) -> None:
    with Wire(serve(FakeHandler(), max_requests_each=2)) as wire:
        wire.send(GET)
        first = wire.answer()
        wire.send(GET)
        second = wire.answer()

        assert wire.rest() == b""
    assert "connection" not in first.headers
    assert second.headers["connection"] == "close"
