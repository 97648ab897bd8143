"""What goes over the wire when the wire fails, in front of the real server."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import Cancelled, ConnectError, ServerError, TransportError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import (
    Action,
    CutAfter,
    Fault,
    Match,
    Relay,
    ResetBefore,
    Respond,
    RespondAfterApply,
    SeenRequest,
    too_many_requests,
)

LIMIT_SECONDS = 30.0


def is_write(request: SeenRequest) -> bool:
    return request.method != "GET"


def generated(client: Client, key: Key) -> None:
    client.create(ConfigMap(metadata=ObjectMeta(generate_name="gen-", namespace=key.namespace)))


WRITES = {
    "create": generated,
    "apply": lambda client, key: client.apply(ConfigMap, {"metadata": {"name": key.name, "namespace": key.namespace}}),
    "merge_patch": lambda client, key: client.merge_patch(ConfigMap, key, {"data": {"k": "2"}}),
    "json_patch": lambda client, key: client.json_patch(
        ConfigMap, key, [{"op": "replace", "path": "/data/k", "value": "2"}]
    ),
    "delete": lambda client, key: client.delete(ConfigMap, key),
    "delete_collection": lambda client, key: client.delete_collection(ConfigMap, key.namespace),
}


@pytest.fixture(params=WRITES)
def write(request: pytest.FixtureRequest) -> Callable[[Client, Key], None]:
    return WRITES[request.param]


@pytest.fixture(params=["new connection", "kept connection"])
def warm(request: pytest.FixtureRequest, relayed: Client) -> Client:
    """The relayed client, before its first request and after."""
    if request.param == "kept connection":
        relayed.raw_get("/version")
    return relayed


def test_a_write_whose_answer_was_lost_is_sent_once(
    warm: Client, relay: Relay, config_map: ConfigMap, write: Callable[[Client, Key], None]
) -> None:
    """On a kept connection libcurl by itself would send it again."""
    relay.inject(Fault(Match(), RespondAfterApply(), times=None))

    with pytest.raises(TransportError) as raised:
        write(warm, config_map.key)

    assert not isinstance(raised.value, ConnectError)
    assert "\n" not in str(raised.value)
    assert relay.count(is_write) == 1


def test_a_lost_answer_makes_no_second_object(warm: Client, relay: Relay, client: Client, namespace: str) -> None:
    relay.inject(Fault(Match(method="POST"), RespondAfterApply()))

    with pytest.raises(TransportError):
        generated(warm, Key(namespace, ""))

    made = [each for each in client.list(ConfigMap, namespace) if each.metadata.generate_name == "gen-"]
    assert len(made) == 1


@pytest.mark.parametrize("action", [ResetBefore(), RespondAfterApply(Respond(504)), Respond(500), Respond(503)])
def test_a_write_with_an_unknown_outcome_is_sent_once(
    warm: Client, relay: Relay, config_map: ConfigMap, action: Action
) -> None:
    relay.inject(Fault(Match(method="PATCH"), action, times=None))

    with pytest.raises((TransportError, ServerError)):
        warm.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}})

    assert relay.count(is_write) == 1


def test_the_next_write_after_a_lost_answer_works(relayed: Client, relay: Relay, config_map: ConfigMap) -> None:
    relayed.raw_get("/version")
    relay.inject(Fault(Match(method="PATCH"), RespondAfterApply()))
    with pytest.raises(TransportError):
        relayed.merge_patch(ConfigMap, config_map.key, {"data": {"a": "1"}})

    patched = relayed.merge_patch(ConfigMap, config_map.key, {"data": {"b": "1"}})

    assert patched.data == {"k": "v", "a": "1", "b": "1"}


@pytest.mark.parametrize(
    "action", [ResetBefore(), RespondAfterApply(), CutAfter(bytes=10), Respond(500), Respond(503, body=b"")]
)
def test_a_read_is_sent_again(warm: Client, relay: Relay, config_map: ConfigMap, action: Action) -> None:
    relay.inject(Fault(Match(path="/subject$"), action, times=2))

    found = warm.get(ConfigMap, config_map.key)

    assert found == config_map
    assert relay.count(lambda request: request.path.endswith("/subject")) == 3


def test_a_lost_answer_of_a_server_that_is_gone_is_not_a_write_that_did_not_get_out(
    relayed: Client, relay: Relay, config_map: ConfigMap
) -> None:
    """The repeat of libcurl fails to connect, but the first attempt was applied."""
    relayed.raw_get("/version")
    relay.inject(Fault(Match(method="PATCH"), RespondAfterApply()))
    relay._listener.shut()

    with pytest.raises(TransportError) as raised:
        relayed.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}})

    assert not isinstance(raised.value, ConnectError)
    assert relay.count(is_write) == 1


def test_a_write_that_was_refused_for_now_waits_as_asked(relayed: Client, relay: Relay, config_map: ConfigMap) -> None:
    relay.inject(Fault(Match(), too_many_requests("1", close=True)))

    relayed.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}})

    first, second = relay.requests
    assert 1.0 <= second.time - first.time < LIMIT_SECONDS


def test_a_write_goes_out_once_the_server_can_be_reached(
    relayed: Client, relay: Relay, config_map: ConfigMap, control_plane: ControlPlane
) -> None:
    relay.cut()
    runtime, patched = ThreadRuntime(), []
    task = runtime.spawn(
        "writer", lambda: patched.append(relayed.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}}))
    )

    relay.restore()
    task.join(LIMIT_SECONDS)

    assert [each.data for each in patched] == [{"k": "2"}]


def test_a_kept_connection_that_the_server_closed_meanwhile_does_not_fail_a_write(
    relayed: Client, relay: Relay, config_map: ConfigMap
) -> None:
    relayed.raw_get("/version")
    relay.cut()
    relay.restore()

    patched = relayed.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}})

    assert patched.data == {"k": "2"}
    assert relay.count(is_write) == 1


def test_closing_the_client_ends_its_waits(relayed: Client, relay: Relay) -> None:
    injected = relay.inject(Fault(Match(), too_many_requests("30"), times=None))
    raised: list[BaseException] = []

    def read() -> None:
        try:
            relayed.raw_get("/version")
        except Cancelled as error:
            raised.append(error)

    task = ThreadRuntime().spawn("reader", read)
    injected.wait()
    started = SystemClock().monotonic()
    relayed.connection.close()
    task.join(LIMIT_SECONDS)

    assert [type(error) for error in raised] == [Cancelled]
    assert SystemClock().monotonic() - started < 15.0
