"""Delivers changes to one handler, in a task of its own, so that no handler waits for another."""

from collections import deque
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import structlog

from apis.meta import Key, KubeObject
from framework.clock import Clock
from framework.informers.metrics import NO_MEASURE, HandlerMeasure
from framework.runtime import Runtime, Task
from framework.store import Change

T = TypeVar("T", bound=KubeObject)

# From here on changes of the same object are merged, so that a handler that is
# stuck costs at most one pending change for each object.
MERGE_ABOVE = 10_000

_log = structlog.get_logger("windlass.informer")


class Handler(Protocol[T]):
    def on_change(self, change: Change[T]) -> None:
        """Take note of *change*; usually: queue a key. What it raises is logged and goes no further."""


class HandlerRegistration(Generic[T]):
    """One handler's place at an informer."""

    def __init__(
        self,
        name: str,
        handler: Handler[T],
        *,
        runtime: Runtime,
        clock: Clock,
        measure: HandlerMeasure = NO_MEASURE,
    ) -> None:
        self.name = name
        self._handler = handler
        self._runtime = runtime
        self._clock = clock
        self._measure = measure
        # Whole batches as they arrived. Invariant, under _arrived: what is in
        # _merged came after all of them; a stopped one has nothing pending.
        self._pending: deque[_Batch[T]] = deque()
        self._merged: dict[Key, Change[T]] = {}
        self._arrived = runtime.condition()
        self._progressed = runtime.condition()
        # The handler has synced once it has handled as many changes as had been
        # taken in when the initial state was complete.
        self._taken_in = 0
        self._handled = 0
        self._initial_ends_at: int | None = None
        self._stopped = False
        self._task: Task | None = None

    @property
    def has_synced(self) -> bool:
        """The handler has been given the whole initial state."""
        return self._initial_ends_at is not None and self._handled >= self._initial_ends_at

    def wait_for_sync(self, timeout: float) -> bool:
        with self._progressed:
            if not self.has_synced and not self._stopped:
                self._progressed.wait(timeout)
            return self.has_synced

    @property
    def queued(self) -> int:
        """Changes taken in and not yet handled, the one under way included."""
        return 0 if self._stopped else self._taken_in - self._handled

    def start(self) -> None:
        self._task = self._runtime.spawn(f"handler-{self.name}", self._run)

    def stop(self) -> None:
        """What is pending is dropped: whoever is stopped does not act any more."""
        with self._arrived:
            self._stopped = True
            self._pending.clear()
            self._merged.clear()
            self._arrived.notify_all()
        with self._progressed:
            self._progressed.notify_all()

    def join(self, timeout: float | None = None) -> None:
        if self._task is not None:
            self._task.join(timeout)

    def deliver(self, changes: Sequence[Change[T]], *, completes_initial: bool = False) -> None:
        now = self._clock.monotonic()
        with self._arrived:
            if self._stopped:
                return
            if self._merged or self.queued >= MERGE_ABOVE:
                self._merge(changes)
            elif changes:
                self._pending.append(_Batch(changes, now))
                self._taken_in += len(changes)
            if completes_initial and self._initial_ends_at is None:
                self._initial_ends_at = self._taken_in
            self._arrived.notify()
        if completes_initial:
            self._tell_if_synced()

    def _merge(self, changes: Sequence[Change[T]]) -> None:
        for change in changes:
            earlier = self._merged.get(change.key)
            self._merged[change.key] = change if earlier is None else earlier.followed_by(change)
            self._taken_in += earlier is None

    def _run(self) -> None:
        while (batch := self._take()) is not None:
            for change in batch.changes:
                if self._stopped:
                    return
                self._handle(change)
                self._handled += 1
                if self._handled == self._initial_ends_at:
                    self._tell_if_synced()
            self._measure.processed(self._clock.monotonic() - batch.arrived_at)

    def _take(self) -> "_Batch[T] | None":
        with self._arrived:
            while not self._pending and not self._merged and not self._stopped:
                self._arrived.wait()
            if self._stopped:
                return None
            if self._pending:
                return self._pending.popleft()
            merged, self._merged = self._merged, {}
            return _Batch(tuple(merged.values()), self._clock.monotonic())

    def _handle(self, change: Change[T]) -> None:
        if change.old_entry is None and change.new_entry is None:
            # Created and deleted again while it was pending: never seen.
            return
        for part in change.parts():
            try:
                self._handler.on_change(part)
            except Exception:  # noqa: BLE001 - a handler is foreign code
                _log.exception("handler_failed", handler=self.name, object=str(change.key))

    def _tell_if_synced(self) -> None:
        if self.has_synced:
            with self._progressed:
                self._progressed.notify_all()


class _Batch(Generic[T]):
    """The changes of one delivery; every handler of an informer gets the same sequence."""

    __slots__ = ("arrived_at", "changes")

    def __init__(self, changes: Sequence[Change[T]], arrived_at: float) -> None:
        self.changes = changes
        self.arrived_at = arrived_at
