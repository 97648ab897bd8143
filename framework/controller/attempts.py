"""One reconcile: from the request to what its end means for the queue, the metrics and the log."""

import traceback
from contextvars import copy_context

import structlog

from apis.meta import Request
from framework.clock import Clock
from framework.controller.metrics import ControllerMeasure
from framework.errors import Conflict, DeadlineExceeded, TerminalError, TimedOut, WindlassError
from framework.randomness import Random
from framework.reconcile import Reconciler, Result
from framework.runtime import Deadline, deadline_scope
from framework.workqueue import WorkQueue

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
        clock: Clock,
        random: Random,
    ) -> None:
        self._controller = controller
        self._reconciler = reconciler
        self._queue = queue
        self._timeout_seconds = timeout_seconds
        self._measure = measure
        self._clock = clock
        self._random = random

    def make(self, request: Request, priority: int) -> None:
        """Reconcile *request* once, whatever the reconciler does."""
        self._measure.active.inc()
        started = self._clock.monotonic()
        try:
            # In a context of its own: what the reconciler binds there is gone with it.
            copy_context().run(self._make, request, priority, self._deadline(started))
        finally:
            self._measure.seconds.observe(self._clock.monotonic() - started)
            self._measure.active.dec()

    def _make(self, request: Request, priority: int, deadline: Deadline | None) -> None:
        structlog.contextvars.bind_contextvars(
            controller=self._controller, object=str(request), reconcile_id=f"{self._random.getrandbits(64):016x}"
        )
        try:
            with deadline_scope(deadline):
                result = _checked(self._reconciler.reconcile(request))
        except BaseException as error:  # noqa: BLE001 - a reconciler is foreign code; even its sys.exit ends no worker
            self._failed(request, priority, error, deadline)
        else:
            self._succeeded(request, priority, result)

    def _deadline(self, started: float) -> Deadline | None:
        timeout = self._timeout_seconds
        return None if timeout is None else Deadline(started + timeout, timeout)

    def _succeeded(self, request: Request, priority: int, result: Result) -> None:
        next_priority = priority if result.priority is None else result.priority
        if result.requeue_after_seconds is not None:
            self._measure.finished("requeue_after")
            self._queue.forget(request)
            self._queue.add_after(request, result.requeue_after_seconds, priority=next_priority)
        elif result.requeue:
            self._measure.finished("requeue")
            self._queue.add_rate_limited(request, priority=next_priority)
        else:
            self._measure.finished("success")
            self._queue.forget(request)

    def _failed(self, request: Request, priority: int, error: BaseException, deadline: Deadline | None) -> None:
        self._count(error, deadline)
        # Before the log, which may fail as well: the request must not be lost.
        if isinstance(error, TerminalError):
            self._queue.forget(request)
        else:
            self._queue.add_rate_limited(request, priority=priority)
        _report(error)

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
