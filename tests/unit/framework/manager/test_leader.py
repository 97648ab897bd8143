"""Leader election in virtual time, over the real client, against a Lease server in memory."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.meta import Key
from framework.client import Client, Connection, HttpRequest, HttpResponse, StaticCredentials
from framework.client.credentials import ClusterAddress
from framework.clock import Clock
from framework.errors import ConfigurationError, TimedOut
from framework.manager import LeaderElector, LeaderOptions
from framework.manager.leader import LeaderMetrics
from framework.manager.leadership import Leadership
from framework.testing.virtual_time import VirtualTime

LEASE = Key("kube-system", "windlass")
Fault = Callable[[HttpRequest], HttpResponse | None]


class LeaseServer:
    """The Transport of every candidate: one Lease with resourceVersions, and a fault where one is wanted."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._version = 0
        self.lease: dict[str, Any] | None = None
        self.requests: list[HttpRequest] = []
        self.faults: dict[str, Fault] = {}

    def transport(self, identity: str) -> "_Transport":
        return _Transport(self, identity)

    def answer(self, identity: str, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        fault = self.faults.get(identity)
        answer = fault(request) if fault else None
        return answer or self._serve(request)

    def hang(self, request: HttpRequest) -> HttpResponse:
        """Take as long as the client allows, and give no answer."""
        self._time.clock.wait(request.timeouts.total_seconds or 0.0)
        raise TimedOut("no answer")

    def edit(self, **spec: Any) -> None:
        """As somebody with kubectl does."""
        assert self.lease is not None
        self.lease.setdefault("spec", {}).update(spec)
        self._touch()

    @property
    def spec(self) -> dict[str, Any]:
        assert self.lease is not None
        return dict(self.lease["spec"])

    def _serve(self, request: HttpRequest) -> HttpResponse:
        if request.method == "POST":
            return self._create(json.loads(request.body or b""))
        if self.lease is None:
            return status(404, "NotFound")
        if request.method == "PATCH":
            return self._patch(json.loads(request.body or b""))
        return self._answer()

    def _create(self, lease: dict[str, Any]) -> HttpResponse:
        if self.lease is not None:
            return status(409, "AlreadyExists")
        self.lease = lease
        self._touch()
        return self._answer()

    def _patch(self, patch: dict[str, Any]) -> HttpResponse:
        assert self.lease is not None
        wanted = patch["metadata"]["resourceVersion"]
        if wanted != self.lease["metadata"]["resourceVersion"]:
            return status(409, "Conflict")
        self.edit(**patch["spec"])
        return self._answer()

    def _touch(self) -> None:
        assert self.lease is not None
        self._version += 1
        self.lease["metadata"]["resourceVersion"] = str(self._version)

    def _answer(self) -> HttpResponse:
        return HttpResponse(200, {}, json.dumps(self.lease).encode())


class _Transport:
    def __init__(self, server: LeaseServer, identity: str) -> None:
        self._server = server
        self._identity = identity

    def exchange(self, request: HttpRequest, **_: Any) -> HttpResponse:
        return self._server.answer(self._identity, request)

    def close(self) -> None:
        pass


class ShiftedClock:
    """The same time, but a wall clock that goes wrong."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.shift = timedelta()

    def now(self) -> datetime:
        return self._clock.now() + self.shift

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def wait(self, seconds: float) -> None:
        self._clock.wait(seconds)


class FixedRandom:
    def __init__(self, value: float) -> None:
        self.value = value

    def random(self) -> float:
        return self.value

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.value

    def getrandbits(self, k: int, /) -> int:
        return k


class Candidates:
    """Makes electors and sees that no two of them lead at the same time."""

    def __init__(self, time: VirtualTime, server: LeaseServer) -> None:
        self._time = time
        self._server = server
        self.clock = ShiftedClock(time.clock)
        self.registry: dict[str, CollectorRegistry] = {}
        self.electors: dict[str, LeaderElector] = {}
        self.random = FixedRandom(0.0)

    def start(self, identity: str, *, options: LeaderOptions | None = None) -> LeaderElector:
        self.registry[identity] = CollectorRegistry()
        connection = Connection(
            StaticCredentials(ClusterAddress("https://fake")),
            make_transport=lambda _: self._server.transport(identity),
            clock=self._time.clock,
            runtime=self._time.runtime,
            random=self.random,
            user_agent="test",
        )
        elector = LeaderElector(
            Client(connection),
            LEASE,
            identity,
            clock=self.clock,
            runtime=self._time.runtime,
            random=self.random,
            metrics=LeaderMetrics(self.registry[identity]),
            options=options,
        )
        self.electors[identity] = elector
        elector.start()
        self._time.wait_until_idle()
        return elector

    @property
    def leaders(self) -> list[str]:
        return [identity for identity, elector in self.electors.items() if elector.leading.is_set()]

    def advance(self, seconds: float) -> None:
        """Let time pass in small steps; at each of them at most one leads."""
        for _ in range(round(seconds * 10)):
            self._time.advance(0.1)
            assert len(self.leaders) <= 1

    def status(self, identity: str) -> float | None:
        name = "leader_election_master_status"
        return self.registry[identity].get_sample_value(name, {"name": LEASE.name})

    def stop(self) -> None:
        for elector in self.electors.values():
            elector.stop(release=False, timeout=0)
        self._time.advance(60)


def status(code: int, reason: str, message: str = "") -> HttpResponse:
    body = {"kind": "Status", "code": code, "reason": reason, "message": message or reason}
    return HttpResponse(code, {}, json.dumps(body).encode())


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def server(time: VirtualTime) -> LeaseServer:
    return LeaseServer(time)


@pytest.fixture
def candidates(time: VirtualTime, server: LeaseServer) -> Iterator[Candidates]:
    made = Candidates(time, server)
    yield made
    made.stop()


def test_the_numbers_are_those_of_client_go() -> None:
    options = LeaderOptions()

    assert (options.lease_seconds, options.renew_deadline_seconds, options.retry_seconds) == (15, 10, 2)


@pytest.mark.parametrize(("lease", "deadline", "retry"), [(10, 10, 2), (15, 2.4, 2), (15, 10, 0), (15, 10, -1)])
def test_numbers_that_cannot_keep_the_promise_are_refused(lease: float, deadline: float, retry: float) -> None:
    with pytest.raises(ConfigurationError, match="lease duration > renew deadline"):
        LeaderOptions(lease, deadline, retry)


def test_a_lease_that_does_not_exist_is_created_and_led(server: LeaseServer, candidates: Candidates) -> None:
    candidates.start("a")

    assert candidates.leaders == ["a"]
    assert candidates.status("a") == 1
    assert server.spec["holderIdentity"] == "a"
    assert server.spec["leaseDurationSeconds"] == 15
    assert server.spec["leaseTransitions"] == 0
    assert server.spec["acquireTime"] == server.spec["renewTime"] == "2026-01-01T00:00:00.000000Z"


def test_a_leader_renews_every_retry_period_with_one_request(server: LeaseServer, candidates: Candidates) -> None:
    candidates.start("a")
    server.requests.clear()

    candidates.advance(20)

    assert [request.method for request in server.requests] == ["PATCH"] * 10
    assert server.spec["renewTime"] == "2026-01-01T00:00:20.000000Z"
    assert server.spec["acquireTime"] == "2026-01-01T00:00:00.000000Z"
    assert server.spec["leaseTransitions"] == 0


@pytest.mark.parametrize(("drawn", "pause"), [(0.0, 2.0), (0.5, 3.2), (0.999999, 4.4)])
def test_a_candidate_pauses_for_one_to_2_2_retry_periods(
    server: LeaseServer, candidates: Candidates, time: VirtualTime, drawn: float, pause: float
) -> None:
    candidates.start("a")
    candidates.random.value = drawn
    server.requests.clear()
    candidates.start("b")
    asked = [0.0]

    for _ in range(500):
        before = sum(request.method == "GET" for request in server.requests)
        time.advance(0.01)
        if sum(request.method == "GET" for request in server.requests) > before:
            asked.append(time.clock.monotonic())

    assert asked[1] - asked[0] == pytest.approx(pause, abs=0.02)


def test_a_live_lease_is_never_taken(candidates: Candidates) -> None:
    candidates.start("a")
    candidates.start("b")

    candidates.advance(300)

    assert candidates.leaders == ["a"]
    assert candidates.status("b") == 0


def test_a_lease_is_taken_when_it_was_seen_unchanged_for_its_whole_duration(
    server: LeaseServer, candidates: Candidates
) -> None:
    server.lease = a_lease("gone", renew_time="1999-01-01T00:00:00.000000Z", transitions=4)
    candidates.start("a")

    candidates.advance(15)
    assert candidates.leaders == []
    candidates.advance(2.2)

    assert candidates.leaders == ["a"]
    assert server.spec["holderIdentity"] == "a"
    assert server.spec["leaseTransitions"] == 5


def test_the_duration_in_the_lease_counts_and_not_our_own(server: LeaseServer, candidates: Candidates) -> None:
    server.lease = a_lease("gone", duration=60)
    candidates.start("a")

    candidates.advance(59)
    assert candidates.leaders == []
    candidates.advance(5)

    assert candidates.leaders == ["a"]


@pytest.mark.parametrize("hours", [-1000, 1000])
def test_a_wall_clock_that_jumps_changes_nothing(candidates: Candidates, hours: int) -> None:
    candidates.start("a")
    candidates.start("b")
    candidates.advance(5)

    candidates.clock.shift = timedelta(hours=hours)
    candidates.advance(60)

    assert candidates.leaders == ["a"]


def test_a_released_lease_is_taken_at_the_next_look(server: LeaseServer, candidates: Candidates) -> None:
    server.lease = a_lease("", duration=1, transitions=2)

    candidates.start("a")

    assert candidates.leaders == ["a"]
    assert server.spec["leaseTransitions"] == 3


def test_a_stop_releases_the_lease_and_another_leads_at_its_next_look(
    server: LeaseServer, candidates: Candidates
) -> None:
    leader = candidates.start("a")
    candidates.start("b")

    leader.stop()

    assert candidates.leaders == []
    assert server.spec["holderIdentity"] == ""
    candidates.advance(2.1)
    assert candidates.leaders == ["b"]


def test_a_stop_without_release_lets_the_lease_run_out(server: LeaseServer, candidates: Candidates) -> None:
    leader = candidates.start("a")
    candidates.start("b")

    leader.stop(release=False)

    assert candidates.leaders == []
    assert server.spec["holderIdentity"] == "a"
    candidates.advance(14)
    assert candidates.leaders == []
    candidates.advance(5)
    assert candidates.leaders == ["b"]


def test_a_stop_releases_even_after_a_foreign_write(server: LeaseServer, candidates: Candidates) -> None:
    leader = candidates.start("a")
    server.edit()

    leader.stop()

    assert server.spec["holderIdentity"] == ""


def test_a_stopped_candidate_does_not_release_the_lease_of_another(server: LeaseServer, candidates: Candidates) -> None:
    candidates.start("a")
    standby = candidates.start("b")

    standby.stop()

    assert server.spec["holderIdentity"] == "a"


@pytest.mark.parametrize("how", ["hang", "refuse", "break", "throttle"])
def test_who_cannot_renew_stops_to_lead_at_the_renew_deadline(
    server: LeaseServer, candidates: Candidates, how: str
) -> None:
    def refuse(_request: HttpRequest) -> HttpResponse:
        return status(500, "InternalError")

    def break_off(_request: HttpRequest) -> HttpResponse:
        raise OSError("nobody expects this")

    def throttle(_request: HttpRequest) -> HttpResponse:
        # As long as the client accepts: longer than the renew deadline.
        return HttpResponse(429, {"retry-after": "30"}, b"")

    candidates.start("a")
    candidates.start("b")
    candidates.advance(4)
    server.faults["a"] = {"hang": server.hang, "refuse": refuse, "break": break_off, "throttle": throttle}[how]

    # Renewed last at second 4.
    candidates.advance(9.9)
    assert candidates.leaders == ["a"]
    candidates.advance(0.2)

    assert candidates.leaders == []
    assert candidates.status("a") == 0
    candidates.advance(10)
    assert candidates.leaders == ["b"]


def test_who_lost_the_lease_goes_on_as_candidate_and_can_lead_again(
    server: LeaseServer, candidates: Candidates
) -> None:
    candidates.start("a")
    candidates.start("b")
    server.faults["a"] = server.hang
    candidates.advance(30)
    assert candidates.leaders == ["b"]

    del server.faults["a"]
    server.faults["b"] = server.hang
    candidates.advance(40)

    assert candidates.leaders == ["a"]
    assert server.spec["leaseTransitions"] == 2


def test_an_outage_shorter_than_the_renew_deadline_costs_nothing(server: LeaseServer, candidates: Candidates) -> None:
    candidates.start("a")
    server.faults["a"] = server.hang

    candidates.advance(7)
    del server.faults["a"]
    candidates.advance(30)

    assert candidates.leaders == ["a"]
    assert server.spec["leaseTransitions"] == 0


def test_a_leader_renews_also_when_the_answer_to_a_write_was_lost(server: LeaseServer, candidates: Candidates) -> None:
    def lose_the_answer(request: HttpRequest) -> HttpResponse:
        server._serve(request)
        raise TimedOut("the answer was lost")

    candidates.start("a")
    server.faults["a"] = lose_the_answer
    candidates.advance(3)
    del server.faults["a"]
    candidates.advance(30)

    assert candidates.leaders == ["a"]
    assert server.spec["leaseTransitions"] == 0


def test_a_lease_deleted_under_its_leader_is_created_again_by_that_leader(
    server: LeaseServer, candidates: Candidates
) -> None:
    leader_and_candidate_out_of_step(candidates)

    server.lease = None
    # The candidate looks first, at second 5, and leaves it alone; the leader renews at second 6.
    candidates.advance(2)

    assert server.spec["holderIdentity"] == "a"
    candidates.advance(30)
    assert candidates.leaders == ["a"]


def test_a_lease_deleted_after_its_leader_died_is_created_by_another(
    server: LeaseServer, candidates: Candidates
) -> None:
    leader = candidates.start("a")
    candidates.start("b")
    leader.stop(release=False)

    server.lease = None
    candidates.advance(20)

    assert candidates.leaders == ["b"]


def test_another_holder_written_by_hand_ends_the_leadership_at_the_next_renewal(
    server: LeaseServer, candidates: Candidates
) -> None:
    candidates.start("a")

    server.edit(holderIdentity="operator")
    candidates.advance(2.1)
    assert candidates.leaders == []
    candidates.advance(20)

    # The operator does not renew.
    assert candidates.leaders == ["a"]


def test_a_holder_wiped_out_by_hand_does_not_make_two_leaders(server: LeaseServer, candidates: Candidates) -> None:
    leader_and_candidate_out_of_step(candidates)

    server.edit(holderIdentity="")
    # The candidate looks first, at second 5, and leaves it alone; the leader renews at second 6.
    candidates.advance(2)

    assert server.spec["holderIdentity"] == "a"
    candidates.advance(30)
    assert candidates.leaders == ["a"]


def leader_and_candidate_out_of_step(candidates: Candidates) -> None:
    """At second 4.5: one renews at every even second, the other looks at every odd one."""
    candidates.start("a")
    candidates.advance(1)
    candidates.start("b")
    candidates.advance(3.5)
    assert candidates.leaders == ["a"]


def test_an_empty_lease_made_by_hand_is_taken(server: LeaseServer, candidates: Candidates) -> None:
    server.lease = {"metadata": {"name": LEASE.name, "resourceVersion": "1"}}

    candidates.start("a")

    assert candidates.leaders == ["a"]


def test_missing_rights_are_visible_as_a_problem_until_they_are_given(
    server: LeaseServer, candidates: Candidates
) -> None:
    server.faults["a"] = lambda _: status(403, "Forbidden", 'leases "windlass" is forbidden')
    elector = candidates.start("a")
    refusal = elector.problem
    assert refusal == 'leases "windlass" is forbidden'

    del server.faults["a"]
    candidates.advance(3)

    assert elector.problem is None
    assert candidates.leaders == ["a"]


def test_a_conflict_is_no_problem(server: LeaseServer, candidates: Candidates) -> None:
    elector = candidates.start("a")

    server.edit(note="a foreign write")
    candidates.advance(2.1)

    assert elector.problem is None
    assert candidates.leaders == ["a"]
    name = "leader_election_slowpath_total"
    assert candidates.registry["a"].get_sample_value(name, {"name": LEASE.name}) == 1


def test_a_duration_with_a_fraction_is_written_rounded_up(server: LeaseServer, candidates: Candidates) -> None:
    candidates.start("a", options=LeaderOptions(2.5, 2.4, 0.5))

    assert server.spec["leaseDurationSeconds"] == 3


def test_a_candidate_looks_at_the_moment_when_the_lease_it_saw_runs_out(
    server: LeaseServer, candidates: Candidates, time: VirtualTime
) -> None:
    candidates.random.value = 1.0
    candidates.start("a")
    standby = candidates.start("b")
    # Looks every 4.4 s.
    candidates.advance(20)
    server.faults["a"] = server.hang
    candidates.advance(10)
    seen_at = standby._lease._since

    time.advance(seen_at + 15.0 - time.clock.monotonic())
    assert not standby.leading.is_set()
    time.advance(0.01)

    assert standby.leading.is_set()


def test_leadership_is_over_when_its_time_is_even_if_nobody_ends_it(time: VirtualTime) -> None:
    leadership = Leadership(time.clock, time.runtime)
    leadership.hold_until(10)
    assert leadership.is_set()

    time.advance(10)

    assert not leadership.is_set()
    assert not leadership.wait(0)


def test_waiting_for_a_leadership_that_ran_out_does_block(time: VirtualTime) -> None:
    leadership = Leadership(time.clock, time.runtime)
    leadership.hold_until(10)
    time.advance(10)
    waits: list[float] = []

    def wait_twice() -> None:
        for _ in range(2):
            leadership.wait(0.5)
            waits.append(time.clock.monotonic())

    time.runtime.spawn("waiter", wait_twice)
    time.advance(1)

    # Whoever polls in a loop must not spin.
    assert waits[1] - waits[0] == pytest.approx(0.5)


def a_lease(
    holder: str, *, duration: int = 15, transitions: int = 0, renew_time: str = "2026-01-01T00:00:00.000000Z"
) -> dict[str, Any]:
    spec = {
        "holderIdentity": holder,
        "leaseDurationSeconds": duration,
        "leaseTransitions": transitions,
        "renewTime": renew_time,
    }
    return {"metadata": {"name": LEASE.name, "namespace": LEASE.namespace, "resourceVersion": "1"}, "spec": spec}
