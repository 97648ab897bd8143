"""Workers that take requests from a queue and hand them to a reconciler."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import structlog

from apis.meta import Request
from framework.clock import Clock
from framework.controller.attempts import Attempts
from framework.controller.gate import Gate
from framework.controller.metrics import ControllerMetrics
from framework.controller.sources import Attachment, Primary, Source
from framework.controller.turn import Turn
from framework.errors import ConfigurationError, QueueShutDown
from framework.informers import SharedInformer
from framework.journal import Journal, JournalOptions
from framework.own_writes import MODES, Mode
from framework.randomness import Random
from framework.reconcile import Reconciler
from framework.rights import Right
from framework.runtime import Runtime, Task
from framework.workqueue import RateLimiter, Reason, WorkQueue, WorkQueueMetrics, default_rate_limiter

_SYNC_POLL_SECONDS = 1.0
_PAUSE_SECONDS = 0.05
_TURN_POLL_SECONDS = 0.5

_log = structlog.get_logger("windlass.controller")


class ControllerOptions(msgspec.Struct, frozen=True):
    max_concurrent_reconciles: int = 8
    reconcile_timeout_seconds: float | None = None
    rate_limiter: RateLimiter | None = None
    # A controller that may run in every replica at once; all others run in the leader only.
    needs_leader: bool = True
    # How a reconcile sees what this process wrote and its caches have not heard of: on top of the cache; by waiting in
    # the read; not at all, but the key is reconciled only once the cache has it; not at all.
    own_writes: Mode = "overlay"
    # Groups take turns at the workers, and none has more of them than this; see `framework.workqueue`.
    group_of: Callable[[Request], str] | None = None
    max_concurrent_per_group: int | None = None
    # What it must be allowed to do, beside following its sources; with them, it begins when it has all of these.
    # None: nobody asks, and it begins at once.
    rights: tuple[Right, ...] | None = None

    def __post_init__(self) -> None:
        if self.max_concurrent_reconciles < 1:
            raise ConfigurationError(f"a controller needs at least one worker, not {self.max_concurrent_reconciles}")
        timeout = self.reconcile_timeout_seconds
        if timeout is not None and not timeout > 0:
            raise ConfigurationError(f"a reconcile timeout must be more than 0 seconds, not {timeout:g}")
        if self.own_writes not in MODES:
            raise ConfigurationError(f"own_writes must be one of {', '.join(MODES)}, not {self.own_writes!r}")
        limit = self.max_concurrent_per_group
        if limit is not None and (limit < 1 or self.group_of is None):
            raise ConfigurationError(f"max_concurrent_per_group={limit} needs group_of, and at least one worker")


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
        journal: JournalOptions | None = None,
    ) -> None:
        self.name = name
        self.options = options or ControllerOptions()
        self._sources = sources
        self._clock = clock
        self._runtime = runtime
        self._measure = metrics.for_controller(name, self.options.max_concurrent_reconciles)
        self.journal = Journal(runtime, journal)
        self._queue: WorkQueue[Request] = WorkQueue(
            name,
            runtime=runtime,
            clock=clock,
            limiter=self.options.rate_limiter or default_rate_limiter(),
            metrics=queue_metrics,
            group_of=self.options.group_of,
            max_started_per_group=self.options.max_concurrent_per_group,
            keeps_reasons=self.journal.is_kept,
        )
        self._attempts = Attempts(
            name,
            reconciler,
            self._queue,
            timeout_seconds=self.options.reconcile_timeout_seconds,
            measure=self._measure,
            gate=Gate(name, self.options.own_writes, clock),
            journal=self.journal,
            clock=clock,
            random=random,
        )
        self._attached: list[tuple[Source, Attachment]] = []
        self._is_watching = False
        self._stopping = runtime.event()
        self._turn: Turn | None = None
        self._starter: Task | None = None

    @property
    def has_synced(self) -> bool:
        """Every source has delivered its initial state."""
        return self._is_watching and all(registration.has_synced for _, registration in self._attached)

    @property
    def is_stopping(self) -> bool:
        """It has been told to stop, and will not begin again."""
        return self._stopping.is_set()

    @property
    def informers(self) -> frozenset[SharedInformer[Any]]:
        """What its sources follow."""
        return frozenset(source.informer for source in self._sources if source.informer is not None)

    @property
    def primary(self) -> SharedInformer[Any] | None:
        """The cache of what it reconciles; None if no source says."""
        return next((source.informer for source in self._sources if isinstance(source, Primary)), None)

    def look_again(self) -> None:
        """Ask for a reconcile of everything that the sources know, after all that is new."""
        for source, registration in list(self._attached):
            source.resync(registration)

    def enqueue(self, request: Request, priority: int = 0, after_seconds: float = 0.0) -> None:
        """Ask for a reconcile from outside of any source."""
        self._queue.add(request, priority=priority, after=after_seconds, reason=Reason("called"))

    def watch(self) -> None:
        """Begin to fill the queue."""
        self._attached = [(source, source.attach(self._queue, self.name)) for source in self._sources]
        self._is_watching = True

    def start(self, turn: Turn | None = None) -> None:
        """Begin to work, as soon as all sources have delivered their initial state, while *turn* is set."""
        self._turn = turn
        self._starter = self._runtime.spawn(f"{self.name}-start", self._run_workers)

    def request_stop(self) -> None:
        """Take no further request; what waits in the queue is dropped. Does not wait for what is under way."""
        self._stopping.set()
        self._queue.shut_down()
        attached, self._attached = self._attached, []
        for source, registration in attached:
            source.detach(registration)

    def stop(self, timeout: float | None = 30.0) -> bool:
        """Finish what is under way; false when *timeout* seconds were not enough."""
        self.request_stop()
        if self._starter is None:
            return True
        self._starter.join(timeout)
        return not self._starter.is_alive()

    def _run_workers(self) -> None:
        if not self._wait_for_sources():
            return
        _log.info("controller_started", controller=self.name, workers=self.options.max_concurrent_reconciles)
        workers = [
            self._runtime.spawn(f"{self.name}-{number}", self._work)
            for number in range(self.options.max_concurrent_reconciles)
        ]
        for worker in workers:
            worker.join()

    def _wait_for_sources(self) -> bool:
        for _, registration in self._attached:
            while not registration.wait_for_sync(_SYNC_POLL_SECONDS):
                # Paused, because a handler whose informer was removed answers at once, for ever.
                if self._stopping.wait(_PAUSE_SECONDS):
                    return False
        return not self._stopping.is_set()

    def _work(self) -> None:
        while self._wait_for_turn():
            try:
                request, priority = self._queue.get()
            except QueueShutDown:
                return
            try:
                self._work_on(request, priority)
            except Exception:  # noqa: BLE001 - not even the log worked, so there is nobody left to tell
                self._measure.panics.inc()
            finally:
                self._queue.done(request)

    def _wait_for_turn(self) -> bool:
        while not self._stopping.is_set():
            if self._turn is None or self._turn.wait(_TURN_POLL_SECONDS):
                return True
        return False

    def _work_on(self, request: Request, priority: int) -> None:
        if self._turn is None:
            self._attempts.make(request, priority)
        elif (fence := self._turn.fence()) is not None:
            self._attempts.make(request, priority, fence)
        else:
            # The turn ended while this worker waited for work.
            self._queue.add(request, priority=priority)
