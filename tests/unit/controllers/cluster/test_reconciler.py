"""What the controller writes, tells, and lets others use."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import msgspec
import pytest

from apis.laf.cluster import Cluster
from apis.laf.instance import Instance, InstanceStatus, Reserved
from apis.meta import Key, ObjectMeta, Request
from controllers.cluster.reasons import PROBLEMS
from controllers.cluster.reconciler import ClusterReconciler
from controllers.cluster.sweep import Sweep
from controllers.reporting.status_writer import StatusWriter
from framework.conditions import find_condition
from framework.errors import ConnectError
from framework.reconcile import Result
from framework.testing.virtual_time import DEFAULT_START
from tests.unit.controllers.cluster.judged import Judged, kubeconfig


class Hub:
    """One Cluster and the Instances that a cache knows, and those that the server has."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster: Cluster | None = cluster
        self.cached: list[Instance] = []
        self.living: list[Instance] = []
        self.writes = 0
        self.events: list[str] = []

    def get(self, _key: Key) -> Cluster | None:
        return self.cluster

    def by_index(self, _name: str, uid: str) -> list[Instance]:
        return [each for each in self.cached if each.status.cluster_uid == uid]

    def list(self, _kind: type[Instance], _namespace: str) -> list[Instance]:
        return self.living

    def merge_patch(self, _kind: type[Cluster], _key: Key, patch: Mapping[str, Any], **_conditions: str) -> Cluster:
        return self._write(patch)

    def patch_status(self, _obj: Cluster, status: Mapping[str, Any]) -> Cluster:
        return self._write({"status": status})

    def record(self, _about: Cluster, event_type: str, reason: str, _note: str, *, action: str) -> None:
        assert action
        self.events.append(f"{event_type} {reason}")

    def edit(self, **metadata: Any) -> None:
        self._write({"metadata": metadata})

    def _write(self, patch: Mapping[str, Any]) -> Cluster:
        self.writes += 1
        assert self.cluster is not None
        self.cluster = msgspec.convert(merged(msgspec.to_builtins(self.cluster), patch), Cluster)
        return self.cluster


def merged(target: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    whole = dict(target or {})
    for name, value in patch.items():
        if isinstance(value, Mapping):
            whole[name] = merged(whole.get(name), value)
        elif value is None:
            whole.pop(name, None)
        else:
            whole[name] = value
    return whole


class Controlled:
    """A process that has the controller alone."""

    def __init__(self, hub: Hub | None = None, **settings: Any) -> None:
        self.judged = judged = Judged(**settings)
        self.hub = hub or Hub(judged.cluster)
        fake, clock = cast("Any", self.hub), judged.stage.time.clock
        sweep = Sweep(
            instances=fake,
            client=fake,
            cluster_by_uid=lambda _: None,
            client_of=lambda remote: remote.client_for("cluster"),
            clock=clock,
            settings=judged.settings,
        )
        self.reconciler = ClusterReconciler(
            clusters=fake,
            instances=fake,
            client=fake,
            status=StatusWriter(fake, fake, clock, problems=PROBLEMS, action="Probe"),
            recorder=fake,
            links=judged.links,
            judge=judged.judge,
            remotes=judged.remotes,
            sweep=sweep,
        )

    def reconcile(self) -> Result:
        outcome = self.judged.stage.act(lambda: self.reconciler.reconcile(Request(Key("laf-system", "east-1"))))
        if not outcome:
            self.judged.stage.time.advance(15.0)
        [result] = outcome
        assert isinstance(result, Result), result
        return result

    def reconcile_later(self) -> None:
        seconds = self.reconcile().requeue_after_seconds
        assert seconds is not None
        self.judged.stage.time.advance(seconds)

    def until_ready(self) -> None:
        for _ in range(10):
            if self.told() == "ClusterReady":
                return
            self.reconcile_later()
        raise AssertionError(f"it is not ready but {self.told()}")

    def told(self) -> str:
        assert self.hub.cluster is not None
        ready = find_condition(self.hub.cluster.status.conditions, "Ready")
        return "" if ready is None else ready.reason

    def is_usable(self) -> bool:
        assert self.hub.cluster is not None
        return self.judged.remotes.of(self.hub.cluster) is not None


Make = Callable[..., Controlled]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Controlled] = []

    def go(hub: Hub | None = None, **settings: Any) -> Controlled:
        made.append(Controlled(hub, **settings))
        return made[-1]

    yield go
    for each in made:
        each.judged.stop()


def an_instance(name: str) -> Instance:
    status = InstanceStatus(cluster_uid="uid-1", reserved=Reserved(cpu="1", memory="1Gi"))
    return Instance(metadata=ObjectMeta(name=name, namespace="tenant"), status=status)


