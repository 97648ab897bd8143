"""One reconcile: from the request to what its end means for the queue, the metrics and the log."""

import traceback
from contextvars import copy_context

import structlog

from apis.meta import Request
from framework.client import Fence, bind_fence
from framework.clock import Clock
from framework.controller.gate import Gate
from framework.controller.metrics import ControllerMeasure
from framework.errors import ClusterUnavailable, Conflict, DeadlineExceeded, TerminalError, TimedOut, WindlassError
from framework.journal import Journal, Run, set_current_run
from framework.journal.call import error_text
from framework.randomness import Random
from framework.reconcile import Reconciler, Result
from framework.runtime import Deadline, bind_deadline
from framework.workqueue import Reason, WorkQueue

# Transports count in whole milliseconds, so one may give up that much before the deadline itself.
_TIMER_TOLERANCE_SECONDS = 0.002

_log = structlog.get_logger("windlass.controller")


class Attempts:
    """Calls the reconciler, and puts requests back as its answers ask."""

    def __init__(
        self,
        controller: str,
        reconciler: Reconciler,
        queue: WorkQueue[Request],
        *,
        timeout_seconds: float | None,
        measure: ControllerMeasure,
        gate: Gate,
        journal: Journal,
        clock: Clock,
        random: Random,
    ) -> None:
        self._controller = controller
        self._reconciler = reconciler
        self._queue = queue
        self._timeout_seconds = timeout_seconds
        self._measure = measure
        self._gate = gate
        self._journal = journal
        self._is_noted = journal.is_kept
        self._clock = clock
        self._random = random

    def make(self, request: Request, priority: int, fence: Fence | None = None) -> None:
        """Reconcile *request* once, whatever the reconciler does; later, if the gate holds it.

        It can write until *fence* is over.
        """
        if seconds := self._gate.seconds_to_wait(request):
            self._measure.gated.inc()
            self._queue.add_after(request, seconds, priority=priority)
            return
        self._measure.active.inc()
        started = self._clock.monotonic()
        run = self._begin(request, priority, started)
        try:
            # In a context of its own: what the reconciler binds there is gone with it.
            copy_context().run(self._make, request, run, self._deadline(started), fence)
        finally:
            run.took_seconds = took = self._clock.monotonic() - started
            self._measure.seconds.observe(took)
            self._measure.active.dec()

    def _begin(self, request: Request, priority: int, started: float) -> Run:
        run_id = f"{self._random.getrandbits(64):016x}"
        if not self._is_noted:
            return Run(run_id, started, 0.0, priority, ())
        waited, reasons = self._queue.take_reasons(request)
        if len(reasons) > 1 or (reasons and reasons[0].due_at > started):
            # A time that has not come is no reason: something else brought the request here.
            reasons = tuple(reason for reason in reasons if reason.due_at <= started)
        run = Run(run_id, started, waited, priority, reasons)
        self._journal.begin(request, run)
        return run

    def _make(self, request: Request, run: Run, deadline: Deadline | None, fence: Fence | None) -> None:
        if fence is not None:
            bind_fence(fence)
        if deadline is not None:
            bind_deadline(deadline)
        if self._is_noted:
            set_current_run(run)
        structlog.contextvars.bind_contextvars(controller=self._controller, object=str(request), reconcile_id=run.id)
        try:
            with self._gate.watching(request):
                result = _checked(self._reconciler.reconcile(request))
        except BaseException as error:  # noqa: BLE001 - a reconciler is foreign code; even its sys.exit ends no worker
            if fence is not None and fence.is_requested:
                self._interrupted(request, run, error)
            else:
                self._failed(request, run, error, deadline)
        else:
            self._succeeded(request, run, result)

    def _deadline(self, started: float) -> Deadline | None:
        timeout = self._timeout_seconds
        return None if timeout is None else Deadline(started + timeout, timeout)

    def _succeeded(self, request: Request, run: Run, result: Result) -> None:
        next_priority = run.priority if result.priority is None else result.priority
        if result.requeue_after_seconds is not None:
            run.outcome, run.next_in_seconds = "requeue_after", max(0.0, result.requeue_after_seconds)
            self._measure.finished("requeue_after")
            self._queue.forget(request)
            reason = Reason("later", due_at=self._clock.monotonic() + run.next_in_seconds)
            self._queue.add_after(request, result.requeue_after_seconds, priority=next_priority, reason=reason)
        elif result.requeue:
            run.outcome = "requeue"
            self._measure.finished("requeue")
            self._again(request, run, Reason("backoff"), next_priority)
        else:
            run.outcome = "success"
            self._measure.finished("success")
            self._queue.forget(request)

    def _put_off(self, request: Request, run: Run, error: ClusterUnavailable) -> None:
        """No failure of this request: it was not even tried, and is not made to wait longer each time."""
        run.outcome, run.next_in_seconds, run.error = "requeue_after", error.retry_after_seconds, error_text(error)
        self._measure.finished("requeue_after")
        reason = Reason("retry", type(error).__name__)
        self._queue.add_after(request, error.retry_after_seconds, priority=run.priority, reason=reason)
        # The cluster has its own line, once; this may be said for hundreds of keys every few seconds.
        _log.debug("reconcile_put_off", error=str(error))

    def _interrupted(self, request: Request, run: Run, error: BaseException) -> None:
        """Whatever was raised in a term that is over says nothing about the reconciler: the next leader will see."""
        run.outcome, run.error = "requeue", error_text(error)
        self._measure.finished("requeue")
        self._queue.add(request, priority=run.priority, reason=Reason("retry", type(error).__name__))
        _log.info("reconcile_interrupted", error=str(error), kind=type(error).__name__)

    def _failed(self, request: Request, run: Run, error: BaseException, deadline: Deadline | None) -> None:
        if isinstance(error, ClusterUnavailable):
            self._put_off(request, run, error)
            return
        self._count(error, deadline)
        # Before the log, which may fail as well: the request must not be lost.
        if isinstance(error, TerminalError):
            self._queue.forget(request)
            run.outcome = "terminal_error"
        else:
            self._again(request, run, Reason("retry", type(error).__name__), run.priority)
            run.outcome = "error"
        run.error = error_text(error)
        _report(error)

    def _again(self, request: Request, run: Run, reason: Reason, priority: int) -> None:
        self._queue.add_rate_limited(request, priority=priority, reason=reason)
        run.next_in_seconds = self._queue.ready_in(request)

    def _count(self, error: BaseException, deadline: Deadline | None) -> None:
        self._measure.finished("error")
        self._measure.errors.inc()
        if isinstance(error, TerminalError):
            self._measure.terminal.inc()
        if not isinstance(error, WindlassError):
            self._measure.panics.inc()
        if deadline is not None and self._has_fired(deadline, error):
            self._measure.timeouts.inc()

    def _has_fired(self, deadline: Deadline, error: BaseException) -> bool:
        """Whether it was this deadline, and no limit of the network's own, that ended the reconcile."""
        is_over = self._clock.monotonic() >= deadline.at - _TIMER_TOLERANCE_SECONDS
        return isinstance(error, DeadlineExceeded) or (is_over and isinstance(error, TimedOut))


def _checked(result: object) -> Result:
    if isinstance(result, Result):
        return result
    raise TypeError(f"reconcile must return a Result, for example Result.await_change(), not {type(result).__name__}")


def _report(error: BaseException) -> None:
    match error:
        case TerminalError():
            _log.error("reconcile_failed_for_good", error=str(error))
        case Conflict():
            # Somebody else wrote first; the next try sees what. This is how optimistic writes are meant to be.
            _log.info("reconcile_conflicted", error=str(error))
        case WindlassError():
            _log.warning("reconcile_failed", error=str(error), kind=type(error).__name__)
        case _:
            text = traceback.format_exception_only(error)[-1].strip()
            _log.error("reconcile_raised", error=text, exc_info=error)
