"""A worker dies, or stands still, at every place where that could matter."""

import signal
from pathlib import Path

import pytest

from framework.testing.relay import Fault, Match, Relay, Stall
from tests.integration.requeststate.objects import TWO_JOBS, Objects, is_write_of, transitions
from tests.integration.requeststate.processes import Windlass

# Claim and entry, STARTED, entry, COMPLETED; for each of two jobs.
WRITES_OF_A_FLOW = 8
WRITES = Match(method="PATCH", path="/requeststates/")


@pytest.mark.parametrize("nth", range(1, WRITES_OF_A_FLOW + 1))
def test_another_worker_takes_over_from_one_killed_after_its_nth_write(
    nth: int, windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    windlass.director()
    # The server has done it, the worker never hears of it.
    applied = relay.inject(Fault(WRITES, Stall(before_headers=True), nth=nth))
    victim = windlass.worker("-job-duration=0", "-claim-duration=1s", kubeconfig=behind_relay)
    objects.create("orphan")
    applied.wait(limit=30.0)

    victim.kill()
    windlass.worker("-job-duration=0", "-claim-duration=1s")

    finished = objects.wait_until_complete("orphan")
    assert transitions(finished) == TWO_JOBS
    assert finished.status.claim is None


def test_another_worker_takes_over_from_one_killed_in_the_middle_of_a_job(windlass: Windlass, objects: Objects) -> None:
    windlass.director()
    victim = windlass.worker("-job-duration=10m", "-claim-duration=1s")
    objects.create("orphan")
    objects.wait_until_started("orphan")

    victim.kill()
    windlass.worker("-job-duration=0", "-claim-duration=1s")

    assert transitions(objects.wait_until_complete("orphan")) == TWO_JOBS


def test_worker_that_stood_still_for_longer_than_its_claim_writes_nothing_for_the_lost_job(
    windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    windlass.director("-jobs=JOB1")
    sleeper = windlass.worker("-job-duration=2s", "-claim-duration=1s", "-concurrency=1", kubeconfig=behind_relay)
    objects.create("lost")
    objects.wait_until_started("lost")

    sleeper.send(signal.SIGSTOP)
    successor = windlass.worker("-job-duration=0", "-claim-duration=1s")
    finished = objects.wait_until_complete("lost")
    successor.send(signal.SIGTERM)
    successor.wait()
    before = relay.count(is_write_of("lost"))
    sleeper.send(signal.SIGCONT)
    # It has one slot: once it has done another request, it is through with the lost one.
    objects.create("next")
    objects.wait_until_complete("next")

    late = [request for request in relay.requests if is_write_of("lost")(request)][before:]
    assert [request for request in late if request.upstream_status == 200] == []
    assert transitions(finished) == TWO_JOBS[:2]
    assert objects.get("lost") == finished


def test_a_claim_is_renewed_for_as_long_as_its_job_runs(windlass: Windlass, objects: Objects) -> None:
    windlass.director("-jobs=JOB1")
    windlass.worker("-job-duration=5s", "-claim-duration=2s")
    windlass.worker("-job-duration=5s", "-claim-duration=2s")

    objects.create("long")

    finished = objects.wait_until_complete("long")
    assert transitions(finished) == TWO_JOBS[:2]
    assert len({entry.worker for entry in finished.status.history}) == 1
