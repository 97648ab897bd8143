"""What the end of a reconcile means: for the queue, the metrics and the log."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
import structlog

from apis.meta import Key, Request
from framework.client import current_fence
from framework.errors import (
    ApiError,
    ClusterBusy,
    Conflict,
    DeadlineExceeded,
    Forbidden,
    LeadershipLost,
    Status,
    TerminalError,
    TimedOut,
    WindlassError,
)
from framework.reconcile import Result
from framework.runtime import current_deadline
from framework.workqueue import LOW_PRIORITY

AWAIT = Result.await_change()


def answering(*answers: Any) -> Callable[[Request], Any]:
    """Raise or return one answer after the other, then be content."""
    remaining = list(answers)

    def reconcile(_request: Request) -> Any:
        answer = remaining.pop(0) if remaining else AWAIT
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return reconcile


def conflict() -> ApiError:
    return Conflict(Status(409, "Conflict", "the object has been modified"))


def test_success_is_counted_and_brings_no_further_call(bench: Any) -> None:
    bench.enqueue(bench.controller(answering(AWAIT)), "a")
    bench.time.advance(10_000)

    assert bench.calls == [("a", 0)]
    assert bench.value("reconcile_total", result="success") == 1
    assert bench.value("reconcile_errors_total") == 0


def test_errors_are_retried_with_a_delay_that_doubles_from_five_milliseconds(bench: Any) -> None:
    error = WindlassError("not yet")

    bench.enqueue(bench.controller(answering(error, error, error, error)), "a")
    bench.time.advance(1)

    assert [at for _, at in bench.calls] == pytest.approx([0, 0.005, 0.015, 0.035, 0.075])
    assert bench.value("reconcile_total", result="error") == 4
    assert bench.value("reconcile_errors_total") == 4
    assert bench.value("terminal_reconcile_errors_total") == 0
    assert bench.value("reconcile_panics_total") == 0


def test_success_resets_the_delay_of_the_next_error(bench: Any) -> None:
    error = WindlassError("not yet")
    controller = bench.controller(answering(error, error, AWAIT, error))
    bench.enqueue(controller, "a")
    bench.time.advance(1)

    bench.enqueue(controller, "a")
    bench.time.advance(1)

    assert [at for _, at in bench.calls][-2:] == pytest.approx([1, 1.005])


def test_terminal_error_is_not_retried_and_counts_in_both_error_counters(bench: Any, logs: Any) -> None:
    bench.enqueue(bench.controller(answering(TerminalError("no such cloud"))), "a")
    bench.time.advance(10_000)

    assert bench.calls == [("a", 0)]
    assert bench.value("reconcile_total", result="error") == 1
    assert bench.value("reconcile_errors_total") == 1
    assert bench.value("terminal_reconcile_errors_total") == 1
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("reconcile_failed_for_good", "error")]


def test_terminal_error_waits_for_a_change_and_not_longer(bench: Any) -> None:
    controller = bench.controller(answering(TerminalError("no such cloud")))
    bench.enqueue(controller, "a")

    bench.enqueue(controller, "a")

    assert len(bench.calls) == 2


def test_requeue_after_looks_again_after_that_time(bench: Any) -> None:
    bench.enqueue(bench.controller(answering(Result.after(30))), "a")
    bench.time.advance(100)

    assert bench.calls == [("a", 0), ("a", 30)]
    assert bench.value("reconcile_total", result="requeue_after") == 1
    assert bench.value("reconcile_total", result="success") == 1


def test_requeue_after_forgets_the_failures_of_before(bench: Any) -> None:
    error = WindlassError("not yet")

    bench.enqueue(bench.controller(answering(error, error, error, Result.after(30), error)), "a")
    bench.time.advance(100)

    (_, before), (_, after) = bench.calls[-2:]
    assert after - before == pytest.approx(0.005)


@pytest.mark.parametrize("seconds", [0, -5])
def test_a_time_that_has_passed_means_at_once_and_not_never(bench: Any, seconds: float) -> None:
    bench.enqueue(bench.controller(answering(Result.after(seconds))), "a")

    assert bench.calls == [("a", 0), ("a", 0)]


def test_backoff_without_error_grows_as_errors_do_and_is_none(bench: Any) -> None:
    again = Result.with_backoff()

    bench.enqueue(bench.controller(answering(again, again, again)), "a")
    bench.time.advance(1)

    assert [at for _, at in bench.calls] == pytest.approx([0, 0.005, 0.015, 0.035])
    assert bench.value("reconcile_total", result="requeue") == 3
    assert bench.value("reconcile_errors_total") == 0


@pytest.mark.parametrize(
    "raised",
    [KeyError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), RecursionError("deep")],
    ids=lambda error: type(error).__name__,
)
def test_worker_survives_whatever_a_reconciler_raises(bench: Any, raised: BaseException) -> None:
    controller = bench.controller(answering(raised))
    bench.enqueue(controller, "a")
    bench.time.advance(1)

    bench.enqueue(controller, "b")

    assert [name for name, _ in bench.calls] == ["a", "a", "b"]
    assert bench.value("reconcile_panics_total") == 1
    assert bench.value("reconcile_errors_total") == 1


def test_sys_exit_in_a_reconciler_ends_no_worker(bench: Any) -> None:
    def exit_on_a(request: Request) -> Result:
        if request.name == "a":
            sys.exit("giving up")
        return AWAIT

    controller = bench.controller(exit_on_a)
    bench.enqueue(controller, "a", "b")

    assert "b" in [name for name, _ in bench.calls]


@pytest.mark.parametrize("answer", [None, 5, "soon", {"requeue": True}])
def test_an_answer_that_is_no_result_is_a_clear_error_and_is_retried(bench: Any, logs: Any, answer: Any) -> None:
    controller = bench.controller(answering(answer))
    bench.enqueue(controller, "a")
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a", "a"]
    assert bench.value("reconcile_panics_total") == 1
    expected = (
        f"TypeError: reconcile must return a Result, for example Result.await_change(), not {type(answer).__name__}"
    )
    assert [entry["error"] for entry in logs] == [expected]


def test_traceback_is_in_its_own_field_and_nowhere_else(bench: Any, logs: Any) -> None:
    raised = ValueError("bad\nvalue")

    bench.enqueue(bench.controller(answering(raised)), "a")

    (entry,) = logs
    assert entry["event"] == "reconcile_raised"
    assert entry["exc_info"] is raised
    assert entry["error"].startswith("ValueError: bad")
    assert not any("Traceback" in str(value) for name, value in entry.items() if name != "exc_info")


def test_an_expected_error_is_a_warning_without_traceback(bench: Any, logs: Any) -> None:
    bench.enqueue(bench.controller(answering(Forbidden(Status(403, "Forbidden", "no rights")))), "a")

    (entry,) = logs
    assert (entry["event"], entry["log_level"], entry["error"]) == ("reconcile_failed", "warning", "no rights")
    assert "exc_info" not in entry


def test_a_conflict_is_no_warning_but_counts_as_error_and_is_retried(bench: Any, logs: Any) -> None:
    bench.enqueue(bench.controller(answering(conflict())), "a")
    bench.time.advance(1)

    assert [entry["log_level"] for entry in logs] == ["info"]
    assert bench.value("reconcile_total", result="error") == 1
    assert bench.value("reconcile_errors_total") == 1
    assert len(bench.calls) == 2


def test_an_exception_without_a_readable_text_is_contained(bench: Any, logs: Any) -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    controller = bench.controller(answering(Unreadable()))
    bench.enqueue(controller, "a")
    bench.time.advance(1)

    assert len(bench.calls) == 2
    assert len(logs) == 1


def test_a_log_that_cannot_be_written_loses_neither_worker_nor_request(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise BrokenPipeError("nobody reads the log")

    monkeypatch.setattr("framework.controller.attempts._log", structlog.wrap_logger(None, processors=[broken]))
    controller = bench.controller(answering(WindlassError("not yet")))
    bench.enqueue(controller, "a")
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a", "a"]
    assert bench.value("active_workers") == 0


def test_controller_object_and_reconcile_id_are_bound_during_a_reconcile_only(bench: Any) -> None:
    bound: list[dict[str, Any]] = []

    def reconcile(_request: Request) -> Result:
        bound.append(dict(structlog.contextvars.get_contextvars()))
        return AWAIT

    bench.enqueue(bench.controller(reconcile), "a", "b")

    assert [(each["controller"], each["object"]) for each in bound] == [
        ("widgets", "default/a"),
        ("widgets", "default/b"),
    ]
    first, second = (each["reconcile_id"] for each in bound)
    assert len(first) == 16
    assert first != second
    assert structlog.contextvars.get_contextvars() == {}


def test_a_failure_is_logged_with_the_object_and_the_reconcile_id(bench: Any, logs: Any) -> None:
    bench.enqueue(bench.controller(answering(WindlassError("not yet"))), "a")

    (entry,) = logs
    assert (entry["controller"], entry["object"]) == ("widgets", "default/a")
    assert entry["reconcile_id"]


def test_what_a_reconciler_binds_in_the_log_does_not_leak_into_the_next_reconcile(bench: Any) -> None:
    seen: list[bool] = []

    def reconcile(_request: Request) -> Result:
        seen.append("customer" in structlog.contextvars.get_contextvars())
        structlog.contextvars.bind_contextvars(customer="acme")
        return AWAIT

    bench.enqueue(bench.controller(reconcile), "a", "b")

    assert seen == [False, False]


def test_reconcile_runs_under_its_deadline_and_nothing_else_does(bench: Any) -> None:
    deadlines = []

    def reconcile(_request: Request) -> Result:
        deadlines.append(current_deadline())
        return AWAIT

    bench.enqueue(bench.controller(reconcile, timeout=5), "a")
    bench.enqueue(bench.controller(reconcile, name="others"), "a")

    limited, unlimited = deadlines
    assert limited is not None
    assert (limited.at, limited.timeout_seconds) == (5, 5)
    assert unlimited is None
    assert current_deadline() is None


@pytest.mark.parametrize("error", [DeadlineExceeded("too slow"), TimedOut("no answer")])
def test_a_timeout_of_ours_is_counted_as_such(bench: Any, error: WindlassError) -> None:
    def run_into_the_deadline(_request: Request) -> Result:
        deadline = current_deadline()
        assert deadline is not None
        bench.time.clock.wait(deadline.at - bench.time.clock.monotonic())
        raise error

    bench.enqueue(bench.controller(run_into_the_deadline, timeout=5), "a")
    bench.time.advance(5)

    assert bench.value("reconcile_timeouts_total") == 1
    assert bench.value("reconcile_errors_total") == 1
    assert bench.value("reconcile_panics_total") == 0


def test_a_request_that_would_outlive_the_deadline_counts_as_our_timeout_at_once(bench: Any) -> None:
    bench.enqueue(bench.controller(answering(DeadlineExceeded("no time left to send it again")), timeout=5), "a")

    assert bench.value("reconcile_timeouts_total") == 1


@pytest.mark.parametrize(
    ("timeout", "error"),
    [(None, TimedOut("the cloud is slow")), (60, TimedOut("the cloud is slow")), (None, DeadlineExceeded("whose?"))],
)
def test_a_timeout_of_others_is_not_counted_as_ours(bench: Any, timeout: float | None, error: WindlassError) -> None:
    bench.enqueue(bench.controller(answering(error), timeout=timeout), "a")

    assert bench.value("reconcile_timeouts_total") == 0
    assert bench.value("reconcile_errors_total") == 1


def test_another_error_after_the_deadline_is_not_counted_as_timeout(bench: Any) -> None:
    def fail_late(_request: Request) -> Result:
        bench.time.clock.wait(6)
        raise conflict()

    bench.enqueue(bench.controller(fail_late, timeout=5), "a")
    bench.time.advance(6)

    assert bench.value("reconcile_timeouts_total") == 0
    assert bench.value("reconcile_errors_total") == 1


@pytest.mark.parametrize("answer", [Result.after(10), Result.with_backoff(), WindlassError("not yet")])
def test_a_requeue_keeps_the_priority_of_the_request(bench: Any, answer: Any) -> None:
    controller = bench.controller(answering(answer), start=False)
    controller._queue.add(Request(Key("default", "a")), priority=LOW_PRIORITY)

    assert requeued_priority(bench, controller) == LOW_PRIORITY


@pytest.mark.parametrize("answer", [Result.after(10, priority=7), Result.with_backoff(priority=7)])
def test_a_priority_in_the_result_replaces_that_of_the_request(bench: Any, answer: Result) -> None:
    controller = bench.controller(answering(answer), start=False)
    controller._queue.add(Request(Key("default", "a")), priority=LOW_PRIORITY)

    assert requeued_priority(bench, controller) == 7


def requeued_priority(bench: Any, controller: Any) -> int:
    """Have the request in the queue reconciled once, and return the priority with which it came back."""
    request, priority = controller._queue.get()
    controller._attempts.make(request, priority)
    controller._queue.done(request)
    bench.time.advance(10)
    return int(controller._queue.get(timeout=0)[1])


def test_length_of_a_reconcile_is_observed_and_the_worker_counted_as_active(bench: Any) -> None:
    active = []

    def reconcile(_request: Request) -> Result:
        active.append(bench.value("active_workers"))
        bench.time.clock.wait(3)
        return AWAIT

    bench.enqueue(bench.controller(reconcile), "a")
    bench.time.advance(3)

    assert active == [1]
    assert bench.value("active_workers") == 0
    assert bench.value("reconcile_time_seconds_sum") == 3
    assert bench.value("reconcile_time_seconds_count") == 1


def test_a_request_refused_for_the_sake_of_other_clusters_comes_again_when_it_was_told_to(
    bench: Any, logs: list[dict[str, Any]]
) -> None:
    refused = ClusterBusy("cluster 'a': its share is taken", retry_after_seconds=3.0)

    bench.enqueue(bench.controller(answering(refused, refused, refused)), "a")
    bench.time.advance(60)

    assert [at for _, at in bench.calls] == [0, 3, 6, 9]
    assert bench.value("reconcile_errors_total") == 0
    assert bench.value("reconcile_total", result="requeue_after") == 3
    assert {entry["event"] for entry in logs} == {"reconcile_put_off"}


def test_a_reconcile_whose_turn_has_ended_is_no_failure_and_is_made_again_in_the_next_turn(
    bench: Any, logs: list[Any]
) -> None:
    turn = bench.turn(is_set=True)

    def lose_the_turn(_request: Request) -> Result:
        if len(bench.calls) == 1:
            turn.clear()
            fence = current_fence()
            assert fence is not None
            fence.check()
        return Result.await_change()

    controller = bench.controller(lose_the_turn, turn=turn)
    bench.enqueue(controller, "a")
    bench.time.advance(10)
    assert [name for name, _ in bench.calls] == ["a"]
    turn.set()
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a", "a"]
    assert bench.value("reconcile_errors_total") == 0
    assert bench.value("reconcile_total", result="requeue") == 1
    assert [entry["event"] for entry in logs] == ["reconcile_interrupted"]


@pytest.mark.parametrize("error", [TerminalError("no"), ValueError("what a mess"), TimedOut("late")])
def test_whatever_a_reconcile_raises_after_its_turn_it_is_made_again_and_no_failure(
    bench: Any, error: Exception
) -> None:
    turn = bench.turn(is_set=True)

    def fail_afterwards(_request: Request) -> Result:
        if len(bench.calls) == 1:
            turn.clear()
            raise error
        return Result.await_change()

    controller = bench.controller(fail_afterwards, turn=turn)
    bench.enqueue(controller, "a")
    turn.set()
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a", "a"]
    assert bench.value("reconcile_errors_total") == 0


def test_a_lost_leadership_within_the_turn_is_an_error_as_any_other(bench: Any) -> None:
    def fail(_request: Request) -> Result:
        raise LeadershipLost("somebody else's")

    controller = bench.controller(fail, turn=bench.turn(is_set=True))
    bench.enqueue(controller, "a")

    assert bench.value("reconcile_errors_total") == 1


def test_a_reconcile_has_the_fence_of_its_turn_and_without_a_turn_none(bench: Any) -> None:
    seen: list[Any] = []

    def look(_request: Request) -> Result:
        seen.append(current_fence())
        return Result.await_change()

    turn = bench.turn(is_set=True)
    bench.enqueue(bench.controller(look, turn=turn, name="elected"), "a")
    bench.enqueue(bench.controller(look, name="free"), "a")

    assert seen == [turn.fence(), None]
