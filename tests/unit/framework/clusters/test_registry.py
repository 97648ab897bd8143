"""Clusters that come, go and change their credentials."""

from collections.abc import Callable
from typing import Any

import pytest
from structlog.typing import EventDict

from apis.core.v1 import ConfigMap, Pod
from apis.meta import Key
from framework.client import Access, ClusterAddress, Observer, StaticCredentials
from framework.clusters import ClusterOptions, Clusters, ClusterState, RemoteCluster
from framework.errors import Cancelled, ConfigurationError, ConnectError, Status, TlsError, Unauthorized
from framework.informers import InformerOptions
from framework.randomness import system_random

KEY = Key("default", "a")
CANARY = "canary-7f3a9c"
Make = Callable[..., Any]


class Follower:
    def __init__(self) -> None:
        self.told: list[str] = []

    def joined(self, cluster: RemoteCluster) -> None:
        self.told.append(f"joined {cluster.name}")

    def left(self, cluster: RemoteCluster) -> None:
        self.told.append(f"left {cluster.name}")

    def changed(self, cluster: RemoteCluster) -> None:
        self.told.append(f"{cluster.health.state} {cluster.name}")


def test_a_cluster_is_asked_whether_it_answers_as_soon_as_it_is_connected(stage: Any) -> None:
    cluster = stage.connect("a")

    assert cluster.health.state is ClusterState.REACHABLE
    assert stage.server("https://a").probes == 1
    assert cluster.problem is None


def test_connecting_again_with_the_same_credentials_changes_nothing(stage: Any) -> None:
    mine = StaticCredentials(ClusterAddress("https://a"), "t")
    first = stage.clusters.connect("a", mine)
    stage.time.wait_until_idle()

    again = stage.clusters.connect("a", mine)
    stage.time.wait_until_idle()

    assert again is first
    assert stage.server("https://a").probes == 1


def test_a_cluster_without_a_name_is_refused(stage: Any) -> None:
    with pytest.raises(ConfigurationError, match="needs a name"):
        stage.connect("", "https://a")


def test_credentials_that_cannot_be_used_leave_everything_as_it_was(stage: Any) -> None:
    cluster = stage.connect("a")

    with pytest.raises(ConnectError):
        stage.connect("a", "https://nowhere")

    assert cluster.server == "https://a"
    assert stage.act(lambda: cluster.client.get(ConfigMap, KEY))[0].metadata.name == "a"


def test_followers_hear_of_each_cluster_once_and_in_order(stage: Any) -> None:
    follower = Follower()
    stage.connect("before")

    stage.clusters.follow(follower)
    stage.connect("after")
    stage.clusters.disconnect("before")
    stage.clusters.unfollow(follower)
    stage.connect("unheard")

    assert follower.told == ["joined before", "joined after", "Reachable after", "left before"]


def test_followers_hear_when_a_cluster_stops_to_answer_and_when_it_answers_again(stage: Any) -> None:
    follower = Follower()
    stage.connect("a")
    stage.clusters.follow(follower)
    server = stage.server("https://a")

    server.failure = ConnectError("refused")
    stage.time.advance(40)
    server.recover()
    stage.time.advance(10)

    assert follower.told == ["joined a", "Unreachable a", "Reachable a"]


def test_a_follower_that_raises_keeps_no_other_from_hearing(stage: Any, logs: list[EventDict]) -> None:
    class Broken(Follower):
        def changed(self, cluster: RemoteCluster) -> None:
            raise RuntimeError(cluster.name)

    stage.clusters.follow(Broken())
    follower = Follower()
    stage.clusters.follow(follower)

    stage.connect("a")

    assert follower.told == ["joined a", "Reachable a"]
    assert "cluster_follower_failed" in [entry["event"] for entry in logs]


def test_a_cluster_that_never_answered_is_unreachable_at_once_and_says_why(stage: Any) -> None:
    stage.server("https://a").failure = TlsError("https://a: certificate refused")

    cluster = stage.connect("a")

    assert cluster.health.state is ClusterState.UNREACHABLE
    assert isinstance(cluster.health.failure, TlsError)
    assert cluster.problem == "does not answer since 2026-01-01T00:00:00Z: https://a: certificate refused"


