"""Start and stop."""

import http.client
import socket
import subprocess
import sys
from contextlib import closing
from typing import Any, ClassVar

import pytest

from framework.errors import ConfigurationError
from framework.http.exchange import Answer, ServerRequest
from framework.http.server import HttpServer
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.ports import free_port
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import JSON, FakeHandler, FakeStream, watch
from tests.unit.framework.http.wire import GET, Wire, get

RUNTIME = ThreadRuntime()


def test_url_names_the_port_that_was_free(serve: Serve) -> None:
    server = serve(FakeHandler())

    assert server.port > 0
    assert server.url == f"http://127.0.0.1:{server.port}"


def test_taken_port_is_said_in_one_line(serve: Serve) -> None:
    taken = serve(FakeHandler()).port

    with pytest.raises(ConfigurationError) as refused:
        HttpServer(FakeHandler(), port=taken).start()

    assert str(refused.value).startswith(f"cannot listen on 127.0.0.1:{taken}: ")
    assert "\n" not in str(refused.value)


def test_server_that_was_not_started_can_be_stopped() -> None:
    HttpServer(FakeHandler()).stop()


def test_port_can_be_used_again_at_once() -> None:
    # Chosen: one that the kernel gave could be given to somebody else in between.
    with HttpServer(FakeHandler(), port=free_port()) as first:
        wire = Wire(first)
        wire.send(GET)
        wire.answer()

    with HttpServer(FakeHandler(), port=first.port) as second, Wire(second) as other:
        other.send(GET)

        assert other.answer().status == 200
    wire.close()


def test_stop_ends_watches_with_whole_bodies() -> None:
    stream = FakeStream(b"event\n")
    with HttpServer(FakeHandler({"/watch": watch(stream)})) as server:
        wire = Wire(server)
        wire.send(get("/watch"))
        wire.head()
        chunks = [wire.chunk()]

    chunks.append(wire.chunk())
    assert chunks == [b"event\n", b""]
    assert wire.rest() == b""
    assert stream.closed.is_set()
    wire.close()


def test_stop_lets_a_request_finish_and_takes_no_other() -> None:
    has_begun, may_end = RUNTIME.event(), RUNTIME.event()

    def block(_request: ServerRequest) -> Answer:
        has_begun.set()
        may_end.wait(30)
        return Answer(200, JSON, b"late")

    handler = FakeHandler({"/block": block})
    server = HttpServer(handler)
    server.start()
    wire, idle = Wire(server), Wire(server)
    idle.send(GET)
    idle.answer()
    wire.send(get("/block") + GET)
    has_begun.wait(30)

    stopping = RUNTIME.spawn("stop", lambda: server.stop(10))
    # The idle connection is closed as soon as the stop has begun.
    assert idle.rest() == b""
    may_end.set()
    answer = wire.answer()
    stopping.join(30)

    assert (answer.body, answer.headers["connection"]) == (b"late", "close")
    assert wire.rest() == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    wire.close()
    idle.close()


def test_stop_does_not_wait_longer_than_its_grace_time() -> None:
    has_begun, may_end = RUNTIME.event(), RUNTIME.event()

    def block(_request: ServerRequest) -> Answer:
        has_begun.set()
        may_end.wait(30)
        return watch(stream)

    stream, unread = FakeStream(), FakeStream()
    server = HttpServer(FakeHandler({"/block": block, "/unread": watch(unread)}))
    server.start()
    wire, deaf = Wire(server), Wire(server, receive_buffer=4096)
    deaf.send(get("/unread"))
    deaf.head()
    unread.put(b"x" * 10_000_000)
    wire.send(get("/block"))
    has_begun.wait(30)

    server.stop(grace_seconds=0.1)
    may_end.set()

    assert wire.rest() == b""
    assert unread.closed.is_set()
    # A watch that opens after the end is closed, too.
    assert stream.closed.wait(30)
    unread.put(b"nobody listens")
    wire.close()
    deaf.close()


def test_process_without_http_loads_neither_asyncio_nor_ssl() -> None:
    code = (
        "import sys, framework.http.exchange, framework.apiserver.status; "
        "assert not {'asyncio', 'ssl', 'httptools'} & set(sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


def test_server_starts_without_loading_the_slow_libraries() -> None:
    code = (
        "import sys, framework.http, framework.apiserver.certificates; "
        "assert not {'cryptography', 'structlog', 'kubernetes', 'aiohttp'} & set(sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


class RememberingSocket(socket.socket):
    """Listens, and knows whom it has accepted."""

    accepted: ClassVar[list[socket.socket]] = []

    def accept(self) -> tuple[socket.socket, Any]:
        opened, address = super().accept()
        self.accepted.append(opened)
        return opened, address


def test_the_end_of_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    listening = RememberingSocket(socket.AF_INET, socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", 0))
    listening.listen()

    with (
        HttpServer(FakeHandler(), listening=listening) as server,
        closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection,
    ):
        connection.request("GET", "/")
        connection.getresponse().read()

        (opened,) = RememberingSocket.accepted
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
