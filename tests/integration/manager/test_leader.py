"""Leader election between real processes' worth of electors on the real API server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.coordination.v1 import Lease
from apis.meta import Key, Request
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions
from framework.manager import LeaderElector, LeaderOptions
from framework.manager.leader import LeaderMetrics
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay

# A busy machine must not cost anybody the lease: between a renewal and its deadline are seconds.
FAST = LeaderOptions(lease_seconds=4.0, renew_deadline_seconds=3.0, retry_seconds=0.2)
LIMIT_SECONDS = 30.0


class Electors:
    """Candidates for one lease, and a watchman who sees whether two of them ever lead at once."""

    def __init__(self, plane: ControlPlane, namespace: str, folder: Path) -> None:
        self._plane = plane
        self._folder = folder
        self.key = Key(namespace, "lease")
        self._electors: dict[str, LeaderElector] = {}
        self._clients: list[Client] = []
        self.crowds: list[list[str]] = []
        self._ended = ThreadRuntime().event()
        self._watchman = ThreadRuntime().spawn("watchman", self._watch)

    def start(self, identity: str, *, through: Relay | None = None) -> LeaderElector:
        kubeconfig = through.kubeconfig(self._folder, self._plane.token) if through else self._plane.kubeconfig
        client = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))
        self._clients.append(client)
        elector = LeaderElector(
            client,
            self.key,
            identity,
            clock=SystemClock(),
            runtime=ThreadRuntime(),
            random=system_random(),
            metrics=LeaderMetrics(CollectorRegistry()),
            options=FAST,
        )
        self._electors[identity] = elector
        elector.start()
        return elector

    @property
    def leaders(self) -> list[str]:
        return [identity for identity, elector in list(self._electors.items()) if elector.leading.is_set()]

    def stop(self) -> None:
        for elector in self._electors.values():
            elector.stop()
        self._ended.set()
        self._watchman.join(5)
        for client in self._clients:
            client.connection.close()

    def _watch(self) -> None:
        while not self._ended.wait(0.002):
            leaders = self.leaders
            if len(leaders) > 1:
                self.crowds.append(leaders)


@pytest.fixture
def electors(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[Electors]:
    made = Electors(control_plane, namespace, tmp_path)
    yield made
    made.stop()
    assert made.crowds == []


@pytest.fixture
def lease(client: Client, namespace: str) -> Callable[[], Any]:
    return lambda: client.get(Lease, Key(namespace, "lease")).spec


def leads(electors: Electors, identity: str) -> None:
    assert wait_until(lambda: electors.leaders == [identity], limit_seconds=LIMIT_SECONDS)


def test_handovers_by_release_never_make_two_leaders_and_are_counted(electors: Electors, lease: Any) -> None:
    leader, standby = "a-0", "b-0"
    electors.start(leader)
    leads(electors, leader)
    electors.start(standby)

    for handover in range(1, 6):
        electors._electors[leader].stop()
        leads(electors, standby)
        leader, standby = standby, f"{leader[0]}-{handover}"
        electors.start(standby)

    assert lease().holder_identity == leader
    assert lease().lease_transitions == 5


def test_a_released_lease_names_nobody(electors: Electors, lease: Any) -> None:
    leader = electors.start("a")
    leads(electors, "a")

    leader.stop()

    assert not lease().holder_identity


def test_a_leader_that_is_cut_off_loses_to_another_and_can_lead_again(
    electors: Electors, relay: Relay, lease: Any
) -> None:
    electors.start("cut-off", through=relay)
    leads(electors, "cut-off")
    other = electors.start("other")

    relay.freeze()
    leads(electors, "other")
    relay.restore()
    other.stop()

    leads(electors, "cut-off")
    assert lease().lease_transitions == 2


def test_a_lease_deleted_by_hand_stays_with_its_leader(
    electors: Electors, client: Client, lease: Any, eventually: Any
) -> None:
    electors.start("a")
    leads(electors, "a")
    electors.start("b")
    # The standby has seen who leads.
    assert wait_until(lambda: electors._electors["b"]._lease.holder == "a", limit_seconds=LIMIT_SECONDS)

    client.delete(Lease, electors.key)
    eventually(lambda: is_there(client, electors.key))

    leads(electors, "a")
    assert lease().holder_identity == "a"


def is_there(client: Client, key: Key) -> bool:
    return bool([found for found in client.list(Lease, key.namespace) if found.key == key])


def test_a_holder_written_by_hand_is_respected_until_it_expires(
    electors: Electors, client: Client, eventually: Any
) -> None:
    electors.start("a")
    leads(electors, "a")

    client.merge_patch(Lease, electors.key, {"spec": {"holderIdentity": "operator"}})

    eventually(lambda: electors.leaders == [])
    leads(electors, "a")


def test_a_manager_gives_its_lease_up_only_after_its_reconciles_have_ended(
    managers: Any, recorder: Any, event: Any, namespace: str, client: Client
) -> None:
    started, stopping, holders = event(), event(), []

    def work(_request: Request) -> None:
        started.set()
        stopping.wait(LIMIT_SECONDS)
        holders.append(client.get(Lease, Key(namespace, "lease")).spec.holder_identity)

    manager = managers.make(lease=Key(namespace, "lease"), leader=FAST, identity="me")
    manager.add_controller("maps", recorder(work), []).enqueue(Request(Key(namespace, "a")))
    manager.before_stop(lambda _: stopping.set())
    manager.start()
    assert started.wait(LIMIT_SECONDS)

    assert manager.stop()

    assert holders == ["me"]
    assert not client.get(Lease, Key(namespace, "lease")).spec.holder_identity


def test_a_manager_whose_reconcile_hangs_keeps_its_lease_until_it_runs_out(
    managers: Any, recorder: Any, event: Any, namespace: str, client: Client
) -> None:
    started, hang = event(), event()
    manager = managers.make(lease=Key(namespace, "lease"), leader=FAST, identity="me", grace_period_seconds=0.3)
    work = recorder(lambda _: (started.set(), hang.wait(30)))
    manager.add_controller("maps", work, []).enqueue(Request(Key(namespace, "a")))
    manager.start()
    assert started.wait(LIMIT_SECONDS)

    assert not manager.stop()

    assert client.get(Lease, Key(namespace, "lease")).spec.holder_identity == "me"
    hang.set()


def test_work_stops_when_the_lease_is_lost_and_goes_on_when_it_is_back(
    managers: Any, recorder: Any, relay: Relay, namespace: str, eventually: Any
) -> None:
    manager = managers.make(through=relay, lease=Key(namespace, "lease"), leader=FAST)
    leaders_work, everybodys_work = recorder(), recorder()
    guarded = manager.add_controller("guarded", leaders_work, [])
    free = manager.add_controller("free", everybodys_work, [], ControllerOptions(needs_leader=False))
    manager.start()
    eventually(manager.elector.leading.is_set)

    relay.freeze()
    eventually(lambda: not manager.elector.leading.is_set())
    for controller in (guarded, free):
        controller.enqueue(Request(Key(namespace, "a")))
    eventually(lambda: everybodys_work.seen == ["a"])
    assert leaders_work.seen == []

    relay.restore()
    eventually(lambda: leaders_work.seen == ["a"])
