"""What a controller remembers of its reconciles, in virtual time."""

from typing import Any

from apis.meta import Key, Request
from framework.controller import Controller, current_reasons
from framework.errors import TerminalError, WindlassError
from framework.journal import JournalObserver, JournalOptions, Run
from framework.reconcile import Result
from framework.workqueue import Reason

REQUEST = Request(Key("default", "a"))


def runs(controller: Controller) -> tuple[Run, ...]:
    return controller.journal.look(REQUEST)[1]


def reasons(controller: Controller) -> list[list[str]]:
    return [[reason.what for reason in run.reasons] for run in runs(controller)]


def answering(*answers: Any) -> Any:
    remaining = list(answers)

    def reconcile(_request: Request) -> Any:
        answer = remaining.pop(0) if remaining else Result.await_change()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return reconcile


def test_reconcile_that_code_asked_for_says_so_and_its_result(bench: Any) -> None:
    controller = bench.controller()

    bench.enqueue(controller, "a")

    (run,) = runs(controller)
    assert [reason.what for reason in run.reasons] == ["called"]
    assert (run.outcome, run.took_seconds, run.next_in_seconds, run.error) == ("success", 0.0, None, "")


def test_retry_names_the_error_before_it_and_the_run_tells_when_it_will_be(bench: Any) -> None:
    controller = bench.controller(answering(WindlassError("the cloud is slow")))

    bench.enqueue(controller, "a")
    bench.time.advance(1)

    failed, again = runs(controller)
    assert (failed.outcome, failed.next_in_seconds) == ("error", 0.005)
    assert failed.error == "WindlassError: the cloud is slow"
    assert again.reasons == (Reason("retry", "WindlassError"),)
    assert again.outcome == "success"


def test_time_that_was_asked_for_is_the_reason_when_it_has_come(bench: Any) -> None:
    controller = bench.controller(answering(Result.after(30)))

    bench.enqueue(controller, "a")
    bench.time.advance(31)

    assert reasons(controller) == [["called"], ["later"]]
    assert [(run.outcome, run.next_in_seconds) for run in runs(controller)] == [
        ("requeue_after", 30.0),
        ("success", None),
    ]


def test_change_that_comes_first_is_the_reason_and_not_the_time_to_come(bench: Any) -> None:
    controller = bench.controller(answering(Result.after(30)))
    bench.enqueue(controller, "a")
    bench.time.advance(10)

    bench.enqueue(controller, "a")

    assert reasons(controller) == [["called"], ["called"]]


def test_time_to_come_is_no_reason_for_a_request_that_was_queued_without_one(bench: Any) -> None:
    controller = bench.controller(answering(Result.after(30)))
    bench.enqueue(controller, "a")

    controller._queue.add(REQUEST)
    bench.time.wait_until_idle()

    assert reasons(controller) == [["called"], []]


def test_backoff_and_terminal_errors_are_told_apart(bench: Any) -> None:
    controller = bench.controller(answering(Result.with_backoff(), TerminalError("never")))

    bench.enqueue(controller, "a")
    bench.time.advance(1)

    assert [(run.outcome, run.next_in_seconds) for run in runs(controller)] == [
        ("requeue", 0.005),
        ("terminal_error", None),
    ]
    assert reasons(controller) == [["called"], ["backoff"]]


def test_reconcile_that_still_runs_is_there_as_well(bench: Any) -> None:
    go_on = bench.time.runtime.event()

    def reconcile(_request: Request) -> Result:
        go_on.wait(100)
        return Result.await_change()

    controller = bench.controller(reconcile)
    bench.enqueue(controller, "a")
    bench.time.advance(7)
    (run,) = runs(controller)
    before = (run.outcome, run.took_seconds)

    go_on.set()
    bench.time.wait_until_idle()

    assert before == ("running", None)
    assert (run.outcome, run.took_seconds) == ("success", 7.0)


def test_waiting_in_the_queue_is_told(bench: Any) -> None:
    go_on = bench.time.runtime.event()
    controller = bench.controller(lambda _: go_on.wait(100) and Result.await_change())
    bench.enqueue(controller, "first", "a")
    bench.time.advance(3)

    go_on.set()
    bench.time.wait_until_idle()

    assert [run.waited_seconds for run in runs(controller)] == [3.0]


def test_reconciler_can_ask_why_it_runs(bench: Any) -> None:
    told: list[list[str]] = []

    def reconcile(_request: Request) -> Result:
        told.append([reason.what for reason in current_reasons()])
        return Result.await_change()

    controller = bench.controller(reconcile)

    bench.enqueue(controller, "a")

    assert told == [["called"]]
    assert current_reasons() == ()


def test_without_a_journal_nothing_is_kept_and_nothing_is_told(bench: Any) -> None:
    told: list[object] = []

    def reconcile(_request: Request) -> Result:
        told.append((current_reasons(), JournalObserver().is_interested))
        return Result.after(5.0)

    controller = bench.controller(reconcile, journal=JournalOptions(keys=0))

    bench.enqueue(controller, "a")

    assert told == [((), False)]
    assert runs(controller) == ()
