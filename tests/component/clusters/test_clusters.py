"""Clusters that come, go, restart, hang and change their credentials while a manager runs."""

from collections.abc import Callable

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request
from framework.clusters import ClusterState
from framework.controller import ControllerOptions, EachCluster
from framework.errors import Cancelled, NotFound, TlsError, Unauthorized
from framework.manager import Manager
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.testing.relay import Fault, Match, SeenRequest, Stall
from tests.component.clusters.world import Recorder, Seen, World, eventually


def test_objects_of_a_cluster_that_joins_later_are_reconciled_with_its_name(world: World) -> None:
    manager, seen = world.manager(), Seen()
    manager.add_controller("maps", seen, [EachCluster(manager.clusters, ConfigMap, options=world.informer_options)])
    manager.start()
    world.create(world.remote_client, "before")

    manager.clusters.connect("far", world.through_relay())
    eventually(lambda: Request(Key("default", world.name("before")), "far") in seen.requests)
    world.create(world.remote_client, "after")

    eventually(lambda: Request(Key("default", world.name("after")), "far") in seen.requests)
    assert manager.readiness.problems() == {}


def test_a_cluster_that_never_answers_keeps_no_controller_from_starting(world: World) -> None:
    manager, seen = world.manager(), Seen()
    world.relay.cut()
    manager.clusters.connect("dead", world.through_relay())
    controller = manager.add_controller("maps", seen, [EachCluster(manager.clusters, ConfigMap)])

    manager.start()
    controller.enqueue(Request(Key("default", "local")))

    eventually(lambda: Request(Key("default", "local")) in seen.requests)
    is_ready, report = manager.readiness.report()
    assert is_ready
    assert "[-]cluster/dead: " in report


def test_rotated_credentials_are_used_by_the_same_client_and_watch_and_nothing_changes(world: World) -> None:
    manager = world.manager()
    manager.start()
    world.create(world.remote_client, "a")
    cluster = manager.clusters.connect("far", world.through_relay())
    informer = cluster.informer(ConfigMap, world.informer_options)
    recorder = Recorder(world)
    informer.add_handler(recorder)
    eventually(lambda: recorder.texts == ["+a"])

    impersonation = {"token": world.remote.token, "as": "rotated", "as-groups": ["system:masters"]}
    manager.clusters.connect("far", world.through_relay(impersonation))  # type: ignore[arg-type]  # a list of groups
    eventually(lambda: cluster.has_synced)
    world.create(world.remote_client, "b")

    eventually(lambda: recorder.texts == ["+a", "+b"])
    cluster.client.get(ConfigMap, Key("default", world.name("a")))
    assert world.relay.requests[-1].headers["impersonate-user"] == "rotated"


def test_a_refused_token_is_told_and_a_good_one_helps_at_once(world: World) -> None:
    manager = world.manager()
    manager.start()
    world.create(world.remote_client, "a")
    cluster = manager.clusters.connect("far", world.through_relay({"token": "revoked"}))
    cluster.informer(ConfigMap, world.informer_options)
    eventually(lambda: cluster.health.state is ClusterState.UNREACHABLE)
    failure = cluster.health.failure

    manager.clusters.connect("far", world.through_relay())

    eventually(lambda: world.cached(cluster) == {"a"})
    assert isinstance(failure, Unauthorized)
    assert cluster.health.state is ClusterState.REACHABLE


def test_a_server_of_another_authority_is_not_trusted(world: World) -> None:
    manager = world.manager()
    manager.start()

    cluster = manager.clusters.connect("far", world.untrusted())

    eventually(lambda: cluster.health.state is ClusterState.UNREACHABLE)
    assert isinstance(cluster.health.failure, TlsError)
    assert world.relay.requests == []


def test_a_cluster_that_restarts_is_followed_again_without_a_gap(world: World) -> None:
    manager = world.manager()
    manager.start()
    cluster = manager.clusters.connect("far", world.direct(world.remote))
    recorder = Recorder(world)
    cluster.informer(ConfigMap, world.informer_options).add_handler(recorder)
    world.create(world.remote_client, "before")
    eventually(lambda: recorder.texts == ["+before"])

    world.remote.restart_apiserver()
    world.create(world.remote_client, "after")

    eventually(lambda: recorder.texts == ["+before", "+after"])
    eventually(lambda: cluster.health.state is ClusterState.REACHABLE)
    cluster.client.get(ConfigMap, Key("default", world.name("after")))


