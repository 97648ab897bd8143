"""The server as a function, in the place of HTTP."""

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.objects import GroupResource
from framework.apiserver.server import ADMIN
from framework.apiserver.transport import InProcessTransport
from framework.client import Cancellation, HttpRequest, HttpResponse, Timeouts
from framework.errors import Cancelled, ConnectError, TimedOut
from framework.runtime import Task
from tests.unit.framework.apiserver.asking import CONFIG_MAPS, Asked

WATCH = f"{CONFIG_MAPS}?watch=true&resourceVersion=1"


class Exchange:
    """One watch in a task of its own."""

    def __init__(self, asked: Asked, target: str = WATCH, *, timeouts: Timeouts | None = None) -> None:
        self._asked = asked
        self._transport = transport(asked)
        self._request = HttpRequest("GET", target, timeouts=timeouts or Timeouts(idle_seconds=30, total_seconds=None))
        self.cancellation = Cancellation(asked.time.runtime)
        self.chunks: list[bytes] = []
        self.outcome: HttpResponse | BaseException | None = None
        self._task: Task = asked.time.runtime.spawn("watch", self._run)
        asked.time.wait_until_idle()

    def _run(self) -> None:
        try:
            self.outcome = self._transport.exchange(
                self._request, on_chunk=self.chunks.append, cancellation=self.cancellation
            )
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.outcome = error


def transport(asked: Asked) -> InProcessTransport:
    return InProcessTransport(asked.server, clock=asked.time.clock, runtime=asked.time.runtime, peer=ADMIN)


@pytest.fixture
def asked() -> Asked:
    return Asked()


def test_an_answer_is_that_of_the_server_with_its_headers_in_lower_case(asked: Asked) -> None:
    response = transport(asked).exchange(HttpRequest("GET", "/version", headers=("Accept: application/json", "Empty:")))

    assert (response.status, response.headers["content-type"]) == (200, "application/json")
    assert b"gitVersion" in response.body


def test_warnings_are_one_header(asked: Asked) -> None:
    body = b'{"metadata":{"name":"one"},"a":1,"b":2}'

    response = transport(asked).exchange(HttpRequest("POST", CONFIG_MAPS, body=body))

    assert response.headers["warning"] == '299 - "unknown field \\"a\\"", 299 - "unknown field \\"b\\""'


@pytest.mark.parametrize(("target", "chunks"), [("/version", 2), ("/nothing", 0)])
def test_a_whole_answer_is_handed_over_in_chunks_only_if_it_is_no_refusal(
    asked: Asked, target: str, chunks: int
) -> None:
    taken: list[bytes] = []

    response = transport(asked).exchange(HttpRequest("GET", target), on_chunk=taken.append)

    assert len(taken) == chunks
    assert bool(response.body) == (chunks == 0)


def test_the_head_of_a_watch_comes_before_its_first_event(asked: Asked) -> None:
    exchange = Exchange(asked)

    assert exchange.chunks == [b""]


def test_events_come_as_they_happen(asked: Asked) -> None:
    exchange = Exchange(asked)

    asked.config_map("one")
    asked.time.wait_until_idle()
    asked.config_map("two")
    asked.time.wait_until_idle()

    assert [chunk.count(b"ADDED") for chunk in exchange.chunks] == [0, 1, 1]


def test_the_end_of_the_stream_is_the_end_of_the_exchange(asked: Asked) -> None:
    exchange = Exchange(asked, f"{WATCH}&timeoutSeconds=10")

    asked.time.advance(10)

    assert isinstance(exchange.outcome, HttpResponse)
    assert exchange.outcome.status == 200


def test_silence_for_too_long_is_a_timeout(asked: Asked) -> None:
    exchange = Exchange(asked)

    asked.time.advance(29)
    before = exchange.outcome
    asked.time.advance(1)

    assert before is None
    assert isinstance(exchange.outcome, TimedOut)


def test_an_event_begins_the_silence_anew(asked: Asked) -> None:
    exchange = Exchange(asked)

    asked.time.advance(29)
    asked.config_map("one")
    asked.time.advance(29)

    assert exchange.outcome is None


def test_the_whole_exchange_may_have_an_end(asked: Asked) -> None:
    exchange = Exchange(asked, timeouts=Timeouts(idle_seconds=30, total_seconds=40))
    asked.time.advance(20)
    asked.config_map("one")

    asked.time.advance(20)

    assert isinstance(exchange.outcome, TimedOut)


def test_a_cancellation_ends_the_exchange_at_once(asked: Asked) -> None:
    exchange = Exchange(asked)

    exchange.cancellation.request()
    asked.time.wait_until_idle()

    assert isinstance(exchange.outcome, Cancelled)


def test_a_cancelled_exchange_does_not_begin(asked: Asked) -> None:
    cancellation = Cancellation(asked.time.runtime)
    cancellation.request()

    with pytest.raises(Cancelled):
        transport(asked).exchange(HttpRequest("POST", CONFIG_MAPS, body=b"{}"), cancellation=cancellation)


def test_an_error_of_the_caller_ends_the_exchange_and_leaves_nothing_behind(asked: Asked) -> None:
    table = asked.server.storage.table(GroupResource("", "configmaps"))
    listeners = len(table._listeners)

    with pytest.raises(ZeroDivisionError):
        transport(asked).exchange(HttpRequest("GET", WATCH), on_chunk=_fail)

    assert len(table._listeners) == listeners


def test_a_closed_transport_does_not_connect(asked: Asked) -> None:
    closed = transport(asked)
    closed.close()

    with pytest.raises(ConnectError):
        closed.exchange(HttpRequest("GET", "/version"))


def test_the_client_works_on_it_as_on_any_other(asked: Asked) -> None:
    client = in_process_client(asked.server)

    client.create(ConfigMap(metadata=ObjectMeta(name="one", namespace="default"), data={"a": "b"}))

    assert client.get(ConfigMap, Key("default", "one")).data == {"a": "b"}


def _fail(_chunk: bytes) -> None:
    raise ZeroDivisionError
