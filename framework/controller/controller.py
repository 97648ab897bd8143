"""Workers that take requests from a queue and hand them to a reconciler."""

from collections.abc import Sequence
from typing import Any

import msgspec
import structlog

from apis.meta import Request
from framework.clock import Clock
from framework.controller.metrics import ControllerMeasure, ControllerMetrics
from framework.controller.sources import Source
from framework.errors import DeadlineExceeded, QueueShutDown, TerminalError, WindlassError
from framework.informers import HandlerRegistration
from framework.randomness import Random
from framework.reconcile import Reconciler, Result
from framework.runtime import Deadline, Event, Runtime, Task, deadline_scope
from framework.workqueue import RateLimiter, WorkQueue, WorkQueueMetrics, default_rate_limiter

_SYNC_POLL_SECONDS = 1.0
_TURN_POLL_SECONDS = 0.5

_log = structlog.get_logger("windlass.controller")


class ControllerOptions(msgspec.Struct, frozen=True):
    max_concurrent_reconciles: int = 8
    reconcile_timeout_seconds: float | None = None
    rate_limiter: RateLimiter | None = None
    # A controller that may run in every replica at once; all others run in the leader only.
    needs_leader: bool = True


class Controller:
    """One reconciler with its queue and workers."""

    def __init__(
        self,
        name: str,
        reconciler: Reconciler,
        sources: Sequence[Source],
        *,
        clock: Clock,
        runtime: Runtime,
        random: Random,
        options: ControllerOptions | None = None,
        metrics: ControllerMetrics,
        queue_metrics: WorkQueueMetrics | None = None,
    ) -> None:
        self.name = name
        self.options = options or ControllerOptions()
        self._reconciler = reconciler
        self._sources = sources
        self._clock = clock
        self._runtime = runtime
        self._random = random
        self._measure: ControllerMeasure = metrics.for_controller(name, self.options.max_concurrent_reconciles)
        self._queue: WorkQueue[Request] = WorkQueue(
            name,
            runtime=runtime,
            clock=clock,
            limiter=self.options.rate_limiter or default_rate_limiter(),
            metrics=queue_metrics,
        )
        self._registrations: list[HandlerRegistration[Any]] = []
        self._stopping = runtime.event()
        self._turn: Event | None = None
        self._tasks: list[Task] = []

    @property
    def has_synced(self) -> bool:
        return bool(self._registrations) and all(each.has_synced for each in self._registrations)

    def enqueue(self, request: Request) -> None:
        """Ask for a reconcile from outside of any source."""
        self._queue.add(request)

    def watch(self) -> None:
        """Begin to fill the queue."""
        self._registrations = [source.attach(self._queue, self.name) for source in self._sources]

    def start(self, turn: Event | None = None) -> None:
        """Begin to work, as soon as all sources have delivered their initial state, while *turn* is set."""
        self._turn = turn
        self._tasks.append(self._runtime.spawn(f"{self.name}-start", self._start_workers))

    def stop(self, timeout: float | None = 30.0) -> bool:
        """Finish what is under way; false when *timeout* seconds were not enough."""
        self._stopping.set()
        self._queue.shut_down()
        deadline = None if timeout is None else self._clock.monotonic() + timeout
        for task in self._tasks:
            task.join(None if deadline is None else max(0.0, deadline - self._clock.monotonic()))
        return not any(task.is_alive() for task in self._tasks)

    def _start_workers(self) -> None:
        for registration in self._registrations:
            while not registration.wait_for_sync(_SYNC_POLL_SECONDS):
                if self._stopping.is_set():
                    return
        _log.info("controller_started", controller=self.name, workers=self.options.max_concurrent_reconciles)
        workers = [
            self._runtime.spawn(f"{self.name}-{number}", self._work)
            for number in range(self.options.max_concurrent_reconciles)
        ]
        for worker in workers:
            worker.join()

    def _work(self) -> None:
        while self._wait_for_turn():
            try:
                request, priority = self._queue.get()
            except QueueShutDown:
                return
            try:
                self._process_in_turn(request, priority)
            finally:
                self._queue.done(request)

    def _wait_for_turn(self) -> bool:
        while not self._stopping.is_set():
            if self._turn is None or self._turn.wait(_TURN_POLL_SECONDS):
                return True
        return False

    def _process_in_turn(self, request: Request, priority: int) -> None:
        if self._turn is None or self._turn.is_set():
            self._process(request, priority)
        else:
            # The turn ended while this worker waited for work.
            self._queue.add(request, priority=priority)

    def _process(self, request: Request, priority: int) -> None:
        self._measure.active.inc()
        started = self._clock.monotonic()
        with structlog.contextvars.bound_contextvars(
            controller=self.name, object=str(request), reconcile_id=f"{self._random.getrandbits(64):016x}"
        ):
            try:
                with deadline_scope(self._deadline(started)):
                    result = self._reconciler.reconcile(request)
            except Exception as error:  # noqa: BLE001 - a reconciler is foreign code; one key must not end a worker
                self._failed(request, priority, error)
            else:
                self._succeeded(request, priority, result)
            finally:
                self._measure.seconds.observe(self._clock.monotonic() - started)
                self._measure.active.dec()

    def _deadline(self, started: float) -> Deadline | None:
        timeout = self.options.reconcile_timeout_seconds
        return None if timeout is None else Deadline(started + timeout, timeout)

    def _succeeded(self, request: Request, priority: int, result: Result) -> None:
        next_priority = priority if result.priority is None else result.priority
        if result.requeue_after_seconds:
            self._measure.finished("requeue_after")
            self._queue.forget(request)
            self._queue.add_after(request, result.requeue_after_seconds, priority=next_priority)
        elif result.requeue:
            self._measure.finished("requeue")
            self._queue.add_rate_limited(request, priority=next_priority)
        else:
            self._measure.finished("success")
            self._queue.forget(request)

    def _failed(self, request: Request, priority: int, error: Exception) -> None:
        self._measure.finished("error")
        self._measure.errors.inc()
        if isinstance(error, TerminalError):
            self._measure.terminal.inc()
            self._queue.forget(request)
            _log.error("reconcile_failed_for_good", error=str(error))
            return
        if isinstance(error, DeadlineExceeded):
            self._measure.timeouts.inc()
        if isinstance(error, WindlassError):
            _log.warning("reconcile_failed", error=str(error), kind=type(error).__name__)
        else:
            self._measure.panics.inc()
            _log.error("reconcile_raised", error=str(error), kind=type(error).__name__, exc_info=error)
        self._queue.add_rate_limited(request, priority=priority)
