"""Answers that go on for as long as both sides like."""

import gzip
from collections.abc import Callable
from contextlib import ExitStack

from framework.http.exchange import Answer
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import JSON, FakeHandler, FakeStream, FastClock, watch
from tests.unit.framework.http.wire import GET, Wire, get


def test_head_comes_before_the_first_event(serve: Serve) -> None:
    with Wire(serve(FakeHandler({"/watch": watch(FakeStream())}))) as wire:
        wire.send(get("/watch"))
        head = wire.head()

    assert (head.status, head.headers["transfer-encoding"]) == (200, "chunked")
    assert "content-length" not in head.headers


def test_events_come_in_their_order_as_whole_chunks(serve: Serve) -> None:
    stream = FakeStream(b"first\n")

    with Wire(serve(FakeHandler({"/watch": watch(stream)}))) as wire:
        wire.send(get("/watch"))
        wire.head()
        chunks = [wire.chunk()]
        stream.put(b"second\n")
        chunks.append(wire.chunk())
        stream.put(b"third\n")
        chunks.append(wire.chunk())

    assert chunks == [b"first\n", b"second\n", b"third\n"]


def test_connection_goes_on_after_the_end_of_a_watch(serve: Serve) -> None:
    stream = FakeStream(b"event\n")

    with Wire(serve(FakeHandler({"/watch": watch(stream)}))) as wire:
        wire.send(get("/watch") + GET)
        wire.head()
        chunks = [wire.chunk()]
        stream.end()
        chunks.append(wire.chunk())

        assert chunks == [b"event\n", b""]
        assert wire.answer().body == b"{}"