def test_a_token_that_is_refused_makes_a_cluster_unreachable(stage: Any) -> None:
    stage.server("https://a").failure = Unauthorized(Status(code=401, message="Unauthorized"))

    cluster = stage.connect("a")

    assert cluster.health.state is ClusterState.UNREACHABLE
    assert isinstance(cluster.health.failure, Unauthorized)


def test_failures_in_a_row_are_counted(make: Make) -> None:
    stage = make(retry_seconds=5.0)
    stage.server("https://a").failure = ConnectError("refused")
    cluster = stage.connect("a")

    stage.time.advance(12)

    assert cluster.health.failures == 3


def test_no_secret_is_in_what_is_said_of_a_cluster(stage: Any, logs: list[EventDict]) -> None:
    stage.server("https://a").failure = ConnectError(f"https://a: Authorization: Bearer {CANARY} was refused")

    cluster = stage.connect("a", token=CANARY)

    assert CANARY not in f"{cluster.problem} {cluster.health.error} {logs}"


def test_replaced_credentials_are_used_by_the_same_client_from_then_on(stage: Any) -> None:
    cluster = stage.connect("a", token="old")
    client = cluster.client

    stage.connect("a", token="new")
    stage.server("https://a").requests.clear()
    stage.act(lambda: client.get(ConfigMap, KEY))

    assert stage.server("https://a").tokens == {"Bearer new"}


def test_no_token_meets_a_server_that_it_is_not_for(stage: Any) -> None:
    cluster = stage.connect("a", "https://one", "first")
    cluster.informer(ConfigMap)
    stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    stage.connect("a", "https://two", "second")
    stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    assert stage.server("https://one").tokens == {"Bearer first"}
    assert stage.server("https://two").tokens == {"Bearer second"}


def test_a_request_that_waits_to_be_sent_again_is_not_sent_to_the_new_server(stage: Any) -> None:
    cluster = stage.connect("a", "https://one")
    stage.server("https://one").failure = ConnectError("refused")
    outcome = stage.act(lambda: cluster.client.create(ConfigMap()))

    stage.connect("a", "https://two")
    stage.time.advance(30)

    assert [type(each) for each in outcome] == [Cancelled]
    assert not [request for request in stage.server("https://two").requests if request.method == "POST"]


def test_what_the_old_server_does_says_nothing_about_the_new_one(stage: Any) -> None:
    cluster = stage.connect("a", "https://one")
    stage.server("https://one").hang()
    stage.act(lambda: cluster.client.get(ConfigMap, KEY))

    stage.connect("a", "https://two")
    before = cluster.health
    stage.time.advance(11)

    assert cluster.health == before
    assert before.state is ClusterState.REACHABLE


def test_informers_read_everything_anew_when_credentials_are_replaced(stage: Any) -> None:
    cluster = stage.connect("a", "https://one")
    informer = cluster.informer(ConfigMap)
    stage.time.wait_until_idle()
    before = (informer.has_synced, informer.version)
    stage.server("https://two").hang()

    stage.connect("a", "https://two")

    assert before == (True, 9)
    assert (informer.has_synced, informer.version, cluster.has_synced) == (False, 0, False)
    watches = [request.target for request in stage.server("https://two").requests if "watch=true" in request.target]
    assert len(watches) == 1
    assert "resourceVersion=&" in watches[0]


def test_a_disconnected_cluster_sends_nothing_more(stage: Any) -> None:
    cluster = stage.connect("a")
    cluster.informer(ConfigMap)
    stage.time.wait_until_idle()
    stage.clusters.disconnect("a")
    stage.server("https://a").requests.clear()

    outcome = stage.act(lambda: cluster.client.get(ConfigMap, KEY))
    stage.time.advance(3600)

    assert [type(each) for each in outcome] == [Cancelled]
    assert stage.server("https://a").requests == []
    assert (cluster.is_connected, cluster.has_synced, stage.clusters.get("a")) == (False, False, None)
    assert stage.time.blocked() == frozenset()


