"""Sends events from a task of its own."""

from collections import OrderedDict, deque

import structlog

from apis.meta import GroupVersionKind, KubeObject, ResourceType, Unstructured
from framework.client import Client
from framework.clock import Clock
from framework.events.event import EventType, Reporter, Said, make_event
from framework.randomness import Random
from framework.runtime import Runtime, Task

EVENTS = ResourceType(GroupVersionKind("events.k8s.io", "v1", "Event"), "events")
_REPEAT_SECONDS = 600.0
_REMEMBERED = 4096
_PENDING = 1000

_log = structlog.get_logger("windlass.events")


class EventRecorder:
    """Records events in the name of one controller."""

    def __init__(
        self, client: Client, controller: str, *, instance: str = "", clock: Clock, runtime: Runtime, random: Random
    ) -> None:
        self._client = client
        self._controller = controller
        self._reporter = Reporter.of(controller, instance)
        self._clock = clock
        self._random = random
        self._runtime = runtime
        self._changed = runtime.condition()
        self._pending: deque[tuple[Said, Unstructured]] = deque()
        # When each thing was said last, oldest first.
        self._said: OrderedDict[Said, float] = OrderedDict()
        self._stopped = False
        self._task: Task | None = None

    def record(self, about: KubeObject, event_type: EventType, reason: str, note: str, *, action: str) -> None:
        """Say *note* about an object; what was said in the last ten minutes is not repeated."""
        said = Said(about.metadata.uid, event_type, reason, note)
        try:
            suffix = f"{self._random.getrandbits(64):016x}"
            event = make_event(about, said, action, by=self._reporter, at=self._clock.now(), suffix=suffix)
        except Exception as error:  # noqa: BLE001 - an event is never worth a reconcile
            _log.warning("event_dropped", reason=reason, note=note, error=str(error))
            return
        with self._changed:
            if self._is_repetition(said) or self._is_full(said):
                return
            self._remember(said)
            self._pending.append((said, event))
            self._changed.notify()

    def start(self) -> None:
        self._task = self._runtime.spawn(f"events-{self._controller}", self._run)

    def stop(self, timeout: float = 2.0) -> None:
        """Send what is pending, for at most *timeout* seconds."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._task is not None:
            self._task.join(timeout)

    def _is_repetition(self, said: Said) -> bool:
        last = self._said.get(said)
        return last is not None and self._clock.monotonic() - last < _REPEAT_SECONDS

    def _is_full(self, said: Said) -> bool:
        if len(self._pending) < _PENDING:
            return False
        _log.warning("event_dropped", reason=said.reason, note=said.note, error="too many events are waiting")
        return True

    def _remember(self, said: Said) -> None:
        self._said[said] = self._clock.monotonic()
        self._said.move_to_end(said)
        if len(self._said) > _REMEMBERED:
            self._said.popitem(last=False)

    def _run(self) -> None:
        while (pending := self._next()) is not None:
            self._send(*pending)

    def _next(self) -> tuple[Said, Unstructured] | None:
        with self._changed:
            while not self._pending and not self._stopped:
                self._changed.wait()
            return self._pending.popleft() if self._pending else None

    def _send(self, said: Said, event: Unstructured) -> None:
        try:
            self._client.create(event, kind=EVENTS)
        except Exception as error:  # noqa: BLE001 - one event that cannot be sent must not cost all later ones
            _log.warning("event_not_sent", reason=said.reason, error=str(error))
            # Nobody has heard it: when it is said again it is no repetition.
            with self._changed:
                self._said.pop(said, None)
