"""Kept connections: used again, never shared, and known to the server as ours."""

import socket
from collections.abc import Callable
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.client import (
    Cancellation,
    Client,
    ClusterAddress,
    HttpRequest,
    RestClientMetrics,
    Timeouts,
    connect,
    from_kubeconfig,
)
from framework.client.curl import MAX_IDLE_SECONDS, CurlTransport
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import EndCleanly, Fault, Match, Relay, Stall
from framework.testing.virtual_time import VirtualTime

LIMIT_SECONDS = 30.0


def test_the_server_hears_our_name_and_version(relayed: Client, relay: Relay) -> None:
    relayed.raw_get("/version")

    assert relay.requests[0].headers["user-agent"] == f"windlass/{version('windlass')}"


def test_one_connection_carries_many_requests_of_every_kind(
    relayed: Client, connections: list[socket.socket], namespace: str
) -> None:
    key = Key(namespace, "a")
    relayed.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=namespace)))
    for number in range(10):
        relayed.create(ConfigMap(metadata=ObjectMeta(generate_name="gen-", namespace=namespace)))
        relayed.get(ConfigMap, key)
        relayed.merge_patch(ConfigMap, key, {"data": {"n": str(number)}})
        relayed.list(ConfigMap, namespace)
    relayed.delete(ConfigMap, key)

    assert len(connections) == 1


@pytest.fixture
def tls_relayed(
    tls_relay: Relay,
    control_plane: ControlPlane,
    connect_to: Callable[..., Client],
    write_kubeconfig: Callable[..., Path],
) -> Client:
    return connect_to(write_kubeconfig({"token": control_plane.token}, server=tls_relay.url))


def test_one_tls_connection_carries_many_writes(
    tls_relayed: Client, tls_connections: list[socket.socket], config_map: ConfigMap
) -> None:
    for number in range(10):
        tls_relayed.merge_patch(ConfigMap, config_map.key, {"data": {"n": str(number)}})

    assert len(tls_connections) == 1


def test_a_connection_outlives_a_refusal(relayed: Client, connections: list[socket.socket]) -> None:
    for _ in range(5):
        try:
            relayed.get(ConfigMap, Key("default", "absent"))
        except WindlassError:
            continue

    assert len(connections) == 1


def test_a_connection_outlives_a_watch_that_ended_cleanly(
    relayed: Client, relay: Relay, connections: list[socket.socket], config_map: ConfigMap
) -> None:
    relay.inject(Fault(Match(query={"watch": "true"}), EndCleanly(after_events=1), times=None))
    for _ in range(3):
        relayed.watch(
            ConfigMap,
            config_map.metadata.namespace,
            {},
            on_chunk=lambda _chunk: None,
            cancellation=Cancellation(ThreadRuntime()),
            timeouts=Timeouts(),
        )

    assert len(connections) == 1


def test_connections_that_nobody_needed_for_a_while_are_given_up(relay: Relay) -> None:
    time = VirtualTime()
    with closing(CurlTransport(ClusterAddress(relay.url), clock=time.clock, runtime=ThreadRuntime())) as transport:
        # The second and third are sent while the first is under way.
        request = HttpRequest("GET", "/version")
        stalled = relay.inject(Fault(Match(), Stall(before_headers=True), times=3))

        def read() -> None:
            transport.exchange(request)

        tasks = [ThreadRuntime().spawn("reader", read) for _ in range(3)]
        stalled.wait(3)
        relay.release()
        for task in tasks:
            task.join(LIMIT_SECONDS)
        kept = len(transport._idle)

        time.advance(MAX_IDLE_SECONDS + 1)
        transport.exchange(request)

        assert (kept, len(transport._idle)) == (3, 1)


def test_a_path_reaches_the_server_as_it_was_written(relay: Relay) -> None:
    with closing(CurlTransport(ClusterAddress(relay.url), clock=SystemClock(), runtime=ThreadRuntime())) as transport:
        transport.exchange(HttpRequest("GET", "/api/../version"))

    assert relay.requests[0].path == "/api/../version"


def test_threads_do_not_see_the_answers_of_each_other(client: Client, namespace: str) -> None:
    for number in range(16):
        client.create(ConfigMap(metadata=ObjectMeta(name=f"m{number}", namespace=namespace), data={"n": str(number)}))
    runtime = ThreadRuntime()
    wrong: list[tuple[int, ConfigMap, ConfigMap]] = []

    def read(number: int) -> None:
        for attempt in range(25):
            found = client.get(ConfigMap, Key(namespace, f"m{number}"))
            patched = client.merge_patch(ConfigMap, found.key, {"data": {"attempt": str(attempt)}})
            if patched.data != {"n": str(number), "attempt": str(attempt)} or found.data["n"] != str(number):
                wrong.append((number, found, patched))

    tasks = [runtime.spawn(f"reader-{number}", partial(read, number)) for number in range(16)]
    for task in tasks:
        task.join(LIMIT_SECONDS)

    assert wrong == []
    assert not any(task.is_alive() for task in tasks)


def test_requests_are_counted_for_the_host(relay: Relay, control_plane: ControlPlane, tmp_path: Path) -> None:
    registry = CollectorRegistry()
    credentials = from_kubeconfig(str(relay.kubeconfig(tmp_path, control_plane.token)), clock=SystemClock())
    client = connect(credentials, metrics=RestClientMetrics(registry))

    client.raw_get("/version")
    client.connection.close()

    host = relay.url.removeprefix("http://")
    labels = {"code": "200", "method": "GET", "host": host}
    assert registry.get_sample_value("rest_client_requests_total", labels) == 1


def test_the_lookup_of_a_name_is_measured_once_for_a_connection(
    relay: Relay, control_plane: ControlPlane, tmp_path: Path
) -> None:
    registry = CollectorRegistry()
    kubeconfig = str(relay.kubeconfig(tmp_path, control_plane.token))
    by_name = relay.url.replace("127.0.0.1", "localhost")
    client = connect(
        from_kubeconfig(kubeconfig, master=by_name, clock=SystemClock()), metrics=RestClientMetrics(registry)
    )

    for _ in range(3):
        client.raw_get("/version")
    client.connection.close()

    labels = {"host": by_name.removeprefix("http://")}
    assert registry.get_sample_value("rest_client_dns_resolution_duration_seconds_count", labels) == 1
