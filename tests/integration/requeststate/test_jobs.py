"""Jobs of one's own, found through entry points: some fail, some nobody knows."""

import subprocess
from collections.abc import Callable, Mapping

from framework.conditions import find_condition
from tests.integration.requeststate.objects import Objects, is_stalled, reason_of, transitions
from tests.integration.requeststate.processes import Windlass, eventual_event

Kubectl = Callable[..., subprocess.CompletedProcess[str]]


def test_job_that_fails_twice_is_tried_again_and_then_completed(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str]
) -> None:
    worker = windlass.worker(environment=jobs)
    windlass.director("-jobs=FLAKY")
    objects.create("flaky", job="FLAKY")

    finished = objects.wait_until_complete("flaky")

    assert transitions(finished) == [("FLAKY", "STARTED"), ("FLAKY", "COMPLETED")]
    assert [log["number"] for log in worker.logs if log["event"] == "attempt"] == [1, 2, 3]


def test_job_that_always_fails_ends_the_flow_with_its_message(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str]
) -> None:
    windlass.worker("-job-retries=2", environment=jobs)

    director = windlass.start("-name=hopeless", "-jobs=HOPELESS,JOB1")

    assert director.wait() == 1
    finished = objects.get("hopeless")
    assert transitions(finished) == [("HOPELESS", "STARTED"), ("HOPELESS", "FAILED")]
    assert finished.status.history[-1].message == "the disk is full"
    failed = find_condition(finished.status.conditions, "Failed")
    assert failed is not None
    assert (failed.status, failed.message) == ("True", "job HOPELESS failed: the disk is full")
    assert (finished.spec.state, finished.status.claim) == ("FAILED", None)
    assert "failed: job HOPELESS failed: the disk is full" in director.stdout


def test_job_that_exits_fails_alone_and_the_worker_lives_on(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str]
) -> None:
    worker = windlass.worker("-job-retries=0", "-job-duration=0", "-concurrency=1", environment=jobs)
    windlass.director("-jobs=LEAVING,JOB1")
    objects.create("leaving", job="LEAVING")
    objects.wait_for("leaving", lambda one: reason_of(one, "Failed") == "JobFailed")

    objects.create("other", job="JOB1")

    objects.wait_until_complete("other")
    assert worker.is_running()


def test_unknown_job_is_stalled_until_a_worker_comes_that_knows_it(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str], kubectl: Kubectl
) -> None:
    windlass.worker("-job-duration=0")
    windlass.director("-jobs=FLAKY")
    objects.create("unknown", job="FLAKY")
    stalled = objects.wait_for("unknown", is_stalled)
    events = eventual_event(kubectl, objects.namespace, "JobUnknown")

    windlass.worker(environment=jobs)

    finished = objects.wait_until_complete("unknown")
    assert (stalled.spec.state, stalled.status.history) == ("REQUESTED", [])
    assert reason_of(stalled, "Stalled") == "JobUnknown"
    assert "no worker here knows job 'FLAKY'; known: JOB1, JOB2" in events
    assert not is_stalled(finished)
    assert transitions(finished) == [("FLAKY", "STARTED"), ("FLAKY", "COMPLETED")]


def test_job_that_cannot_be_loaded_takes_no_other_job_away(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str]
) -> None:
    worker = windlass.worker("-job-duration=0", environment=jobs)
    windlass.director()

    objects.create("request")

    objects.wait_until_complete("request")
    assert worker.wait_for_log("job_not_loaded", job="BROKEN")["level"] == "error"
