"""Writes under a fence: over a scripted transport, and over libcurl to a socket that records what it hears."""

import fcntl
import socket
import termios
from collections.abc import Callable, Iterator
from contextlib import closing
from contextvars import copy_context
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.client import (
    Client,
    ClusterAddress,
    Fence,
    HttpRequest,
    HttpResponse,
    Observer,
    StaticCredentials,
    bind_fence,
    connect,
    current_fence,
)
from framework.client.curl import CurlTransport
from framework.clock import SystemClock
from framework.errors import Cancelled, LeadershipLost
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until

RUNTIME = ThreadRuntime()
KEY = Key("default", "a")
OBJECT = HttpResponse(200, {}, b'{"metadata":{"name":"a","namespace":"default"}}')
LIMIT_SECONDS = 10.0

WRITES: dict[str, Callable[[Client], object]] = {
    "create": lambda client: client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="default"))),
    "apply": lambda client: client.apply(ConfigMap, {"metadata": {"name": "a", "namespace": "default"}}),
    "merge_patch": lambda client: client.merge_patch(ConfigMap, KEY, {"data": {"a": "b"}}),
    "json_patch": lambda client: client.json_patch(ConfigMap, KEY, []),
    "scale": lambda client: client.scale(ConfigMap, KEY, 1),
    "delete": lambda client: client.delete(ConfigMap, KEY),
    "delete_collection": lambda client: client.delete_collection(ConfigMap, "default"),
}


def under(fence: Fence, act: Callable[[], Any]) -> Any:
    """The outcome of *act* in a context of its own that *fence* is bound in."""

    def run() -> Any:
        bind_fence(fence)
        return act()

    return copy_context().run(run)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_write_is_sent_once_the_fence_is_over(setup: Any, scripted: Any, write: Callable[[Client], object]) -> None:
    transport = scripted(OBJECT)
    fence = Fence(RUNTIME)
    fence.request()

    with pytest.raises(LeadershipLost) as raised:
        under(fence, lambda: write(Client(setup.connection(transport))))

    assert transport.requests == []
    assert not raised.value.may_have_been_made


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_until_then_every_write_is_sent(setup: Any, scripted: Any, write: Callable[[Client], object]) -> None:
    transport = scripted(OBJECT)

    under(Fence(RUNTIME), lambda: write(Client(setup.connection(transport))))

    assert len(transport.requests) == 1


def test_reads_know_no_fence(setup: Any, scripted: Any) -> None:
    transport = scripted(OBJECT, HttpResponse(200, {}, b'{"items":[]}'))
    client = Client(setup.connection(transport))
    fence = Fence(RUNTIME)
    fence.request()

    under(fence, lambda: (client.get(ConfigMap, KEY), client.list(ConfigMap)))

    assert [request.method for request in transport.requests] == ["GET", "GET"]


def test_a_write_that_waits_to_be_sent_again_is_not_when_the_fence_is_over_by_then(
    setup: Any, scripted: Any, failure: Any
) -> None:
    fence = Fence(RUNTIME)
    transport = scripted(failure(429, "TooManyRequests", retry_after="5"), OBJECT)
    client = Client(setup.connection(transport))

    outcome = setup.outcome_of(lambda: under(fence, lambda: WRITES["merge_patch"](client)))
    setup.time.advance(4)
    fence.request()
    setup.time.advance(10)

    assert [type(each) for each in outcome] == [LeadershipLost]
    assert len(transport.requests) == 1


def test_a_write_with_new_credentials_is_not_sent_when_the_fence_is_over_by_then(
    setup: Any, scripted: Any, failure: Any
) -> None:
    fence = Fence(RUNTIME)

    class Rotating(StaticCredentials):
        def reload(self) -> None:
            self._authorization = "Bearer new"
            fence.request()

        def authorization(self) -> str | None:
            return getattr(self, "_authorization", "Bearer old")

    transport = scripted(failure(401, "Unauthorized"), OBJECT)
    client = Client(setup.connection(transport, Rotating(ClusterAddress("https://server:6443"), "t")))

    with pytest.raises(LeadershipLost):
        under(fence, lambda: WRITES["merge_patch"](client))

    assert len(transport.requests) == 1