def test_a_new_cluster_is_probing_then_ready_and_recorded_before_anybody_may_use_it(make: Make) -> None:
    controlled = make()
    controlled.judged.server.hang()
    controlled.reconcile()
    assert controlled.told() == "Probing"
    assert not controlled.judged.remotes.is_judged("uid-1")
    admitted_with: list[str] = []
    hub = controlled.hub
    controlled.judged.remotes.follow(
        lambda _uid: admitted_with.append(hub.cluster.status.cluster_id if hub.cluster else "")
    )

    controlled.judged.server.recover()
    controlled.until_ready()

    assert controlled.is_usable()
    assert admitted_with == ["the-first"]
    assert hub.events == []


def test_a_settled_cluster_is_not_written(make: Make) -> None:
    controlled = make()
    controlled.until_ready()
    writes, reviews = controlled.hub.writes, controlled.judged.server.reviews

    for _ in range(3):
        controlled.reconcile_later()
        controlled.reconcile()

    assert controlled.hub.writes == writes
    assert controlled.judged.server.reviews > reviews


def test_one_that_is_used_is_used_until_it_has_failed_often_enough(make: Make) -> None:
    controlled = make(probe_failures=2)
    controlled.until_ready()
    controlled.reconcile_later()
    controlled.judged.server.failure = ConnectError("refused")

    controlled.reconcile_later()
    assert (controlled.told(), controlled.is_usable()) == ("ClusterReady", True)
    controlled.reconcile_later()

    assert (controlled.told(), controlled.is_usable()) == ("Unreachable", False)
    assert controlled.hub.events == ["Warning Unreachable"]


def test_the_first_failure_after_a_start_is_a_judgement_although_the_status_has_some_patience(make: Make) -> None:
    first = make()
    first.until_ready()
    second = make(first.hub)
    second.judged.server.failure = ConnectError("refused")

    second.reconcile()
    second.reconcile()

    assert second.told() == "ClusterReady"
    assert second.judged.remotes.is_judged("uid-1")
    assert not second.is_usable()


def test_a_kubeconfig_that_was_replaced_is_not_used_for_a_moment_and_the_new_one_is_told(make: Make) -> None:
    controlled = make()
    controlled.until_ready()
    controlled.hub._write({"spec": {"clientConfig": kubeconfig("second")}, "metadata": {"generation": 2}})
    assert not controlled.is_usable()

    controlled.reconcile()
    controlled.judged.stage.time.wait_until_idle()
    for _ in range(3):
        controlled.reconcile()

    assert controlled.is_usable()
    assert controlled.hub.events == ["Normal ClientConfigRotated"]


def test_an_identity_that_cannot_be_known_is_told_once(make: Make) -> None:
    controlled = make()
    controlled.judged.server.cluster_id = ""

    controlled.until_ready()
    for _ in range(3):
        controlled.reconcile_later()

    assert controlled.is_usable()
    assert controlled.hub.events == ["Warning IdentityUnknown"]


def test_a_deletion_waits_for_an_instance_that_only_the_server_knows(make: Make) -> None:
    controlled = make()
    controlled.until_ready()
    controlled.hub.living = [an_instance("newest")]
    controlled.hub.edit(deletionTimestamp=DEFAULT_START.isoformat().replace("+00:00", "Z"))

    controlled.reconcile()
    controlled.reconcile()

    hub = controlled.hub
    assert hub.cluster is not None
    blocked = find_condition(hub.cluster.status.conditions, "DeletionBlocked")
    assert blocked is not None
    assert (blocked.status, blocked.reason) == ("True", "InstancesPresent")
    assert "tenant/newest" in blocked.message
    assert hub.events == ["Warning DeletionBlocked"]
    # Its Instance must be cleaned up there.
    assert controlled.is_usable()

    hub.living = []
    controlled.reconcile()
    assert hub.cluster.metadata.finalizers == []
    assert not controlled.is_usable()
    assert len(controlled.judged.stage.clusters) == 0


def test_a_cluster_without_spec_is_told_and_can_be_deleted(make: Make) -> None:
    controlled = make()
    controlled.hub.cluster = Cluster(metadata=ObjectMeta(name="east-1", namespace="laf-system", uid="uid-1"))

    result = controlled.reconcile()

    assert controlled.told() == "SpecMissing"
    assert result == Result.await_change()
    assert controlled.judged.remotes.is_judged("uid-1")
    controlled.hub.edit(deletionTimestamp=DEFAULT_START.isoformat().replace("+00:00", "Z"))
    controlled.reconcile()
    assert controlled.hub.cluster.metadata.finalizers == []
