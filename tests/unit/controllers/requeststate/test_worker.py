"""What a worker does about a request, and what it leaves alone."""

import pytest

from apis.meta import MicroTimeText
from apis.requeststate.v1 import Claim, HistoryEntry, State
from controllers.requeststate.claims import HANDED_BACK
from controllers.requeststate.jobs import Job, JobContext, JobStopped
from controllers.requeststate.runner import JobFailed
from framework.conditions import find_condition, is_true
from framework.reconcile import Result
from framework.runtime import Event
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import KEY, OLD, FakeServer, a_change, a_request, an_entry
from tests.unit.controllers.requeststate.harness import CLAIM_SECONDS, Director, Worker

ANOTHERS = Claim(worker="another", acquire_time=OLD, renew_time=OLD)
MINE = Claim(worker="me", acquire_time=OLD, renew_time=OLD)


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


def a_started_request(claim: Claim | None = ANOTHERS) -> FakeServer:
    return FakeServer(a_request(state=State.STARTED, history=[an_entry()], claim=claim))


def fails(_context: JobContext) -> None:
    raise ValueError("first line\nsecond line")


def test_a_live_claim_of_another_is_left_alone_and_looked_at_again_when_it_would_expire(time: VirtualTime) -> None:
    server = a_started_request()

    result = Worker(server, time).reconcile()

    assert result == Result.after(CLAIM_SECONDS)
    assert server.writes == []


def test_a_claim_that_is_renewed_is_waited_for_anew(time: VirtualTime) -> None:
    server = a_started_request()
    worker = Worker(server, time)
    worker.reconcile()
    time.advance(CLAIM_SECONDS - 1)

    server.objects[KEY]["status"]["claim"]["renewTime"] = "2025-01-01T00:00:10.000000Z"

    assert worker.reconcile() == Result.after(CLAIM_SECONDS)


def test_an_expired_claim_is_taken_over_without_a_second_started_entry(time: VirtualTime) -> None:
    server = a_started_request()
    worker = Worker(server, time)
    worker.reconcile()

    time.advance(CLAIM_SECONDS)
    worker.reconcile()

    assert [entry.state for entry in server.request.status.history] == [State.STARTED, State.COMPLETED]
    assert server.request.spec.state is State.COMPLETED


def test_times_written_in_a_claim_decide_nothing(time: VirtualTime) -> None:
    for renew_time in ("1999-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"):
        server = a_started_request(Claim(worker="another", acquire_time=OLD, renew_time=MicroTimeText(renew_time)))

        assert Worker(server, time).reconcile() == Result.after(CLAIM_SECONDS)


def test_a_claim_that_was_handed_back_is_taken_at_once(time: VirtualTime) -> None:
    server = a_started_request(Claim(worker="another", acquire_time=OLD, renew_time=HANDED_BACK))

    Worker(server, time).reconcile()

    assert server.request.spec.state is State.COMPLETED


def test_a_claim_of_our_own_that_we_do_not_know_of_is_taken_at_once(time: VirtualTime) -> None:
    server = a_started_request(MINE)

    Worker(server, time).reconcile()

    assert server.request.spec.state is State.COMPLETED


@pytest.mark.parametrize("history", [[an_entry()], []])
def test_a_job_under_way_without_a_claim_is_not_taken_before_its_worker_could_claim_again(
    time: VirtualTime, history: list[HistoryEntry]
) -> None:
    server = FakeServer(a_request(state=State.STARTED, history=history))

    assert Worker(server, time).reconcile() == Result.after(CLAIM_SECONDS)


def test_a_request_that_another_has_claimed_but_not_yet_started_is_left_alone(time: VirtualTime) -> None:
    server = FakeServer(a_request(claim=ANOTHERS))

    assert Worker(server, time).reconcile() == Result.after(CLAIM_SECONDS)
    assert server.writes == []


