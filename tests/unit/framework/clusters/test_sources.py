"""Sources of a controller that follow the clusters."""

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.typing import EventDict

from apis.core.v1 import ConfigMap
from apis.meta import Key, KubeObject, ObjectMeta, Request
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client, ClusterAddress, Credentials, StaticCredentials
from framework.clusters import Clusters, RemoteCluster
from framework.controller import ClusterChanges, EachCluster
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime
from framework.workqueue import ExponentialPerItem, WorkQueue


class Bench:
    """Clusters whose servers are function calls away, and a queue."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.servers: dict[str, ApiServer] = {}
        self.clusters = Clusters(
            lambda credentials: self.client(credentials.address().server).connection,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
        )
        self.clusters.start()
        self.queue: WorkQueue[Request] = WorkQueue("q", self.time.runtime, self.time.clock, ExponentialPerItem())

    def client(self, server: str) -> Client:
        if server not in self.servers:
            self.servers[server] = ApiServer(clock=self.time.clock, runtime=self.time.runtime, random=system_random())
        return in_process_client(self.servers[server])

    def create(self, server: str, *names: str, **data: str) -> None:
        for name in names:
            self.client(server).create(config_map(name, data))
        self.time.wait_until_idle()

    def connect(self, name: str, server: str = "") -> RemoteCluster:
        cluster = self.clusters.connect(name, credentials(server or name))
        self.time.wait_until_idle()
        return cluster

    def queued(self) -> list[str]:
        self.time.wait_until_idle()
        taken = []
        while len(self.queue):
            request, _ = self.queue.get(timeout=0)
            self.queue.done(request)
            taken.append(str(request))
        return sorted(taken)


def config_map(name: str, data: dict[str, str]) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


def credentials(server: str) -> Credentials:
    return StaticCredentials(ClusterAddress(server))


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.clusters.stop()
    made.time.wait_until_idle()


def source(bench: Bench, mapping: Any = None) -> EachCluster[Any]:
    return EachCluster(bench.clusters, ConfigMap, mapping)


def test_objects_of_clusters_that_join_before_and_after_are_queued_with_the_name_of_their_cluster(bench: Bench) -> None:
    bench.create("one", "a")
    bench.create("two", "b")
    bench.connect("one")
    source(bench).attach(bench.queue, "test")

    bench.connect("two")

    assert bench.queued() == ["one:default/a", "two:default/b"]


def test_changes_in_each_cluster_are_queued(bench: Bench) -> None:
    source(bench).attach(bench.queue, "test")
    bench.connect("one")
    bench.connect("two")
    assert bench.queued() == []

    bench.create("one", "a")
    bench.client("two").create(config_map("b", {}))
    bench.client("two").delete(ConfigMap, Key("default", "b"))

    assert bench.queued() == ["one:default/a", "two:default/b"]


def test_a_mapping_hears_of_the_object_before_and_after(bench: Bench) -> None:
    def owner(cluster: str, obj: KubeObject) -> list[Request]:
        return [Request(Key(cluster, f"owner-{obj.data['owner']}"))]  # type: ignore[attr-defined]

    source(bench, owner).attach(bench.queue, "test")
    bench.connect("one")
    bench.create("one", "a", owner="x")
    assert bench.queued() == ["one/owner-x"]

    bench.client("one").merge_patch(ConfigMap, Key("default", "a"), {"data": {"owner": "y"}})

    assert bench.queued() == ["one/owner-x", "one/owner-y"]


def test_a_mapping_that_fails_costs_its_object_and_nothing_else(bench: Bench, logs: list[EventDict]) -> None:
    def picky(cluster: str, obj: KubeObject) -> list[Request]:
        if obj.metadata.name == "bad":
            raise ValueError(cluster)
        return [Request(obj.key)]

    source(bench, picky).attach(bench.queue, "test")
    bench.connect("one")

    bench.create("one", "bad", "good")

    assert bench.queued() == ["default/good"]
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["mapping_failed"]


def test_requests_of_a_cluster_that_left_are_dropped_and_all_others_stay(bench: Bench) -> None:
    source(bench).attach(bench.queue, "test")
    bench.connect("one")
    bench.connect("two")
    bench.create("one", "a")
    bench.create("two", "b")
    bench.queue.add(Request(Key("default", "of-the-hub")))

    bench.clusters.disconnect("one")

    assert bench.queued() == ["default/of-the-hub", "two:default/b"]


def test_a_cluster_that_comes_back_is_followed_again(bench: Bench) -> None:
    source(bench).attach(bench.queue, "test")
    bench.create("one", "a")
    bench.connect("one")
    bench.clusters.disconnect("one")
    bench.queued()

    bench.connect("one")

    assert bench.queued() == ["one:default/a"]


def test_a_kubeconfig_of_another_server_gives_deletions_and_creations(bench: Bench) -> None:
    bench.create("first", "gone", "both")
    bench.create("second", "x", "y", "both", "new")
    seen: dict[str, tuple[bool, bool]] = {}
    cluster = bench.connect("a", "first")
    informer = cluster.informer(ConfigMap)
    bench.time.wait_until_idle()
    uids = {obj.metadata.name: obj.metadata.uid for obj in informer.lister.list()}
    informer.add_handler(Recorder(seen))
    bench.time.wait_until_idle()
    seen.clear()

    bench.connect("a", "second")

    assert seen == {
        "gone": (True, False),
        "both": (False, True),
        "x": (False, True),
        "y": (False, True),
        "new": (False, True),
    }
    held = {obj.metadata.name: obj.metadata.uid for obj in informer.lister.list()}
    assert sorted(held) == ["both", "new", "x", "y"]
    assert held["both"] != uids["both"]
    assert informer.version == int(bench.client("second").list_page(ConfigMap, "", {}).metadata.resource_version)


def test_the_same_server_with_another_token_gives_no_changes(bench: Bench) -> None:
    bench.create("first", "a", "b")
    seen: dict[str, tuple[bool, bool]] = {}
    informer = bench.connect("a", "first").informer(ConfigMap)
    informer.add_handler(Recorder(seen))
    bench.time.wait_until_idle()
    seen.clear()

    bench.connect("a", "first")

    assert (informer.has_synced, seen) == (True, {})


def test_a_detached_source_queues_nothing_more(bench: Bench) -> None:
    followed = source(bench)
    registration = followed.attach(bench.queue, "test")
    bench.connect("one")

    followed.detach(registration)
    bench.create("one", "a")
    bench.connect("two")
    bench.create("two", "b")

    assert bench.queued() == []


def test_everything_can_be_looked_at_again(bench: Bench) -> None:
    followed = source(bench)
    changes = ClusterChanges(bench.clusters, lambda cluster: [Request(Key("", cluster.name))])
    bench.create("one", "a")
    bench.connect("one")
    registrations = followed.attach(bench.queue, "test"), changes.attach(bench.queue, "test")
    bench.queued()

    followed.resync(registrations[0])
    changes.resync(registrations[1])

    assert bench.queued() == ["one", "one:default/a"]


def test_workers_do_not_wait_for_remote_clusters(bench: Bench) -> None:
    registration = source(bench).attach(bench.queue, "test")

    assert registration.has_synced
    assert registration.wait_for_sync(0.0)


def test_what_happens_to_a_cluster_is_queued_for_whom_it_concerns(bench: Bench) -> None:
    changes = ClusterChanges(bench.clusters, lambda cluster: [Request(Key(cluster.name, str(cluster.is_connected)))])
    registration = changes.attach(bench.queue, "test")

    bench.connect("one")
    joined = bench.queued()
    bench.clusters.disconnect("one")
    left = bench.queued()
    changes.detach(registration)
    bench.connect("two")

    assert (joined, left, bench.queued()) == (["one/True"], ["one/False"], [])


def test_a_mapping_of_clusters_that_fails_is_told_and_harms_nobody(bench: Bench, logs: list[EventDict]) -> None:
    ClusterChanges(bench.clusters, lambda cluster: [cluster.nothing]).attach(bench.queue, "test")  # type: ignore[attr-defined]

    bench.connect("one")

    assert "mapping_failed" in [entry["event"] for entry in logs]
    assert len(bench.clusters) == 1


class Recorder:
    def __init__(self, seen: dict[str, tuple[bool, bool]]) -> None:
        self._seen = seen

    def on_change(self, change: Any) -> None:
        self._seen[change.key.name] = (change.old is not None, change.new is not None)
