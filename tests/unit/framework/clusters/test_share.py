"""A cluster that hangs takes its share of the workers, once, and nothing more."""

from collections.abc import Callable
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.clusters import ClusterState
from framework.errors import (
    ClusterBusy,
    ClusterUnreachable,
    ConfigurationError,
    ConnectError,
    DeadlineExceeded,
    NotFound,
    TimedOut,
)
from framework.runtime import Deadline, deadline_scope

KEY = Key("default", "a")
Make = Callable[..., Any]


def test_no_more_requests_than_the_share_are_under_way_and_the_next_is_refused_at_once(make: Make) -> None:
    stage = make(max_concurrent_requests=2)
    cluster = stage.connect("a")
    stage.server("https://a").hang()
    held = [stage.act(lambda: cluster.client.get(ConfigMap, KEY)) for _ in range(2)]

    refused = stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    assert held == [[], []]
    assert [type(outcome) for outcome in refused] == [ClusterBusy]
    assert str(refused[0]) == "cluster 'a': 2 requests are under way, which is its share"
    assert stage.server("https://a").most_waiting == 2


def test_each_controller_has_a_share_of_its_own(make: Make) -> None:
    stage = make()
    cluster = stage.connect("a")
    stage.server("https://a").hang()
    held = stage.act(lambda: cluster.client_for("one", max_concurrent_requests=1).get(ConfigMap, KEY))

    same = stage.act(lambda: cluster.client_for("one", max_concurrent_requests=9).get(ConfigMap, KEY))
    other = stage.act(lambda: cluster.client_for("two", max_concurrent_requests=1).get(ConfigMap, KEY))

    assert (held, other) == ([], [])
    assert isinstance(same[0], ClusterBusy)


def test_a_request_ends_in_time_whatever_is_sent_again(make: Make) -> None:
    stage = make(request_seconds=10.0)
    cluster = stage.connect("a")
    stage.server("https://a").hang()
    outcome = stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    stage.time.advance(10)

    assert [type(each) for each in outcome] == [TimedOut]
    assert "cluster 'a'" in str(outcome[0])


def test_the_timeout_of_the_reconcile_stays_its_own(make: Make) -> None:
    stage = make(request_seconds=10.0)
    cluster = stage.connect("a")
    stage.server("https://a").hang()

    def reconcile() -> object:
        with deadline_scope(Deadline(stage.time.clock.monotonic() + 3, 3)):
            return cluster.client.get(ConfigMap, KEY)

    outcome = stage.act(reconcile)
    stage.time.advance(3)

    assert [type(each) for each in outcome] == [DeadlineExceeded]


def test_after_one_request_that_timed_out_no_worker_waits_for_the_cluster_any_more(make: Make) -> None:
    stage = make(retry_seconds=5.0)
    cluster, server = stage.connect("a"), stage.server("https://a")
    server.hang()
    stage.act(lambda: cluster.client.get(ConfigMap, KEY))
    stage.time.advance(10)

    refused = [stage.act(lambda: cluster.client.get(ConfigMap, KEY)) for _ in range(20)]

    assert {type(each) for outcome in refused for each in outcome} == {ClusterUnreachable}
    assert server.waiting == 1  # the probe, in its own task
    assert stage.value("windlass_cluster_requests_refused_total", cluster="a", reason="Unreachable") == 20


def test_the_refusal_says_when_to_come_back(make: Make) -> None:
    stage = make(retry_seconds=5.0)
    cluster, server = stage.connect("a"), stage.server("https://a")
    server.failure = ConnectError("https://a: connection refused")
    stage.act(lambda: cluster.client.create(ConfigMap()))
    stage.time.advance(10)

    (refused,) = stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    assert isinstance(refused, ClusterUnreachable)
    assert 5.0 <= refused.retry_after_seconds <= 10.0
    assert str(refused) == "cluster 'a' does not answer: https://a: connection refused"


def test_requests_go_again_as_soon_as_a_probe_is_answered(make: Make) -> None:
    stage = make(retry_seconds=5.0)
    cluster, server = stage.connect("a"), stage.server("https://a")
    server.failure = ConnectError("refused")
    stage.act(lambda: cluster.client.get(ConfigMap, KEY))
    stage.time.advance(10)
    before = cluster.health.state
    server.recover()

    stage.time.advance(6)

    assert before is ClusterState.UNREACHABLE
    assert cluster.health.state is ClusterState.REACHABLE
    assert stage.act(lambda: cluster.client.get(ConfigMap, KEY))[0].metadata.name == "a"


def test_one_lost_answer_costs_a_probe_and_nothing_is_told(make: Make) -> None:
    stage = make()
    cluster, server = stage.connect("a"), stage.server("https://a")
    told: list[str] = []
    stage.clusters.follow(Follower(told))
    probes = server.probes

    def lose_one() -> object:
        server.failure = TimedOut("lost")
        try:
            return cluster.client.create(ConfigMap())
        finally:
            server.failure = None

    (lost,) = stage.act(lose_one)

    assert isinstance(lost, TimedOut)
    assert (cluster.health.state, server.probes) == (ClusterState.REACHABLE, probes + 1)
    assert told == ["joined a"]


def test_refusals_of_the_server_are_answers(make: Make) -> None:
    stage = make()
    cluster, server = stage.connect("a"), stage.server("https://a")
    server.status = 404

    (refused,) = stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    assert isinstance(refused, NotFound)
    assert cluster.health.state is ClusterState.REACHABLE


@pytest.mark.parametrize("limit", [0, -1])
def test_a_share_of_nothing_is_refused(make: Make, limit: int) -> None:
    with pytest.raises(ConfigurationError, match="at least one request"):
        make(max_concurrent_requests=limit)


class Follower:
    def __init__(self, told: list[str]) -> None:
        self._told = told

    def joined(self, cluster: Any) -> None:
        self._told.append(f"joined {cluster.name}")

    def left(self, cluster: Any) -> None:
        self._told.append(f"left {cluster.name}")

    def changed(self, cluster: Any) -> None:
        self._told.append(f"{cluster.health.state} {cluster.name}")
