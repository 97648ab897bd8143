"""Sends events.k8s.io/v1 Events from a task of its own."""

from collections import OrderedDict, deque
from typing import Literal

import msgspec
import structlog

from apis.meta import (
    GroupVersionKind,
    KubeObject,
    ObjectMeta,
    ResourceType,
    Unstructured,
    micro_time,
    resource_type_of,
)
from framework.client import Client
from framework.clock import Clock
from framework.errors import WindlassError
from framework.randomness import Random
from framework.runtime import Runtime, Task

EVENTS = ResourceType(GroupVersionKind("events.k8s.io", "v1", "Event"), "events")
# Limits of the API server.
_LONGEST_NOTE = 1024
_LONGEST_INSTANCE = 128
_LONGEST_NAME = 200
_REPEAT_SECONDS = 600.0
_REMEMBERED = 4096
_PENDING = 1000

_log = structlog.get_logger("windlass.events")


class _Said(msgspec.Struct, frozen=True):
    """Two events that agree in all of this are one."""

    uid: str
    type: str
    reason: str
    note: str


class EventRecorder:
    """Records events in the name of one controller."""

    def __init__(
        self, client: Client, controller: str, *, instance: str = "", clock: Clock, runtime: Runtime, random: Random
    ) -> None:
        self._client = client
        self._controller = f"windlass/{controller}"
        self._instance = f"{controller}-{instance or 'windlass'}"[:_LONGEST_INSTANCE]
        self._clock = clock
        self._random = random
        self._runtime = runtime
        self._changed = runtime.condition()
        self._pending: deque[Unstructured] = deque()
        self._said: OrderedDict[_Said, float] = OrderedDict()
        self._stopped = False
        self._task: Task | None = None

    def record(
        self, about: KubeObject, event_type: Literal["Normal", "Warning"], reason: str, note: str, *, action: str
    ) -> None:
        """Say *note* about an object; what was said in the last ten minutes is not repeated."""
        said = _Said(about.metadata.uid, event_type, reason, note)
        with self._changed:
            if self._is_repetition(said) or self._is_full(said):
                return
            self._pending.append(self._event(about, said, action))
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

    def _is_repetition(self, said: _Said) -> bool:
        now = self._clock.monotonic()
        is_repetition = now - self._said.get(said, -_REPEAT_SECONDS) < _REPEAT_SECONDS
        if not is_repetition:
            self._said[said] = now
            self._said.move_to_end(said)
            if len(self._said) > _REMEMBERED:
                self._said.popitem(last=False)
        return is_repetition

    def _is_full(self, said: _Said) -> bool:
        if len(self._pending) < _PENDING:
            return False
        _log.warning("event_dropped", reason=said.reason, note=said.note)
        return True

    def _run(self) -> None:
        while (event := self._next()) is not None:
            try:
                self._client.create(event, kind=EVENTS)
            except WindlassError as error:
                _log.warning("event_not_sent", reason=event.content["reason"], error=str(error))

    def _next(self) -> Unstructured | None:
        with self._changed:
            while not self._pending and not self._stopped:
                self._changed.wait()
            return self._pending.popleft() if self._pending else None

    def _event(self, about: KubeObject, said: _Said, action: str) -> Unstructured:
        metadata = about.metadata
        gvk = resource_type_of(type(about)).gvk
        name = f"{metadata.name[:_LONGEST_NAME]}.{self._random.getrandbits(64):016x}"
        # Events about cluster-scoped objects live in the namespace default, as the API server demands.
        namespace = metadata.namespace or "default"
        content = {
            "metadata": {"name": name, "namespace": namespace},
            "eventTime": micro_time(self._clock.now()),
            "reportingController": self._controller,
            "reportingInstance": self._instance,
            "action": action,
            "reason": said.reason,
            "note": said.note[:_LONGEST_NOTE],
            "type": said.type,
            "regarding": {
                "apiVersion": gvk.api_version,
                "kind": gvk.kind,
                "namespace": metadata.namespace,
                "name": metadata.name,
                "uid": metadata.uid,
                "resourceVersion": metadata.resource_version,
            },
        }
        return Unstructured(metadata=ObjectMeta(name=name, namespace=namespace), content=content)