def test_disconnecting_a_cluster_that_hangs_does_not_wait(stage: Any) -> None:
    cluster = stage.connect("a")
    stage.server("https://a").hang()
    cluster.informer(ConfigMap)
    cluster.informer(Pod)

    outcome = stage.act(lambda: stage.clusters.disconnect("a"))

    assert outcome == [True]


def test_a_disconnected_cluster_gives_no_new_informers(stage: Any) -> None:
    cluster = stage.connect("a")
    stage.clusters.disconnect("a")

    with pytest.raises(ConfigurationError, match="cluster 'a' is disconnected"):
        cluster.informer(ConfigMap)


def test_disconnecting_what_is_not_there_is_no_error(stage: Any) -> None:
    assert stage.clusters.disconnect("a") is False


def test_informers_are_shared_and_named_after_their_cluster(stage: Any) -> None:
    cluster = stage.connect("a")

    first, second = cluster.informer(ConfigMap), cluster.informer(ConfigMap)
    other = cluster.informer(ConfigMap, InformerOptions(page_size=7))

    assert first is second
    assert (first.name, other.name) == ("a/configmaps", "a/configmaps#2")


def test_a_failed_informer_does_not_wait_when_its_cluster_answers_again(make: Make) -> None:
    stage = make(retry_seconds=1.0)
    cluster, server = stage.connect("a"), stage.server("https://a")
    server.failure = ConnectError("refused")
    informer = cluster.informer(ConfigMap)
    stage.time.advance(100)
    before = informer.has_synced
    server.recover()

    stage.time.advance(1.2)

    assert (before, informer.has_synced) == (False, True)


def test_the_metrics_of_a_cluster_go_with_it(stage: Any) -> None:
    cluster = stage.connect("a")
    cluster.informer(ConfigMap).add_handler(Nothing())
    stage.time.wait_until_idle()
    before = (stage.value("windlass_cluster_reachable", cluster="a"), stage.value("windlass_clusters"))

    stage.clusters.disconnect("a")

    assert before == (1.0, 1.0)
    assert stage.value("windlass_clusters") == 0.0
    samples = [sample for family in stage.registry.collect() for sample in family.samples]
    assert not [
        sample for sample in samples if "a" in (sample.labels.get("cluster"), sample.labels.get("name", "")[:1])
    ]


def test_observers_of_a_controller_look_on_in_every_cluster(stage: Any) -> None:
    seen: list[str] = []

    class Watcher(Observer):
        def sending(self, access: Access) -> None:
            seen.append(f"{access.verb} {access.name}")

    clusters = Clusters(
        stage.connection,
        clock=stage.time.clock,
        runtime=stage.time.runtime,
        random=system_random(),
        observers_of=lambda controller: (Watcher(),) if controller == "watched" else (),
    )
    cluster = clusters.connect("a", StaticCredentials(ClusterAddress("https://a")))

    stage.act(lambda: cluster.client_for("watched").get(ConfigMap, KEY))
    stage.act(lambda: cluster.client_for("other").get(ConfigMap, KEY))

    assert seen == ["get a"]


def test_what_is_said_of_an_informer_names_its_cluster(stage: Any, logs: list[EventDict]) -> None:
    stage.server("https://a").failure = ConnectError("refused")

    stage.connect("a").informer(ConfigMap)
    stage.time.wait_until_idle()

    assert [entry["resource"] for entry in logs if entry["event"] == "reflector_failed"] == ["a/configmaps"]


def test_a_probe_can_be_left_to_the_requests(make: Make) -> None:
    stage = make(probe_seconds=None)
    stage.connect("a")

    stage.time.advance(86_400)

    assert stage.server("https://a").probes == 1


def test_nothing_can_be_connected_after_the_end(stage: Any) -> None:
    stage.clusters.stop()

    with pytest.raises(ConfigurationError, match="the process is stopping"):
        stage.connect("a")


def test_times_of_nothing_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="more than 0 seconds"):
        ClusterOptions(request_seconds=0)


class Nothing:
    def on_change(self, change: Any) -> None:
        """Looks away."""
