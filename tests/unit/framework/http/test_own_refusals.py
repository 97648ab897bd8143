"""A server whose clients know no `Status`, and which looks at a head before it reads a body."""

from collections.abc import Iterator

import pytest

from framework.errors import ApiError, Status, api_error
from framework.http.exchange import Answer, ServerRequest
from framework.http.options import HttpOptions
from framework.http.server import HttpServer
from tests.unit.framework.http.fakes import FakeHandler
from tests.unit.framework.http.wire import Wire, post

OPTIONS = HttpOptions(max_body_bytes=100_000, free_body_bytes=10)


def in_own_words(error: ApiError) -> Answer:
    return Answer(error.code, {"Content-Type": "text/plain"}, f"no: {error}".encode())


def no_strangers(request: ServerRequest) -> None:
    if "authorization" not in request.headers:
        raise api_error(Status(401, "Unauthorized", "who are you"))


@pytest.fixture
def handler() -> FakeHandler:
    return FakeHandler()


@pytest.fixture
def server(handler: FakeHandler) -> Iterator[HttpServer]:
    with HttpServer(handler, options=OPTIONS, refusal_of=in_own_words, check_head=no_strangers) as started:
        yield started


def test_refusal_of_the_front_end_is_written_as_the_server_was_told(server: HttpServer) -> None:
    with Wire(server) as wire:
        wire.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n")

        answer = wire.answer()

    assert (answer.status, answer.body) == (413, b"no: Request entity too large: limit is 100000")


@pytest.mark.parametrize("length", ["Content-Length: 11", "Transfer-Encoding: chunked"])
def test_large_body_of_a_stranger_is_refused_before_any_of_it_has_come(
    server: HttpServer, handler: FakeHandler, length: str
) -> None:
    with Wire(server) as wire:
        wire.send(f"POST / HTTP/1.1\r\nHost: a\r\n{length}\r\n\r\n".encode())

        answer = wire.answer()

    assert (answer.status, answer.body, answer.headers["connection"]) == (401, b"no: who are you", "close")
    assert handler.requests == []


def test_small_body_goes_to_the_handler_whoever_sends_it(server: HttpServer, handler: FakeHandler) -> None:
    with Wire(server) as wire:
        wire.send(post("/", b"0123456789"))

        answer = wire.answer()

    assert answer.status == 200
    assert [request.body for request in handler.requests] == [b"0123456789"]


def test_large_body_of_a_known_client_is_read(server: HttpServer, handler: FakeHandler) -> None:
    with Wire(server) as wire:
        wire.send(post("/", b"x" * 50_000, "Authorization: me"))

        answer = wire.answer()

    assert answer.status == 200
    assert [len(request.body) for request in handler.requests] == [50_000]
