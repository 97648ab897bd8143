"""A director dies after each of its writes, and the next leader goes on."""

from pathlib import Path

import pytest

from framework.testing.relay import Fault, Match, Relay, Stall
from tests.integration.requeststate.objects import TWO_JOBS, Objects, transitions
from tests.integration.requeststate.processes import Windlass

QUICK_LEASE = ("-lease-duration=2s", "-lease-renew-deadline=1500ms", "-lease-retry-period=200ms")
WRITES_OF_A_FLOW = {
    "creates": Match(method="POST", path="/requeststates$"),
    "requests-the-second-job": Match(method="PATCH", path="/requeststates/orphan$"),
    "says-complete": Match(method="PATCH", path="/requeststates/orphan/status$"),
}


@pytest.mark.parametrize("write", WRITES_OF_A_FLOW)
def test_flow_goes_on_with_the_next_leader_when_a_director_is_killed_after_a_write(
    write: str, windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    # The server has done it, the director never hears of it.
    applied = relay.inject(Fault(WRITES_OF_A_FLOW[write], Stall(before_headers=True)))
    windlass.worker("-job-duration=0")
    victim = windlass.start("-name=orphan", *QUICK_LEASE, kubeconfig=behind_relay)
    applied.wait(limit=30.0)

    victim.kill()
    windlass.director(*QUICK_LEASE)

    assert transitions(objects.wait_until_complete("orphan")) == TWO_JOBS


def test_next_leader_serves_new_requests_when_a_director_is_killed_as_it_got_the_lease(
    windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    applied = relay.inject(Fault(Match(method="POST", path="/leases$"), Stall(before_headers=True)))
    windlass.worker("-job-duration=0")
    victim = windlass.start("-requests=0", *QUICK_LEASE, kubeconfig=behind_relay)
    applied.wait(limit=30.0)

    victim.kill()
    windlass.director(*QUICK_LEASE)
    objects.create("request")

    assert transitions(objects.wait_until_complete("request")) == TWO_JOBS


def test_director_that_is_not_the_leader_follows_its_own_requests_to_the_end(
    windlass: Windlass, objects: Objects
) -> None:
    windlass.worker("-job-duration=0")
    windlass.director()

    follower = windlass.start("-name=followed")

    assert follower.wait() == 0
    assert transitions(objects.get("followed")) == TWO_JOBS
    assert [log for log in follower.logs if log["event"] == "leading"] == []


def test_director_started_again_under_the_same_name_adopts_its_request(windlass: Windlass, objects: Objects) -> None:
    windlass.worker("-job-duration=0")
    windlass.start("-name=mine").wait()

    again = windlass.start("-name=mine")

    assert again.wait() == 0
    assert transitions(objects.get("mine")) == TWO_JOBS


def test_director_refuses_the_name_of_a_request_that_is_not_its_own(windlass: Windlass, objects: Objects) -> None:
    objects.create("taken")

    director = windlass.start("-name=taken", "-log-level=error")

    assert director.wait() == 2
    assert "choose another -name" in director.stderr
    assert len(director.stderr.splitlines()) == 1
