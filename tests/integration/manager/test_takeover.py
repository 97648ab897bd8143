"""From one leader to the next, on the real API server."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from apis.coordination.v1 import Lease
from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Primary
from framework.errors import LeadershipLost, WindlassError
from framework.informers import SharedInformer
from framework.manager import LeaderOptions, Manager
from framework.manager.acted_upon import ANNOTATION
from framework.reconcile import Result
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Fault, Match, Relay, Respond, Stall

# A busy machine must not cost anybody the lease: between a renewal and its deadline are seconds.
FAST = LeaderOptions(lease_seconds=4.0, renew_deadline_seconds=3.0, retry_seconds=0.2)
LIMIT_SECONDS = 60.0


class Function:
    """A reconciler that is a function, and remembers the names it was called with."""

    def __init__(self, function: Callable[[Request], object] = lambda _: None) -> None:
        self._function = function
        self.seen: list[str] = []

    def reconcile(self, request: Request) -> Result:
        self.seen.append(request.name)
        self._function(request)
        return Result.await_change()


class Stage:
    """Managers that want one lease, one of them behind a relay, and a ConfigMap."""

    def __init__(self, managers: Any, relay: Relay, client: Client, namespace: str) -> None:
        self._managers = managers
        self.relay = relay
        self.client = client
        self.namespace = namespace
        self.lease = Key(namespace, "lease")
        self.key = Key(namespace, "a")
        client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=namespace)))

    def manager(self, *, through: Relay | None = None) -> Manager:
        made: Manager = self._managers.make(through=through, lease=self.lease, leader=FAST)
        return made

    def follow(self, manager: Manager, work: Function) -> SharedInformer[ConfigMap]:
        informer = manager.informer(ConfigMap)
        manager.add_controller("maps", work, [Primary(informer)], ControllerOptions(max_concurrent_reconciles=1))
        return informer

    def start_with(self, write: Callable[[Manager], object]) -> None:
        """Start a manager behind the relay whose only reconcile is *write*, which hangs in the relay."""
        manager = self.manager(through=self.relay)
        self.relay.inject(Fault(Match(method="PATCH", path="/configmaps/a$"), Stall(before_headers=True)))
        manager.add_controller("maps", Function(lambda _: write(manager)), []).enqueue(Request(self.key))
        manager.start()
        self.relay.wait_for(lambda request: request.method == "PATCH" and request.path.endswith("/configmaps/a"))

    def lease_writes(self) -> int:
        return self.relay.count(lambda request: request.method == "PATCH" and "/leases/" in request.path)

    def recorded(self) -> Any:
        return json.loads(self.client.get(Lease, self.lease).metadata.annotations[ANNOTATION])


@pytest.fixture
def stage(managers: Any, relay: Relay, client: Client, namespace: str) -> Stage:
    return Stage(managers, relay, client, namespace)


def eventually(condition: Callable[[], Any]) -> None:
    assert wait_until(lambda: bool(condition()), limit_seconds=LIMIT_SECONDS)


def test_a_new_leader_whose_watch_has_fallen_silent_reads_again_before_it_acts(stage: Stage) -> None:
    # The controller manager makes one as well; and there is the bookmark that ends the initial state.
    eventually(lambda: len(stage.client.list(ConfigMap, stage.namespace)) == 2)
    stage.relay.inject(Fault(Match(path="/configmaps$", query={"watch": "true"}), Stall(after_events=3)))
    first, second = stage.manager(), stage.manager(through=stage.relay)
    first_work, seen = Function(), list[tuple[str, str]]()
    stage.follow(first, first_work)
    first.start()
    eventually(lambda: first_work.seen.count("a") == 1)

    def look(request: Request) -> None:
        found = informer.lister.get(request.key)
        seen.append((request.name, found.data.get("text", "") if found else "gone"))

    informer = stage.follow(second, Function(look))
    second.start()
    eventually(lambda: informer.has_synced)

    changed = stage.client.merge_patch(ConfigMap, stage.key, {"data": {"text": "2"}})
    version = int(changed.metadata.resource_version)
    eventually(lambda: first_work.seen.count("a") == 2)
    assert informer.version < version
    first.stop()
    eventually(lambda: ("a", "2") in seen)

    assert set(seen) <= {("a", "2"), ("kube-root-ca.crt", "")}
    assert stage.recorded()["configmaps"] >= version


def test_a_write_that_hangs_is_cut_off_when_the_lease_is_lost(stage: Stage) -> None:
    outcome: list[tuple[WindlassError, float]] = []
    clock = SystemClock()

    def write(manager: Manager) -> None:
        started = clock.monotonic()
        try:
            manager.client_for("maps").merge_patch(ConfigMap, stage.key, {"data": {"text": "2"}})
        except WindlassError as error:
            outcome.append((error, clock.monotonic() - started))
            raise

    stage.start_with(write)
    stage.relay.inject(Fault(Match(path="/leases"), Respond(500), times=None))
    eventually(lambda: outcome)

    assert isinstance(outcome[0][0], LeadershipLost)
    # And not after the minute that a write may take.
    assert outcome[0][1] < 15


def test_a_write_may_take_longer_than_the_lease_as_long_as_that_is_renewed(stage: Stage) -> None:
    outcome: list[ConfigMap] = []

    def write(manager: Manager) -> None:
        outcome.append(manager.client_for("maps").merge_patch(ConfigMap, stage.key, {"data": {"text": "2"}}))

    stage.start_with(write)
    enough = stage.lease_writes() + 2 * FAST.lease_seconds / FAST.retry_seconds
    eventually(lambda: stage.lease_writes() > enough)
    assert not outcome
    stage.relay.release()
    eventually(lambda: outcome)

    assert outcome[0].data["text"] == "2"
