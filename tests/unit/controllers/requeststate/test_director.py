"""Which job comes next, and what is said about a request."""

import pytest

from apis.requeststate.v1 import State
from controllers.requeststate.flow import JOBS_ANNOTATION
from framework.conditions import find_condition
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import FakeServer, a_request, an_entry
from tests.unit.controllers.requeststate.harness import Director, Worker


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


def condition(server: FakeServer, condition_type: str) -> tuple[str, str, str]:
    found = find_condition(server.request.status.conditions, condition_type)
    return (found.status, found.reason, found.message) if found else ("", "", "")


def test_a_completed_job_is_followed_by_the_next_one(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1", State.COMPLETED))

    Director(server, time).reconcile()

    assert (server.request.spec.job, server.request.spec.state) == ("JOB2", State.REQUESTED)


def test_the_last_completed_job_makes_the_request_complete_once(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB2", State.COMPLETED))
    director = Director(server, time)

    director.reconcile()
    director.reconcile()

    assert condition(server, "Complete") == ("True", "FlowCompleted", "all 2 jobs are completed")
    assert server.writes == ["status conditions"]


def test_a_failed_job_makes_the_request_failed_with_its_message(time: VirtualTime) -> None:
    entry = an_entry("JOB1", State.FAILED, message="no luck")
    server = FakeServer(a_request("JOB1", State.FAILED, [entry]))

    Director(server, time).reconcile()

    assert condition(server, "Failed") == ("True", "JobFailed", "job JOB1 failed: no luck")


def test_a_failed_job_whose_history_was_removed_is_failed_all_the_same(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1", State.FAILED))

    Director(server, time).reconcile()

    assert condition(server, "Failed") == ("True", "JobFailed", "job JOB1 failed")


@pytest.mark.parametrize("state", [State.REQUESTED, State.STARTED])
def test_a_job_under_way_is_left_to_the_workers(time: VirtualTime, state: State) -> None:
    server = FakeServer(a_request("JOB1", state))

    Director(server, time).reconcile()

    assert server.writes == []


def test_a_job_that_is_not_in_the_flow_is_stalled_once_with_an_event(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB9", State.COMPLETED))
    director = Director(server, time)

    director.reconcile()
    director.reconcile()

    assert condition(server, "Stalled") == ("True", "JobNotInFlow", "job 'JOB9' is not in the flow JOB1,JOB2")
    assert director.recorder.reasons == ["JobNotInFlow"]


def test_an_annotation_that_is_no_flow_is_stalled(time: VirtualTime) -> None:
    server = FakeServer(a_request(annotations={JOBS_ANNOTATION: "JOB1,,JOB2"}))

    Director(server, time).reconcile()

    assert condition(server, "Stalled")[1] == "InvalidFlow"


def test_a_stall_is_taken_back_together_with_what_comes_next(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB9", State.COMPLETED))
    Director(server, time).reconcile()

    Director(server, time, flow="JOB9").reconcile()

    assert condition(server, "Stalled")[:2] == ("False", "JobInFlow")
    assert condition(server, "Complete")[2] == "the only job is completed"
    assert server.writes == ["status conditions"] * 2


def test_the_stall_of_a_worker_is_left_to_workers(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1"))
    Worker(server, time, jobs={}).reconcile()

    Director(server, time).reconcile()

    assert condition(server, "Stalled")[:2] == ("True", "JobUnknown")


def test_a_cache_that_is_behind_our_own_write_is_not_acted_upon(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1", State.COMPLETED))
    director, stale = Director(server, time), server.request
    director.reconcile()

    server.get = lambda *_: stale  # type: ignore[method-assign] # a cache that is behind
    director.reconcile()

    assert server.writes == ["spec JOB2 REQUESTED"]


def test_a_request_that_changed_meanwhile_is_no_failure(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1", State.COMPLETED))
    stale = server.request
    server.edit_status(history=[])
    server.get = lambda *_: stale  # type: ignore[method-assign] # a cache that is behind

    Director(server, time).reconcile()

    assert server.objects[stale.metadata.key]["spec"]["job"] == "JOB1"
