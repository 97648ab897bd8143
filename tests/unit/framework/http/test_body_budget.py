"""Bodies of all connections together have a limit."""

import socket
import struct

import pytest

from framework.http.exchange import Answer, ServerRequest
from framework.testing.control_plane.waiting import wait_until
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import JSON, RUNTIME, FakeHandler
from tests.unit.framework.http.wire import Wire, post

BODY = b"x" * 600


class Slow:
    """Answers when the test lets it."""

    def __init__(self) -> None:
        self.began = RUNTIME.event()
        self.may_end = RUNTIME.event()

    def __call__(self, _request: ServerRequest) -> Answer:
        self.began.set()
        self.may_end.wait(30)
        return Answer(200, JSON, b"{}")


def test_a_body_for_which_there_is_no_room_is_refused_for_a_second(serve: Serve) -> None:
    slow = Slow()
    server = serve(FakeHandler({"/block": slow}), max_bodies_bytes=1000, free_body_bytes=0)

    with Wire(server) as first, Wire(server) as second:
        first.send(post("/block", BODY))
        assert slow.began.wait(30)
        second.send(post("/", BODY))
        refusal = second.answer()
        slow.may_end.set()

        assert first.answer().status == 200
    assert (refusal.status, refusal.headers["retry-after"]) == (503, "1")


def test_room_is_there_again_after_each_answer(serve: Serve) -> None:
    with Wire(serve(FakeHandler(), max_bodies_bytes=1000, free_body_bytes=0)) as wire:
        for _ in range(5):
            wire.send(post("/", BODY))

            assert wire.answer().status == 200


@pytest.mark.parametrize("sent", [post("/", BODY)[:-1], post("/", BODY, "Content-Type: a/b")[:-100]])
def test_half_a_body_gives_its_room_back_when_the_client_leaves(serve: Serve, sent: bytes) -> None:
    server = serve(FakeHandler(), max_bodies_bytes=1000, free_body_bytes=0)
    with Wire(server) as leaving:
        leaving.send(sent)

    def is_served() -> bool:
        with Wire(server) as wire:
            wire.send(post("/", BODY))
            return wire.answer().status == 200

    assert wait_until(is_served, limit_seconds=30)


def test_a_client_that_leaves_does_not_make_room_while_its_request_is_handled(serve: Serve) -> None:
    slow = Slow()
    server = serve(FakeHandler({"/block": slow}), max_bodies_bytes=1000, free_body_bytes=0)
    with Wire(server) as leaving:
        leaving.send(post("/block", BODY))
        assert slow.began.wait(30)

    with Wire(server) as wire:
        wire.send(post("/", BODY))
        refusal = wire.answer()
    slow.may_end.set()

    assert refusal.status == 503


def test_small_bodies_are_served_however_many_large_ones_there_are(serve: Serve) -> None:
    slow = Slow()
    server = serve(FakeHandler({"/block": slow}), max_bodies_bytes=1000, free_body_bytes=10)
    with Wire(server) as large, Wire(server) as small:
        large.send(post("/block", b"x" * 1010))
        assert slow.began.wait(30)
        small.send(post("/", b"x" * 10))
        answer = small.answer()
        slow.may_end.set()

    assert answer.status == 200


def test_what_nobody_waits_for_any_more_is_not_begun(serve: Serve) -> None:
    slow, handler = Slow(), FakeHandler()
    handler.replies["/block"] = slow
    server = serve(handler, max_workers=1)
    with Wire(server) as first:
        first.send(post("/block", BODY))
        assert slow.began.wait(30)
        assert server._running is not None
        service = server._running.listener._service
        with Wire(server) as leaving:
            leaving.send(post("/block-too", BODY))
            assert wait_until(lambda: len(service.workers._jobs) == 1, limit_seconds=30)
            # Reset, as a client does that has run out of patience: an end alone might be that of its sending.
            leaving.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connections = server._running.listener._connections
        assert wait_until(lambda: len(connections) == 1, limit_seconds=30)
        slow.may_end.set()
        assert first.answer().status == 200
        first.send(post("/block", BODY))

        assert first.answer().status == 200
    assert [request.target for request in handler.requests] == ["/block", "/block"]
