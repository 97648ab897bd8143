"""What people do to a request while a worker is busy with it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from framework.testing.relay import Fault, Match, Relay, Stall
from tests.integration.requeststate.objects import TWO_JOBS, Objects, is_write_of, transitions
from tests.integration.requeststate.processes import Windlass, eventually

Kubectl = Callable[..., subprocess.CompletedProcess[str]]


def test_history_truncated_by_hand_is_appended_to_and_no_job_runs_twice(windlass: Windlass, objects: Objects) -> None:
    worker = windlass.worker("-job-duration=3s", "-claim-duration=2s", "-log-level=debug")
    windlass.worker("-job-duration=3s", "-claim-duration=2s")
    windlass.director()
    objects.create("edited")
    objects.wait_until_started("edited")

    objects.edit_status("edited", {"history": []})

    finished = objects.wait_until_complete("edited")
    assert transitions(finished) == TWO_JOBS[1:]
    assert [log for log in worker.logs if log["level"] == "error"] == []


def test_claim_removed_by_hand_is_put_back_by_the_worker_and_no_other_takes_the_job(
    windlass: Windlass, objects: Objects
) -> None:
    windlass.director("-jobs=JOB1")
    windlass.worker("-job-duration=4s", "-claim-duration=2s")
    windlass.worker("-job-duration=4s", "-claim-duration=2s")
    objects.create("robbed")
    owner = objects.wait_until_started("robbed").status.history[0].worker

    objects.edit_status("robbed", {"claim": None})

    objects.wait_for("robbed", lambda one: one.status.claim is not None and one.status.claim.worker == owner)
    finished = objects.wait_until_complete("robbed")
    assert transitions(finished) == TWO_JOBS[:2]
    assert {entry.worker for entry in finished.status.history} == {owner}


def test_whole_status_removed_by_hand_before_the_start_is_written_does_not_start_the_job_twice(
    windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    windlass.director("-jobs=JOB1")
    start = relay.inject(Fault(Match(method="PATCH", path="/requeststates/wiped$"), Stall(before_headers=True)))
    windlass.worker("-job-duration=0", "-claim-duration=2s", kubeconfig=behind_relay)
    objects.create("wiped")
    start.wait()

    objects.edit_status("wiped", {"history": [], "claim": None})
    relay.release()

    finished = objects.wait_until_complete("wiped")
    assert transitions(finished) == TWO_JOBS[1:2]


def test_job_of_a_deleted_object_is_stopped_and_nothing_is_recreated(
    windlass: Windlass, objects: Objects, relay: Relay, behind_relay: Path
) -> None:
    windlass.director("-jobs=JOB1")
    worker = windlass.worker("-job-duration=10m", "-concurrency=1", kubeconfig=behind_relay)
    objects.create("deleted")
    objects.wait_until_started("deleted")
    before = relay.count(is_write_of("deleted"))

    objects.delete("deleted")

    # The only slot is free again: the next request can start.
    objects.create("next")
    objects.wait_until_started("next")
    assert [one.metadata.name for one in objects.all()] == ["next"]
    assert relay.count(is_write_of("deleted")) == before
    assert [log for log in worker.logs if log["level"] in {"warning", "error"}] == []


def test_object_created_again_under_the_same_name_is_done_from_the_beginning(
    windlass: Windlass, objects: Objects
) -> None:
    windlass.director("-jobs=JOB1")
    worker = windlass.worker("-job-duration=1s")
    first = objects.create("again")
    objects.wait_until_started("again")

    objects.delete("again")
    second = objects.create("again")

    finished = objects.wait_until_complete("again")
    assert first.metadata.uid != second.metadata.uid == finished.metadata.uid
    assert transitions(finished) == TWO_JOBS[:2]
    assert [log for log in worker.logs if log["level"] == "error"] == []


def test_own_request_deleted_by_hand_counts_as_failed(windlass: Windlass, objects: Objects) -> None:
    director = windlass.start("-name=deleted")
    eventually(lambda: "REQUESTED" in director.stdout, "the director has seen its request")

    objects.delete("deleted")

    assert director.wait() == 1
    assert "failed: it was deleted" in director.stdout
