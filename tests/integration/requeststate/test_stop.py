"""SIGTERM in the middle of work, and an API server that goes away and comes back."""

import signal
from collections.abc import Mapping

from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.integration.requeststate.objects import TWO_JOBS, Objects, transitions
from tests.integration.requeststate.processes import Windlass


def test_job_that_is_short_enough_is_finished_on_sigterm(
    windlass: Windlass, objects: Objects, jobs: Mapping[str, str]
) -> None:
    windlass.director("-jobs=SHORT")
    worker = windlass.worker(environment=jobs)
    objects.create("short", job="SHORT")
    # Not only started: one that has not begun to run would be handed back.
    worker.wait_for_log("running")

    worker.send(signal.SIGTERM)

    assert worker.wait() == 0
    finished = objects.get("short")
    assert transitions(finished) == [("SHORT", "STARTED"), ("SHORT", "COMPLETED")]
    assert (finished.spec.state, finished.status.claim) == ("COMPLETED", None)


def test_job_that_is_too_long_is_handed_back_on_sigterm_and_taken_at_once(windlass: Windlass, objects: Objects) -> None:
    windlass.director("-jobs=JOB1")
    worker = windlass.worker("-job-duration=10m", "-grace-period=2s")
    objects.create("long")
    objects.wait_until_started("long")

    worker.send(signal.SIGTERM)

    assert worker.wait() == 0
    # With the default claim duration of 30 s: who waited for it to expire would come too late.
    windlass.worker("-job-duration=0")
    assert transitions(objects.wait_until_complete("long", limit=20.0)) == TWO_JOBS[:2]


def test_idle_worker_and_director_end_at_once_on_sigterm(windlass: Windlass) -> None:
    processes = [windlass.worker(), windlass.director()]

    for process in processes:
        process.send(signal.SIGTERM)

    assert [process.wait(20.0) for process in processes] == [0, 0]
    assert [log for process in processes for log in process.logs if log["level"] in {"warning", "error"}] == []


def test_director_that_is_stopped_before_its_requests_are_over_says_so(windlass: Windlass, objects: Objects) -> None:
    director = windlass.start("-name=pending", "-log-level=error")
    objects.wait_until_created("pending")

    director.send(signal.SIGTERM)

    assert director.wait(20.0) == 1
    assert director.stderr == "windlass: stopped while 1 of its own requests were not over\n"


def test_flow_completes_without_duplicates_when_the_api_server_is_restarted_in_the_middle(
    windlass: Windlass, objects: Objects, control_plane: Cluster
) -> None:
    windlass.worker("-job-duration=1s")
    director = windlass.start("-requests=20", "-output=json")
    assert wait_until(lambda: '"COMPLETED"' in director.stdout, limit_seconds=30.0)

    control_plane.restart_apiserver(signal.SIGKILL)

    assert director.wait(100.0) == 0
    assert [transitions(one) for one in objects.all()] == [TWO_JOBS] * 20
