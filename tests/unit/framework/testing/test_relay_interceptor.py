"""A relay that asks somebody about every request."""

import http.client
import json
import threading  # noqa: TID251 - real sockets need real threads
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from framework.testing.relay import Relay, Respond, SeenRequest, Sever, Severed, Step
from framework.testing.relay.interceptor import Pause

LINES = [b'{"a":1}\n', b'{"b":2}\n']


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        pass

    def do_GET(self) -> None:
        self._reply(b"".join(LINES))

    def do_POST(self) -> None:
        APPLIED.append(self.rfile.read(int(self.headers["Content-Length"])))
        self._reply(b"done")

    def _reply(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


APPLIED: list[bytes] = []


class Nothing:
    """Lets everything pass; tests override what they are about."""

    def before(self, _request: SeenRequest, _pause: Pause) -> Respond | None:
        return None

    def after(self, _request: SeenRequest, _status: int, _pause: Pause) -> None:
        return

    def edit(self, _request: SeenRequest, _status: int, _lines: Iterator[bytes]) -> Iterator[Step] | None:
        return None


class Refusing(Nothing):
    def before(self, _request: SeenRequest, pause: Pause) -> Respond | None:
        pause(0.01)
        return Respond(409, reason="Conflict")


class LosingAnswers(Nothing):
    def after(self, _request: SeenRequest, _status: int, _pause: Pause) -> None:
        raise Severed


class Doubling(Nothing):
    def edit(self, _request: SeenRequest, _status: int, lines: Iterator[bytes]) -> Iterator[Step] | None:
        return (line for line in lines for _ in range(2))


class Breaking(Nothing):
    def edit(self, _request: SeenRequest, _status: int, lines: Iterator[bytes]) -> Iterator[Step] | None:
        return self._first(lines)

    def _first(self, lines: Iterator[bytes]) -> Iterator[Step]:
        yield next(lines)
        yield Sever(reset=True)


@pytest.fixture
def upstream() -> Iterator[str]:
    APPLIED.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def ask(relay: Relay, method: str, body: bytes | None = None) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection(relay.url.removeprefix("http://"), timeout=30)) as connection:
        connection.request(method, "/things", body)
        response = connection.getresponse()
        return response.status, response.read()


def test_an_answer_of_the_interceptor_keeps_the_request_from_the_server(upstream: str) -> None:
    with Relay(upstream, interceptor=Refusing()) as relay:
        status, body = ask(relay, "POST", b"x")

    assert (status, json.loads(body)["reason"]) == (409, "Conflict")
    assert APPLIED == []


def test_after_the_server_has_done_it_the_answer_can_be_lost(upstream: str) -> None:
    with Relay(upstream, interceptor=LosingAnswers()) as relay, pytest.raises(ConnectionResetError):
        ask(relay, "POST", b"x")

    assert APPLIED == [b"x"]


def test_lines_of_an_answer_can_be_edited(upstream: str) -> None:
    with Relay(upstream, interceptor=Doubling()) as relay:
        assert ask(relay, "GET") == (200, b"".join(line for line in LINES for _ in range(2)))


def test_a_stream_can_be_broken_between_two_lines(upstream: str) -> None:
    with (
        Relay(upstream, interceptor=Breaking()) as relay,
        pytest.raises((ConnectionResetError, http.client.IncompleteRead)),
    ):
        ask(relay, "GET")


def test_who_lets_everything_pass_changes_nothing(upstream: str) -> None:
    with Relay(upstream, interceptor=Nothing()) as relay:
        assert ask(relay, "GET") == (200, b"".join(LINES))
