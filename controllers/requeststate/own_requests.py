"""The requests that a director creates itself, and how they are getting on."""

from collections.abc import Callable, Sequence

import msgspec
import structlog

from apis.meta import Key, ObjectMeta
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from controllers.requeststate.director import COMPLETE, FAILED
from controllers.requeststate.flow import JOBS_ANNOTATION, Flow
from framework.client import Client
from framework.clock import Clock
from framework.conditions import find_condition, is_true
from framework.errors import AlreadyExists, ConfigurationError, ServerError, TooManyRequests, TransportError
from framework.runtime import Event, Runtime
from framework.store import Change

_log = structlog.get_logger("windlass.director")


class Progress(msgspec.Struct, frozen=True):
    """One request at one moment."""

    name: str
    job: str
    state: str
    elapsed_seconds: float
    is_complete: bool = False
    is_failed: bool = False
    message: str = ""

    @property
    def is_over(self) -> bool:
        return self.is_complete or self.is_failed


class OwnRequests:
    """Creates requests and follows them until each is complete or has failed."""

    def __init__(
        self,
        names: Sequence[str],
        namespace: str,
        flow: Flow,
        *,
        client: Client,
        clock: Clock,
        runtime: Runtime,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._namespace = namespace
        self._flow = flow
        self._client = client
        self._clock = clock
        self._on_progress = on_progress
        self._missing = list(reversed(names))
        self._changed = runtime.condition()
        self._latest: dict[str, Progress | None] = dict.fromkeys(names)
        self._started: dict[str, float] = {}

    def create_missing(self, stop: Event) -> None:
        """Create those that do not exist yet; what the API server cannot do right now is left for the next call."""
        try:
            while self._missing and not stop.is_set():
                name = self._missing[-1]
                self._started.setdefault(name, self._clock.monotonic())
                self._create(name)
                self._missing.pop()
        except (TransportError, ServerError, TooManyRequests) as error:
            _log.warning("request_not_created", missing=len(self._missing), error=str(error))

    def _create(self, name: str) -> None:
        request_state = RequestState(
            metadata=ObjectMeta(name=name, namespace=self._namespace, annotations={JOBS_ANNOTATION: str(self._flow)}),
            spec=RequestStateSpec(request_uid=name, job=self._flow.jobs[0], state=State.REQUESTED),
        )
        try:
            self._client.create(request_state)
        except AlreadyExists:
            self._adopt(name)

    def _adopt(self, name: str) -> None:
        """Ours if an answer was lost, or a director before us created it and died. Another's must not be touched."""
        found = self._client.get(RequestState, Key(self._namespace, name))
        if found.spec.request_uid != name:
            raise ConfigurationError(
                f"requeststate {self._namespace}/{name} exists already and belongs to request "
                f"{found.spec.request_uid!r}; choose another -name"
            )

    def on_change(self, change: Change[RequestState]) -> None:
        if change.key.name not in self._latest:
            return
        progress = self._progress(change)
        with self._changed:
            before = self._latest[progress.name]
            if before is not None and (before.is_over or _said(before) == _said(progress)):
                return
            self._latest[progress.name] = progress
            self._changed.notify_all()
        self._on_progress(progress)

    def _progress(self, change: Change[RequestState]) -> Progress:
        name = change.key.name
        elapsed = self._clock.monotonic() - self._started.get(name, self._clock.monotonic())
        current = change.new
        if current is None:
            return Progress(name, "", "DELETED", elapsed, is_failed=True, message="it was deleted")
        conditions = current.status.conditions
        failed = find_condition(conditions, FAILED)
        return Progress(
            name,
            current.spec.job,
            str(current.spec.state),
            elapsed,
            is_complete=is_true(conditions, COMPLETE),
            is_failed=is_true(conditions, FAILED),
            message=failed.message if failed else "",
        )

    def wait_until_over(self, timeout: float) -> bool:
        """Whether all are over; looks again at the latest after *timeout* seconds."""
        with self._changed:
            if self.unfinished:
                self._changed.wait(timeout)
            return not self.unfinished

    @property
    def unfinished(self) -> int:
        return sum(progress is None or not progress.is_over for progress in self._latest.values())

    @property
    def has_failures(self) -> bool:
        return any(progress is not None and progress.is_failed for progress in self._latest.values())


def _said(progress: Progress) -> tuple[str, str, bool]:
    return progress.job, progress.state, progress.is_over
