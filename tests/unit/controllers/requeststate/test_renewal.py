"""Claims are kept alive while jobs run, and given up in time when they cannot be."""

from datetime import timedelta
from typing import Any, cast

import msgspec
import pytest

from apis.requeststate.v1 import State
from controllers.requeststate.claims import ClaimObserver, new_claim
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.renewal import ClaimRenewal
from framework.clock import Clock
from framework.errors import TransportError
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import KEY, NOW, OLD, FakeServer, a_request, an_entry

CLAIM_SECONDS = 30.0


class JumpingClock:
    """Its wall clock goes where it likes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.offset = timedelta()

    def now(self) -> Any:
        return self._clock.now() + self.offset

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def wait(self, seconds: float) -> None:
        self._clock.wait(seconds)


class Holding:
    """A worker that holds one claim and renews it."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.clock = JumpingClock(self.time.clock)
        claim = new_claim("me", NOW)
        self.server = FakeServer(a_request(state=State.STARTED, history=[an_entry()], claim=claim))
        self.claims = HeldClaims(CLAIM_SECONDS, clock=self.clock, runtime=self.time.runtime)
        self.renewal = ClaimRenewal(
            cast("Any", self.server), "me", self.claims, clock=self.clock, runtime=self.time.runtime
        )
        self.held: HeldClaim = self.claims.hold(self.server.request, self.clock.monotonic())
        self.renewal.start()

    @property
    def renewals(self) -> int:
        return self.server.writes.count("renew")


@pytest.fixture
def holding() -> Holding:
    return Holding()


def test_a_claim_is_renewed_every_third_of_its_duration(holding: Holding) -> None:
    holding.time.advance(9.9)
    assert holding.renewals == 0

    holding.time.advance(50.2)

    assert holding.renewals == 6
    assert not holding.held.is_set()


def test_a_claim_that_is_not_due_is_not_renewed_together_with_one_that_is(holding: Holding) -> None:
    second = msgspec.structs.replace(
        holding.server.request, metadata=msgspec.structs.replace(holding.server.request.metadata, name="second")
    )
    holding.server.objects[second.metadata.key] = msgspec.to_builtins(second)
    holding.time.advance(5.0)
    holding.claims.hold(second, holding.clock.monotonic())

    holding.time.advance(5.0)
    at_ten_seconds = holding.renewals
    holding.time.advance(5.0)

    assert (at_ten_seconds, holding.renewals) == (1, 2)


def test_a_wall_clock_that_jumps_changes_nothing(holding: Holding) -> None:
    for days in (-400, 400):
        holding.clock.offset = timedelta(days=days)
        holding.time.advance(60.0)

    assert not holding.held.is_set()
    assert holding.renewals == 12


def test_a_claim_that_cannot_be_renewed_is_tried_again_and_ends_the_job_in_time(holding: Holding) -> None:
    holding.server.fail_before.update(range(1, 100))

    holding.time.advance(CLAIM_SECONDS - 0.1)
    is_alive_just_before = not holding.held.is_set()
    holding.time.advance(0.1)

    assert is_alive_just_before
    assert holding.held.is_set()
    assert holding.renewals > 2


def test_a_renewal_that_hangs_does_not_keep_the_job_from_ending(holding: Holding) -> None:
    hang = holding.time.runtime.event()

    def hanging(*_arguments: object, **_options: object) -> Any:
        hang.wait()
        raise TransportError("too late")

    holding.server.json_patch = hanging  # type: ignore[method-assign] # a server that does not answer
    ended: list[float] = []

    def job() -> None:
        holding.held.wait()
        ended.append(holding.clock.monotonic())

    holding.time.runtime.spawn("job", job)
    holding.time.advance(CLAIM_SECONDS + 1)

    assert ended == [CLAIM_SECONDS]
    assert not holding.claims.is_valid(holding.held)


def test_a_renewal_makes_the_job_wait_on(holding: Holding) -> None:
    outcome: list[bool] = []
    holding.time.runtime.spawn("job", lambda: outcome.append(holding.held.wait(100.0)))

    holding.time.advance(100.0)

    assert outcome == [False]


def test_a_claim_removed_by_hand_is_put_back_with_the_time_it_was_got(holding: Holding) -> None:
    before = holding.server.request.status.claim
    holding.server.edit_status(claim=None)

    holding.time.advance(10.0)

    claim = holding.server.request.status.claim
    assert before is not None
    assert claim is not None
    assert (claim.worker, claim.acquire_time) == ("me", before.acquire_time)
    assert not holding.held.is_set()


def test_a_claim_that_another_has_got_ends_the_job(holding: Holding) -> None:
    holding.server.edit_status(claim={"worker": "another", "acquireTime": OLD, "renewTime": OLD})

    holding.time.advance(10.0)

    assert holding.held.is_set()
    claim = holding.server.request.status.claim
    assert claim is not None
    assert claim.worker == "another"


def test_a_claim_on_an_object_that_is_gone_ends_the_job(holding: Holding) -> None:
    del holding.server.objects[KEY]

    holding.time.advance(10.0)

    assert holding.held.is_set()
    assert holding.claims.get(KEY) is None


def test_a_claim_that_went_with_the_outcome_is_not_put_back(holding: Holding) -> None:
    outcome = {"job": "JOB1", "state": "COMPLETED", "timestamp": OLD}
    holding.server.edit_status(claim=None, history=[outcome])

    holding.time.advance(60.0)

    assert holding.server.request.status.claim is None
    assert holding.claims.get(KEY) is not None


def test_nothing_is_renewed_after_the_end(holding: Holding) -> None:
    holding.renewal.close()

    holding.time.advance(60.0)

    assert holding.renewals == 0
    assert holding.time.blocked() == frozenset()


def test_an_observed_claim_counts_from_when_it_was_first_seen_like_that() -> None:
    time = VirtualTime()
    observer = ClaimObserver(time.clock, CLAIM_SECONDS)
    claim = new_claim("another", NOW)

    left = [observer.seconds_left(KEY, claim)]
    for seconds in (10.0, 20.0):
        time.advance(seconds)
        left.append(observer.seconds_left(KEY, claim))

    assert left == [30.0, 20.0, 0.0]
    assert observer.seconds_left(KEY, None) == 30.0