def test_a_cut_connection_is_told_and_mends_itself(world: World) -> None:
    manager = world.manager()
    manager.start()
    cluster = manager.clusters.connect("far", world.through_relay())
    cluster.informer(ConfigMap, world.informer_options)
    eventually(lambda: cluster.problem is None)

    world.relay.cut()
    eventually(lambda: cluster.health.state is ClusterState.UNREACHABLE)
    world.create(world.remote_client, "missed")
    world.relay.restore()

    eventually(lambda: world.cached(cluster) == {"missed"})
    eventually(lambda: cluster.problem is None)


def test_a_kubeconfig_of_another_server_replaces_the_cache_by_what_is_there(world: World) -> None:
    manager = world.manager()
    manager.start()
    world.create(world.remote_client, "both", "only-remote")
    world.create(world.hub_client, "only-hub", "both")
    cluster = manager.clusters.connect("far", world.direct(world.remote))
    recorder = Recorder(world)
    cluster.informer(ConfigMap, world.informer_options).add_handler(recorder)
    eventually(lambda: sorted(recorder.texts) == ["+both", "+only-remote"])
    recorder.texts.clear()

    manager.clusters.connect("far", world.direct(world.hub))

    # The one that has the same name in both is another object.
    eventually(lambda: sorted(recorder.texts) == ["+both", "+only-hub", "-both", "-only-remote"])
    assert world.cached(cluster) == {"both", "only-hub"}
    world.create(world.hub_client, "later")
    world.delete(world.hub_client, "both")
    eventually(lambda: world.cached(cluster) == {"only-hub", "later"})


def test_a_cluster_that_is_removed_is_asked_nothing_more(world: World) -> None:
    manager, seen = world.manager(), Seen()
    manager.add_controller("maps", seen, [EachCluster(manager.clusters, ConfigMap, options=world.informer_options)])
    manager.start()
    cluster = manager.clusters.connect("far", world.through_relay())
    eventually(lambda: cluster.has_synced)
    informer = cluster.informer(ConfigMap, world.informer_options)

    manager.clusters.disconnect("far")
    eventually(lambda: not any(task.is_alive() for task in informer._tasks))
    asked = world.relay.count(is_no_probe)
    world.create(world.remote_client, "unseen")
    refused = attempt(lambda: cluster.client.get(ConfigMap, Key("default", "a")))

    assert isinstance(refused, Cancelled)
    assert seen.requests == set()
    assert world.relay.count(is_no_probe) == asked
    assert "cluster/far" not in manager.readiness.report()[1]


def test_a_hanging_cluster_takes_its_share_of_the_workers_and_all_other_keys_are_reconciled(world: World) -> None:
    manager = world.manager()
    reconciler = ByName(manager)
    options = ControllerOptions(max_concurrent_reconciles=4)
    controller = manager.add_controller("w", reconciler, [], options)
    manager.start()
    good = manager.clusters.connect("good", world.direct(world.hub))
    dead = manager.clusters.connect("dead", world.through_relay())
    eventually(lambda: good.problem is None and dead.problem is None)
    # From now on it accepts connections and requests, and answers nothing.
    hanging = world.relay.inject(Fault(Match(), Stall(before_headers=True), times=None))

    for number in range(30):
        controller.enqueue(Request(Key("dead", str(number))))
    eventually(lambda: world.relay.count(lambda request: "/configmaps/" in request.path) == ByName.SHARE)
    for number in range(100):
        controller.enqueue(Request(Key("good", str(number))))

    eventually(lambda: reconciler.done["good"] == {str(number) for number in range(100)})
    assert reconciler.done["dead"] == set()
    assert max(guard.most_under_way for guard in dead.guards) == ByName.SHARE
    eventually(lambda: dead.health.state is ClusterState.UNREACHABLE)
    hanging.remove()
    world.relay.release()
    eventually(lambda: reconciler.done["dead"] == {str(number) for number in range(30)})


class ByName:
    """Finds out inside the reconcile which cluster is meant, and asks it for something."""

    SHARE = 2

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self._lock = ThreadRuntime().lock()
        self.done: dict[str, set[str]] = {"good": set(), "dead": set()}

    def reconcile(self, request: Request) -> Result:
        cluster = self._manager.clusters.get(request.namespace)
        assert cluster is not None
        client = cluster.client_for("w", max_concurrent_requests=self.SHARE)
        try:
            client.get(ConfigMap, Key("default", "nothing"))
        except NotFound:
            with self._lock:
                self.done[request.namespace].add(request.name)
        return Result.await_change()


def is_no_probe(request: SeenRequest) -> bool:
    # One may have been under way.
    return request.path != "/version"


def attempt(act: Callable[[], object]) -> object:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - the test looks at it
        return error