def test_http_1_0_client_gets_events_until_the_connection_closes(serve: Serve) -> None:
    stream = FakeStream(b"event\n")

    with Wire(serve(FakeHandler({"/watch": watch(stream)}))) as wire:
        wire.send(b"GET /watch HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        head = wire.head()
        stream.end()

        assert "transfer-encoding" not in head.headers
        assert wire.rest() == b"event\n"


def test_watch_is_read_when_its_time_has_come(serve: Serve) -> None:
    class Silent(FakeStream):
        def on_ready(self, wake: Callable[[], None]) -> None:  # noqa: ARG002 - it never calls
            self.watched.set()

    stream = Silent()
    stream.wake_at = 0.0
    with Wire(serve(FakeHandler({"/watch": watch(stream)}))) as wire:
        wire.send(get("/watch"))
        wire.head()
        stream.watched.wait(30)
        stream.put(b"bookmark\n")

        assert wire.chunk() == b"bookmark\n"


def test_watch_ends_when_its_client_leaves(serve: Serve) -> None:
    stream = FakeStream()
    wire = Wire(serve(FakeHandler({"/watch": watch(stream)})))
    wire.send(get("/watch"))
    wire.head()

    wire.close()

    assert stream.closed.wait(30)


def test_watch_that_opens_after_its_client_has_left_is_closed(serve: Serve) -> None:
    stream = FakeStream()
    gone = FakeStream()

    def late(_request: object) -> Answer:
        gone.closed.wait(30)
        return watch(stream)

    server = serve(FakeHandler({"/block": late, "/gone": watch(gone)}))
    wire, other = Wire(server), Wire(server)
    other.send(get("/gone"))
    wire.send(get("/block"))
    other.head()

    wire.close()
    other.close()

    assert stream.closed.wait(30)


def test_head_of_a_watch_opens_none(serve: Serve) -> None:
    stream = FakeStream()

    with Wire(serve(FakeHandler({"/watch": watch(stream)}))) as wire:
        wire.send(b"HEAD /watch HTTP/1.1\r\nHost: a\r\n\r\n" + GET)
        wire.answer("HEAD")

        assert wire.answer().status == 200
        assert stream.closed.is_set()


def test_stream_that_fails_costs_its_own_watch_only(serve: Serve) -> None:
    class Broken(FakeStream):
        def read(self) -> bytes | None:
            raise ZeroDivisionError

    broken, whole = Broken(), FakeStream(b"event\n")
    server = serve(FakeHandler({"/broken": watch(broken), "/watch": watch(whole)}))
    with Wire(server) as one, Wire(server) as other:
        one.send(get("/broken"))
        other.send(get("/watch"))
        other.head()

        assert not one.rest().endswith(b"0\r\n\r\n")
        assert other.chunk() == b"event\n"
        assert broken.closed.wait(30)


def test_client_that_stops_reading_is_dropped_while_others_go_on(serve: Serve) -> None:
    stuck, lively = FakeStream(), FakeStream()
    server = serve(FakeHandler({"/stuck": watch(stuck), "/lively": watch(lively)}), clock=FastClock())
    with Wire(server, receive_buffer=4096) as one, Wire(server) as other:
        one.send(get("/stuck"))
        other.send(get("/lively"))
        one.head()
        other.head()

        for _ in range(50):
            stuck.put(b"x" * 200_000)
        lively.put(b"event\n")

        assert other.chunk() == b"event\n"
        assert stuck.closed.wait(30)
        lively.put(b"another\n")
        assert other.chunk() == b"another\n"


def test_events_stay_in_the_stream_while_the_client_does_not_read(serve: Serve) -> None:
    stream = FakeStream()
    with Wire(serve(FakeHandler({"/watch": watch(stream)})), receive_buffer=4096) as wire:
        wire.send(get("/watch"))
        wire.head()
        stream.put(b"x" * 20_000_000)
        stream.put(b"last")
        received = wire.chunk()
        while not received.endswith(b"last"):
            received += wire.chunk()

    assert len(received) == 20_000_004


def test_large_answer_to_a_client_that_does_not_read_is_given_up(serve: Serve) -> None:
    handler = FakeHandler({"/large": Answer(200, JSON, b"x" * 30_000_000)})

    with Wire(serve(handler, clock=FastClock()), receive_buffer=4096) as wire:
        wire.send(get("/large"))
        with Wire(serve(FakeHandler({"/idle": watch(FakeStream())}), clock=FastClock())) as other:
            # Its end shows that enough time has passed.
            other.rest()

        assert len(wire.rest()) < 30_000_000


def test_quiet_watch_is_not_dropped(serve: Serve) -> None:
    stream = FakeStream()
    server = serve(FakeHandler({"/watch": watch(stream)}), clock=FastClock())
    with Wire(server) as wire, Wire(server) as idle:
        wire.send(get("/watch"))
        wire.head()
        assert idle.rest() == b""

        stream.put(b"event\n")

        assert wire.chunk() == b"event\n"


def test_watch_list_is_compressed_member_by_member_if_switched_on(serve: Serve) -> None:
    stream = FakeStream(b"first\n")
    request = get("/watch?watch=1&sendInitialEvents=true", "Accept-Encoding: gzip")

    with Wire(serve(FakeHandler({"/watch": watch(stream)}), gzip_watch_lists=True)) as wire:
        wire.send(request)
        head = wire.head()
        members = [wire.chunk()]
        stream.put(b"second\n")
        members.append(wire.chunk())

    assert head.headers["content-encoding"] == "gzip"
    assert [gzip.decompress(member) for member in members] == [b"first\n", b"second\n"]


def test_watches_are_not_compressed_by_default(serve: Serve) -> None:
    with Wire(serve(FakeHandler({"/watch": watch(FakeStream(b"event\n"))}))) as wire:
        wire.send(get("/watch?sendInitialEvents=true", "Accept-Encoding: gzip"))

        assert "content-encoding" not in wire.head().headers
        assert wire.chunk() == b"event\n"


def test_hundred_watches_each_get_a_thousand_events(serve: Serve) -> None:
    streams = [FakeStream() for _ in range(100)]
    server = serve(FakeHandler({f"/{n}": watch(stream) for n, stream in enumerate(streams)}))
    events = [b'{"n":%d}\n' % n for n in range(1_000)]
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(server)) for _ in streams]
        for n, wire in enumerate(wires):
            wire.send(get(f"/{n}"))
            wire.head()

        for event in events:
            for stream in streams:
                stream.put(event)
        for stream in streams:
            stream.end()

        for wire in wires:
            received = b""
            while chunk := wire.chunk():
                received += chunk
            assert received == b"".join(events)
