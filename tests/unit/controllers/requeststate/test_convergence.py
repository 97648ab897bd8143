"""Wherever a process dies or an answer is lost, the history ends up with each transition once."""

from itertools import count

import pytest

from apis.requeststate.v1 import State
from controllers.requeststate.jobs import JobContext
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import FakeServer, a_request
from tests.unit.controllers.requeststate.harness import Crash, Worker, run_to_the_end

WRITES = [
    "status claim,history",
    "spec STARTED",
    "status claim,history",
    "spec COMPLETED",
    "spec JOB2 REQUESTED",
    "status claim,history",
    "spec STARTED",
    "status claim,history",
    "spec COMPLETED",
    "status conditions",
]
FINISHED = [
    ("JOB1", State.STARTED),
    ("JOB1", State.COMPLETED),
    ("JOB2", State.STARTED),
    ("JOB2", State.COMPLETED),
]


class Runs:
    """Jobs that count how often they ran."""

    def __init__(self) -> None:
        self.jobs = {"JOB1": self._run, "JOB2": self._run}
        self.ran: list[str] = []

    def _run(self, context: JobContext) -> None:
        self.ran.append(context.request.spec.job)


def transitions(server: FakeServer) -> list[tuple[str, State]]:
    return [(entry.job, entry.state) for entry in server.request.status.history]


def test_a_flow_without_faults_takes_ten_writes_after_its_creation() -> None:
    server, time = FakeServer(a_request()), VirtualTime()

    run_to_the_end(server, time, lambda: Worker(server, time))

    assert server.writes == WRITES
    assert transitions(server) == FINISHED
    assert server.request.status.claim is None


@pytest.mark.parametrize("second", range(len(WRITES) + 1))
@pytest.mark.parametrize("first", range(1, len(WRITES) + 1))
def test_processes_that_die_after_any_write_and_any_later_one_leave_each_transition_once(
    first: int, second: int
) -> None:
    server, time, numbers = FakeServer(a_request()), VirtualTime(), count()

    def die() -> None:
        if len(server.writes) in {first, first + second}:
            raise Crash

    server.on_write = die
    run_to_the_end(server, time, lambda: Worker(server, time, f"worker-{next(numbers)}"))

    assert transitions(server) == FINISHED
    assert server.request.status.claim is None


@pytest.mark.parametrize("fault", ["fail_before", "fail_after"])
@pytest.mark.parametrize("nth", range(1, len(WRITES) + 1))
def test_a_write_that_fails_or_whose_answer_is_lost_repeats_no_job_and_no_transition(fault: str, nth: int) -> None:
    server, time, runs = FakeServer(a_request()), VirtualTime(), Runs()
    getattr(server, fault).add(nth)
    worker = Worker(server, time, jobs=runs.jobs)

    run_to_the_end(server, time, lambda: worker)

    assert transitions(server) == FINISHED
    assert runs.ran == ["JOB1", "JOB2"]


@pytest.mark.parametrize("nth", range(1, len(WRITES) + 1))
def test_a_status_emptied_by_hand_after_any_write_repeats_no_job(nth: int) -> None:
    server, time, runs = FakeServer(a_request()), VirtualTime(), Runs()

    def edit() -> None:
        if len(server.writes) == nth:
            server.edit_status(history=[], claim=None, conditions=[])

    server.on_write = edit
    worker = Worker(server, time, jobs=runs.jobs)
    run_to_the_end(server, time, lambda: worker)

    assert runs.ran == ["JOB1", "JOB2"]
    assert len(set(transitions(server))) == len(transitions(server))
