"""Every phase of an exchange ends by itself, at the transport, before any retry."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from framework.client import Call, Cancellation, ClusterAddress, Connection, HttpRequest, StaticCredentials, Timeouts
from framework.client.curl import CurlTransport
from framework.clock import SystemClock
from framework.errors import ConnectError, DeadlineExceeded, TimedOut
from framework.randomness import system_random
from framework.runtime import Deadline, ThreadRuntime, deadline_scope
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Fault, Match, Relay, Stall, Trickle, too_many_requests

VERSION = "/version"
LONG = Timeouts(connect_seconds=30, headers_seconds=30, idle_seconds=30, total_seconds=30)
# Far from the limits that are long, however busy the machine is.
SOON = 15.0


@pytest.fixture
def transport(relay: Relay) -> Iterator[CurlTransport]:
    with closing(transport_to(relay.url)) as made:
        yield made


def transport_to(url: str) -> CurlTransport:
    return CurlTransport(ClusterAddress(url), clock=SystemClock(), runtime=ThreadRuntime())


def seconds_until(kind: type[Exception], transport: CurlTransport, request: HttpRequest) -> float:
    clock = SystemClock()
    started = clock.monotonic()
    with pytest.raises(kind) as raised:
        transport.exchange(request)
    assert type(raised.value) is kind
    assert "\n" not in str(raised.value)
    return clock.monotonic() - started


def get(**limits: float) -> HttpRequest:
    values = {name: getattr(LONG, name) for name in LONG.__struct_fields__} | limits
    return HttpRequest("GET", VERSION, timeouts=Timeouts(**values))


def test_a_connection_that_is_not_accepted_is_given_up(unanswered: str) -> None:
    with closing(transport_to(unanswered)) as transport:
        assert seconds_until(ConnectError, transport, get(connect_seconds=0.2)) < SOON


def test_a_handshake_that_is_not_answered_is_given_up() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        closing(transport_to(f"https://127.0.0.1:{silent.getsockname()[1]}")) as transport,
    ):
        assert seconds_until(ConnectError, transport, get(connect_seconds=0.2)) < SOON


def test_a_handshake_that_is_cut_off_is_not_a_matter_of_certificates() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            server.accept()[0].close()

        task = ThreadRuntime().spawn("server", hang_up)
        with closing(transport_to(f"https://127.0.0.1:{server.getsockname()[1]}")) as to_server:
            seconds_until(ConnectError, to_server, get())
        task.join(5)


def test_headers_that_do_not_come_are_given_up(transport: CurlTransport, relay: Relay) -> None:
    relay.inject(Fault(Match(), Stall(before_headers=True)))

    assert seconds_until(TimedOut, transport, get(headers_seconds=0.2)) < SOON


def test_silence_before_the_headers_is_silence_too(transport: CurlTransport, relay: Relay) -> None:
    relay.inject(Fault(Match(), Stall(before_headers=True)))

    assert 1 <= seconds_until(TimedOut, transport, get(idle_seconds=1)) < SOON


def test_a_server_that_accepts_and_says_nothing_is_given_up(transport: CurlTransport, relay: Relay) -> None:
    relay.freeze()

    assert seconds_until(TimedOut, transport, get(headers_seconds=0.2)) < SOON


def test_silence_in_the_middle_of_a_body_is_given_up(transport: CurlTransport, relay: Relay) -> None:
    relay.inject(Fault(Match(), Stall(after_bytes=1)))

    assert 1 <= seconds_until(TimedOut, transport, get(idle_seconds=1)) < SOON


def test_silence_in_the_middle_of_a_stream_is_given_up_soon(
    transport: CurlTransport, relay: Relay, control_plane: ControlPlane
) -> None:
    relay.inject(Fault(Match(), Stall(after_bytes=100)))
    chunks: list[bytes] = []
    clock = SystemClock()
    started = clock.monotonic()
    request = HttpRequest(
        "GET",
        VERSION,
        (f"Authorization: Bearer {control_plane.token}",),
        timeouts=Timeouts(idle_seconds=0.5, total_seconds=None),
    )

    with pytest.raises(TimedOut, match=r"silent for 0\.5 s"):
        transport.exchange(request, on_chunk=chunks.append, cancellation=Cancellation(ThreadRuntime()))

    assert 0.5 <= clock.monotonic() - started < SOON
    assert len(b"".join(chunks)) == 100


def test_a_body_that_trickles_is_given_up_in_total(transport: CurlTransport, relay: Relay) -> None:
    relay.inject(Fault(Match(), Trickle(1, 0.05)))

    assert 0.5 <= seconds_until(TimedOut, transport, get(total_seconds=0.5)) < SOON


def test_a_server_that_is_not_there_is_named(transport: CurlTransport, relay: Relay) -> None:
    relay.cut()

    with pytest.raises(ConnectError, match=rf"^{relay.url}: "):
        transport.exchange(get())


def test_the_transport_works_after_a_timeout(
    transport: CurlTransport, relay: Relay, control_plane: ControlPlane
) -> None:
    relay.inject(Fault(Match(), Stall(before_headers=True)))
    seconds_until(TimedOut, transport, get(total_seconds=0.1))

    answer = transport.exchange(HttpRequest("GET", VERSION, (f"Authorization: Bearer {control_plane.token}",)))

    assert answer.status == 200


@pytest.fixture
def connection(relay: Relay, control_plane: ControlPlane) -> Iterator[Connection]:
    made = Connection(
        StaticCredentials(ClusterAddress(relay.url), control_plane.token),
        make_transport=lambda address: CurlTransport(address, clock=SystemClock(), runtime=ThreadRuntime()),
        clock=SystemClock(),
        runtime=ThreadRuntime(),
        random=system_random(),
        user_agent="windlass/test",
    )
    with closing(made):
        yield made


def deadline_in(seconds: float) -> Deadline:
    return Deadline(SystemClock().monotonic() + seconds, seconds)


def test_a_deadline_ends_a_read_that_hangs(connection: Connection, relay: Relay) -> None:
    relay.inject(Fault(Match(), Stall(before_headers=True), times=None))
    started = SystemClock().monotonic()

    with deadline_scope(deadline_in(0.3)), pytest.raises(DeadlineExceeded, match=r"0\.3 s, before get /version"):
        connection.send(Call("get", "GET", VERSION))

    assert SystemClock().monotonic() - started < SOON


def test_a_deadline_ends_a_write_that_hangs_and_its_outcome_is_unknown(connection: Connection, relay: Relay) -> None:
    relay.inject(Fault(Match(), Stall(before_headers=True), times=None))

    with deadline_scope(deadline_in(0.3)), pytest.raises(TimedOut):
        connection.send(Call("patch", "PATCH", VERSION, body=b"{}"))

    assert len(relay.requests) == 1


def test_a_deadline_does_not_wait_for_a_server_that_asks_for_more_time(connection: Connection, relay: Relay) -> None:
    relay.inject(Fault(Match(), too_many_requests("20"), times=None))
    started = SystemClock().monotonic()

    with deadline_scope(deadline_in(18)), pytest.raises(DeadlineExceeded, match="Too many requests"):
        connection.send(Call("get", "GET", VERSION))

    assert SystemClock().monotonic() - started < SOON