def test_an_outcome_that_is_recorded_is_only_written_into_the_spec(time: VirtualTime) -> None:
    server = FakeServer(a_request(state=State.STARTED, history=[an_entry(state=State.FAILED)]))
    worker = Worker(server, time, jobs={"JOB1": fails})
    worker.reconcile()

    time.advance(CLAIM_SECONDS)
    worker.reconcile()

    assert server.writes == ["spec FAILED"]


@pytest.mark.parametrize("state", [State.COMPLETED, State.FAILED])
def test_a_request_that_is_over_is_left_as_it_is(time: VirtualTime, state: State) -> None:
    server = FakeServer(a_request(state=state))

    assert Worker(server, time).reconcile() == Result.await_change()
    assert server.writes == []


def test_a_claim_of_ours_on_a_request_that_is_over_is_released(time: VirtualTime) -> None:
    server = FakeServer(a_request(state=State.COMPLETED, claim=MINE))

    Worker(server, time).reconcile()

    assert server.request.status.claim is None


def test_a_race_that_is_lost_is_no_failure(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = Worker(server, time)
    stale = server.request
    server.edit_status(claim={"worker": "another", "acquireTime": OLD, "renewTime": OLD})
    server.get = lambda *_: stale  # type: ignore[method-assign] # a cache that is behind

    # Should no event tell how it was lost, it looks again.
    assert worker.reconcile() == Result.after(30.0)


def test_an_unknown_job_is_stalled_once_with_an_event_and_its_state_is_untouched(time: VirtualTime) -> None:
    server = FakeServer(a_request("SECRET"))
    worker = Worker(server, time)

    worker.reconcile()
    worker.reconcile()

    stalled = find_condition(server.request.status.conditions, "Stalled")
    assert stalled is not None
    assert (stalled.reason, stalled.message) == ("JobUnknown", "no worker here knows job 'SECRET'; known: JOB1, JOB2")
    assert server.request.spec.state is State.REQUESTED
    assert server.writes == ["status conditions"]
    assert worker.recorder.reasons == ["JobUnknown"]


def test_a_worker_that_knows_the_job_takes_the_stall_back(time: VirtualTime) -> None:
    server = FakeServer(a_request("SECRET"))
    Worker(server, time).reconcile()

    Worker(server, time, "another", jobs={"SECRET": lambda _: None}).reconcile()

    assert not is_true(server.request.status.conditions, "Stalled")
    assert server.request.spec.state is State.COMPLETED


def test_a_job_that_fails_is_tried_again_with_a_higher_attempt_and_then_failed(time: VirtualTime) -> None:
    server, attempts = FakeServer(a_request()), []

    def job(context: JobContext) -> None:
        attempts.append(context.attempt)
        fails(context)

    worker = Worker(server, time, jobs={"JOB1": job}, job_retries=2)
    for _ in range(2):
        with pytest.raises(JobFailed, match="first line second line"):
            worker.reconcile()
    worker.reconcile()

    assert attempts == [1, 2, 3]
    assert server.request.spec.state is State.FAILED
    assert server.request.status.history[-1].message == "first line second line"


def test_a_job_that_failed_for_good_does_not_run_again_when_its_record_is_lost(time: VirtualTime) -> None:
    server, attempts = FakeServer(a_request()), []
    server.fail_before.add(4)

    def job(context: JobContext) -> None:
        attempts.append(context)
        fails(context)

    worker = Worker(server, time, jobs={"JOB1": job}, job_retries=0)
    with pytest.raises(Exception, match="nothing was sent"):
        worker.reconcile()

    server.edit_status(history=[])
    worker.reconcile()

    assert len(attempts) == 1
    assert server.request.spec.state is State.FAILED


def test_a_job_that_stops_without_being_told_to_has_failed(time: VirtualTime) -> None:
    server = FakeServer(a_request())

    def quitter(_context: JobContext) -> None:
        raise JobStopped

    Worker(server, time, jobs={"JOB1": quitter}, job_retries=0).reconcile()

    assert server.request.status.history[-1].message == "the job stopped without being told to"


def test_an_exception_without_a_text_leaves_its_name(time: VirtualTime) -> None:
    server = FakeServer(a_request())

    def mute(_context: JobContext) -> None:
        raise KeyError

    Worker(server, time, jobs={"JOB1": mute}, job_retries=0).reconcile()

    assert server.request.status.history[-1].message == "KeyError"


def waits_for(entered: Event) -> Job:
    def job(context: JobContext) -> None:
        entered.set()
        if context.stop.wait(300.0):
            raise JobStopped

    return job


def a_busy_worker(server: FakeServer, time: VirtualTime) -> Worker:
    """A worker whose job takes five minutes, in a task of its own."""
    entered = time.runtime.event()
    worker = Worker(server, time, jobs={"JOB1": waits_for(entered)})

    def reconcile() -> None:
        worker.reconcile()

    time.runtime.spawn("reconcile", reconcile)
    entered.wait()
    return worker


def test_a_job_ends_at_once_when_its_request_is_deleted(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = a_busy_worker(server, time)
    before = list(server.writes)

    del server.objects[KEY]
    worker.runner.on_change(a_change(a_request(), server.get(KEY)))
    time.wait_until_idle()

    assert "reconcile" not in time.blocked()
    assert server.writes == before


def test_a_job_ends_at_once_when_its_request_is_claimed_by_another(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = a_busy_worker(server, time)
    before = list(server.writes)

    server.edit_status(claim={"worker": "another", "acquireTime": OLD, "renewTime": OLD})
    worker.runner.on_change(a_change(a_request(), server.get(KEY)))
    time.wait_until_idle()

    assert "reconcile" not in time.blocked()
    assert server.writes == before


def test_a_stop_waits_for_a_job_that_ends_in_time_and_records_it(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = a_busy_worker(server, time)
    worker.renewal.start()

    time.runtime.spawn("drain", lambda: worker.runner.drain(1000.0))
    time.advance(301.0)

    assert time.blocked() == frozenset()
    assert server.request.spec.state is State.COMPLETED


def test_a_stop_hands_back_a_job_that_takes_too_long(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = a_busy_worker(server, time)
    worker.renewal.start()

    time.runtime.spawn("drain", lambda: worker.runner.drain(100.0))
    time.advance(71.0)

    claim = server.request.status.claim
    assert claim is not None
    assert claim.renew_time == HANDED_BACK
    assert server.request.spec.state is State.STARTED
    assert time.blocked() == frozenset()


def test_a_stop_hands_back_what_waits_for_its_next_try(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = Worker(server, time, jobs={"JOB1": fails})
    with pytest.raises(JobFailed):
        worker.reconcile()

    worker.runner.drain(30.0)

    claim = server.request.status.claim
    assert claim is not None
    assert claim.renew_time == HANDED_BACK


def test_a_stopping_worker_takes_nothing_new(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker = Worker(server, time)

    worker.runner.drain(30.0)
    worker.reconcile()

    assert server.writes == []


def test_a_cache_that_is_behind_our_own_writes_is_not_acted_upon(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker, stale = Worker(server, time), server.request
    worker.reconcile()
    before = list(server.writes)

    server.get = lambda *_: stale  # type: ignore[method-assign] # a cache that is behind
    result = worker.reconcile()

    assert result == Result.await_change()
    assert server.writes == before


def test_the_stall_of_the_director_is_left_to_directors(time: VirtualTime) -> None:
    server = FakeServer(a_request("JOB1"))
    Director(server, time, flow="JOB9").reconcile()

    Worker(server, time).reconcile()

    stalled = find_condition(server.request.status.conditions, "Stalled")
    assert stalled is not None
    assert (stalled.status, stalled.reason) == ("True", "JobNotInFlow")