def test_the_fence_is_asked_after_every_observer(setup: Any, scripted: Any) -> None:
    fence = Fence(RUNTIME)

    class Slow(Observer):
        def sending(self, access: Any) -> None:  # noqa: ARG002 - the base class has it
            fence.request()

    transport = scripted(OBJECT)
    client = Client(setup.connection(transport)).acting_as("other", Slow())

    with pytest.raises(LeadershipLost):
        under(fence, lambda: WRITES["merge_patch"](client))

    assert transport.requests == []


def test_a_write_that_is_cut_off_by_the_fence_says_so(setup: Any, scripted: Any) -> None:
    fence = Fence(RUNTIME)

    def cut_off(_request: HttpRequest) -> HttpResponse:
        fence.request()
        raise Cancelled("ended from this side")

    client = Client(setup.connection(scripted(cut_off)))

    with pytest.raises(LeadershipLost) as raised:
        under(fence, lambda: WRITES["merge_patch"](client))

    assert raised.value.may_have_been_made


def test_a_fence_ends_with_the_context_it_was_bound_in() -> None:
    fence = Fence(RUNTIME)

    assert under(fence, current_fence) is fence
    assert current_fence() is None


class FenceThatFalls(Fence):
    """Stands for the first *looks* looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(RUNTIME)
        self._looks = looks

    @property
    def is_requested(self) -> bool:
        self._looks -= 1
        return self._looks < 0


class Listener:
    """A server that takes connections, reads nothing until it is told to, and never answers."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
        self._socket.settimeout(LIMIT_SECONDS)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def accept(self) -> socket.socket:
        accepted, _ = self._socket.accept()
        accepted.settimeout(LIMIT_SECONDS)
        return accepted

    def close(self) -> None:
        self._socket.close()


def wait_until_stuck(accepted: socket.socket) -> None:
    """Until nothing more comes, because the buffer of *accepted* is full: the rest is in the sender's."""
    seen = [0]

    def is_stuck() -> bool:
        seen.append(int.from_bytes(fcntl.ioctl(accepted, termios.FIONREAD, bytes(4)), "little"))
        return seen[-1] > 0 and seen[-20:] == 20 * [seen[-1]]

    assert wait_until(is_stuck, limit_seconds=LIMIT_SECONDS)


def read_to_the_end(accepted: socket.socket) -> None:
    while accepted.recv(1 << 20):
        continue


@pytest.fixture
def listener() -> Iterator[Listener]:
    with closing(Listener()) as opened:
        yield opened


def test_libcurl_is_asked_at_the_last_moment_when_the_connection_stands_already(listener: Listener) -> None:
    transport = CurlTransport(ClusterAddress(listener.url), clock=SystemClock(), runtime=RUNTIME)
    # The first look is at the opening of the socket.
    fence = FenceThatFalls(looks=1)

    with pytest.raises(Cancelled):
        transport.exchange(HttpRequest("PATCH", "/", body=b"{}"), cancellation=fence)

    with listener.accept() as accepted:
        assert accepted.recv(1024) == b""


def test_a_write_under_way_is_cut_off_when_the_fence_falls_and_nothing_of_it_arrives_later(listener: Listener) -> None:
    client = connect(StaticCredentials(ClusterAddress(listener.url)))
    fence, outcome = Fence(RUNTIME), list[object]()
    # More than the buffers on the way hold.
    patch = {"data": {"a": "x" * (16 << 20)}}

    def write() -> None:
        try:
            outcome.append(client.merge_patch(ConfigMap, KEY, patch))
        except LeadershipLost as error:
            outcome.append(error)

    task = RUNTIME.spawn("writer", lambda: under(fence, write))
    with listener.accept() as accepted:
        assert accepted.recv(5) == b"PATCH"
        wait_until_stuck(accepted)
        fence.request()
        task.join(LIMIT_SECONDS)

        assert [type(each) for each in outcome] == [LeadershipLost]
        # After an orderly end the kernel would go on to deliver what is still in its hands.
        with pytest.raises(ConnectionResetError):
            read_to_the_end(accepted)
