"""Sends events from a task of its own."""

from collections.abc import Iterable
from math import inf

import structlog

from apis.meta import KubeObject
from framework.client import Client
from framework.clock import Clock
from framework.events.event_api import event_api_for
from framework.events.metrics import DROP_REASONS, EventMetrics, RecorderMetrics
from framework.events.occurrence import EventType, Occurrence, occurrence_of
from framework.events.options import EventOptions
from framework.events.outbox import GivenUp, Outbox
from framework.events.refusal import QUIET
from framework.events.reporter import Reporter
from framework.events.write import Write
from framework.randomness import Random
from framework.runtime import Deadline, Runtime, Task, deadline_scope

_WRITE_SECONDS = 30.0
# Told also of repetitions: something is wrong that will not pass by itself.
_LOUD = frozenset({"rejected", "retry_limit"})

_log = structlog.get_logger("windlass.events")


class EventRecorder:
    """Records events in the name of one controller."""

    def __init__(
        self,
        client: Client,
        controller: str,
        *,
        instance: str = "",
        clock: Clock,
        runtime: Runtime,
        random: Random,
        metrics: EventMetrics | None = None,
        options: EventOptions | None = None,
    ) -> None:
        options = options or EventOptions()
        self._client = client
        self._controller = controller
        self._clock = clock
        self._runtime = runtime
        self._metrics = RecorderMetrics(metrics, controller)
        # Guards all below.
        self._changed = runtime.condition()
        self._outbox = Outbox(options, event_api_for(options.api_version, Reporter.of(controller, instance)), random)
        self._task: Task | None = None
        # When the flush at the stop must be over, on the monotonic clock.
        self._deadline = inf
        self._has_ended = False

    def record(
        self,
        about: KubeObject,
        event_type: EventType,
        reason: str,
        note: str,
        *,
        action: str,
        related: KubeObject | None = None,
    ) -> None:
        """Say *note* about an object; what is said again within six minutes is counted in the same Event.

        *related* is a second object that has to do with it, e.g. the one that was created.
        """
        try:
            occurrence = occurrence_of(
                about, event_type, reason, note, action=action, related=related, at=self._clock.now()
            )
        except Exception as error:  # noqa: BLE001 - an event is never worth a reconcile
            self._metrics.dropped("invalid")
            _log.warning("event_dropped", controller=self._controller, reason=reason, error=str(error))
            return
        self._tell(self._hear(occurrence))

    def start(self) -> None:
        self._task = self._runtime.spawn(f"events-{self._controller}", self._run)

    def stop(self, timeout: float = 2.0) -> None:
        """Send what is pending and the counts of all series, for at most *timeout* seconds; the rest is given up."""
        with self._changed:
            now = self._clock.monotonic()
            self._deadline = min(self._deadline, now + timeout)
            given_up = self._outbox.hurry(now)
            self._changed.notify()
        self._tell(given_up)
        if self._task is not None:
            self._task.join(timeout)
        with self._changed:
            self._has_ended = True
            given_up = self._outbox.abandon()
        self._tell(given_up)

    def _hear(self, occurrence: Occurrence) -> list[GivenUp]:
        with self._changed:
            if self._has_ended:
                return [GivenUp(occurrence, "stopped", is_first_of_kind=True)]
            given_up = self._outbox.hear(occurrence, self._clock.monotonic())
            if not self._outbox.is_empty:
                self._changed.notify()
        return given_up

    def _run(self) -> None:
        while (write := self._next()) is not None:
            self._send(write)

    def _next(self) -> Write | None:
        with self._changed:
            while (now := self._clock.monotonic()) < self._deadline and not self._has_ended:
                # Given up are repetitions only, which need no words.
                self._count(self._outbox.advance(now))
                write = self._outbox.take(now)
                if write is not None:
                    return write
                if self._deadline < inf and self._outbox.is_empty:
                    return None
                self._wait_until(min(self._outbox.next_due(), self._deadline), now)
        return None

    def _wait_until(self, due: float, now: float) -> None:
        self._changed.wait(None if due == inf else max(0.0, due - now))

    def _send(self, write: Write) -> None:
        try:
            with deadline_scope(self._deadline_of_a_write()):
                written = write.send(self._client)
        except Exception as error:  # noqa: BLE001 - one event that cannot be sent must not cost all later ones
            _log.debug("event_write_failed", controller=self._controller, name=write.key.name, error=str(error))
            with self._changed:
                given_up = self._outbox.failed(error, self._clock.monotonic())
        else:
            self._metrics.written(written)
            with self._changed:
                given_up = self._outbox.delivered(self._clock.monotonic())
        self._tell(given_up)

    def _deadline_of_a_write(self) -> Deadline:
        with self._changed:
            return Deadline(min(self._clock.monotonic() + _WRITE_SECONDS, self._deadline), _WRITE_SECONDS)

    def _count(self, given_up: Iterable[GivenUp]) -> None:
        for each in given_up:
            self._metrics.given_up(each.reason, is_loss=each.is_first_of_kind and each.reason not in QUIET)

    def _tell(self, given_up: list[GivenUp]) -> None:
        self._count(given_up)
        for each in given_up:
            # A repetition that had no room is in the count of the next one.
            is_loud = each.is_first_of_kind or each.reason in _LOUD
            write_line = _log.warning if is_loud and each.reason not in QUIET else _log.debug
            regarding = each.occurrence.topic.regarding
            write_line(
                "event_dropped" if each.reason in DROP_REASONS else "event_not_sent",
                controller=self._controller,
                why=each.reason,
                kind=regarding.kind,
                namespace=regarding.namespace,
                name=regarding.name,
                reason=each.occurrence.topic.reason,
                note=each.occurrence.note,
                error=each.error,
            )
