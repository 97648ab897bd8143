"""Does the jobs: claims a request, runs its job, records how it ended."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import structlog

from apis.meta import Condition, Request
from apis.requeststate.v1 import HistoryEntry, RequestState, State
from controllers.requeststate.claims import HANDED_BACK, ClaimObserver, new_claim
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.history import recorded_state, with_entry
from controllers.requeststate.jobs import Job, JobContext, JobStopped
from controllers.requeststate.written import WrittenVersions
from framework.client import Client
from framework.clock import Clock
from framework.conditions import is_true, with_condition
from framework.errors import Conflict, NotFound, WindlassError
from framework.events import EventRecorder
from framework.listers import Lister
from framework.reconcile import Result
from framework.store import Change

STALLED = "Stalled"
JOB_UNKNOWN = "JobUnknown"
_RECORD_ATTEMPTS = 5

_log = structlog.get_logger("windlass.worker")

Outcome = Literal[State.COMPLETED, State.FAILED]


class JobFailed(WindlassError):
    """A job raised and has tries left; the queue's backoff decides when."""


class WorkerOptions(msgspec.Struct, frozen=True):
    name: str
    job_retries: int = 3
    job_duration_seconds: float = 2.0
    claim_duration_seconds: float = 30.0


class WorkerReconciler:
    def __init__(
        self,
        *,
        request_states: Lister[RequestState],
        client: Client,
        jobs: Mapping[str, Job],
        held: HeldClaims,
        observer: ClaimObserver,
        recorder: EventRecorder,
        clock: Clock,
        options: WorkerOptions,
    ) -> None:
        self._request_states = request_states
        self._client = client
        self._jobs = jobs
        self._held = held
        self._observer = observer
        self._recorder = recorder
        self._clock = clock
        self._options = options
        self._written = WrittenVersions()
        self._is_stopping = False

    def reconcile(self, request: Request) -> Result:
        request_state = self._request_states.get(request.key)
        if request_state is None or request_state.metadata.is_being_deleted:
            return self._forget(request)
        held = self._held.get(request.key)
        if held is not None and held.is_for(request_state):
            return self._go_on(held)
        if self._written.is_stale(request_state):
            return Result.await_change()
        if request_state.spec.state in {State.COMPLETED, State.FAILED}:
            return self._release(request_state)
        if self._is_stopping:
            return Result.await_change()
        return self._take(request_state)

    def _forget(self, request: Request) -> Result:
        self._observer.forget(request.key)
        self._written.forget(request.key)
        held = self._held.get(request.key)
        if held is not None:
            self._held.drop(held)
        return Result.await_change()

    def _take(self, request_state: RequestState) -> Result:
        """Claim a request that nobody works on; otherwise look again when its claim would have expired."""
        left = 0.0 if self._is_unstarted(request_state) else self._seconds_left(request_state)
        if left > 0:
            return Result.after(left)
        if request_state.spec.job not in self._jobs:
            return self._stall(request_state)
        return self._go_on(self._claim(request_state))

    def _is_unstarted(self, request_state: RequestState) -> bool:
        # A claim on it, if any, is left over from the job before.
        return request_state.spec.state is State.REQUESTED and recorded_state(request_state) is None

    def _seconds_left(self, request_state: RequestState) -> float:
        claim = request_state.status.claim
        if claim is not None and claim.worker == self._options.name:
            # We got it by a write whose answer was lost; nobody but us can be working on it.
            return 0.0
        return self._observer.seconds_left(request_state.key, claim)

    def _claim(self, request_state: RequestState) -> HeldClaim:
        now, started = self._clock.now(), self._clock.monotonic()
        history = request_state.status.history
        if recorded_state(request_state) is None and request_state.spec.state is State.REQUESTED:
            history = with_entry(history, request_state.spec.job, State.STARTED, now=now, worker=self._options.name)
        claim = msgspec.to_builtins(new_claim(self._options.name, now))
        patch = {"claim": claim, **_history_patch(history), **self._unstalled(request_state)}
        claimed = self._written.note(self._client.patch_status(request_state, _observed(request_state, patch)))
        self._observer.forget(request_state.key)
        return self._held.hold(claimed, started)

    def _go_on(self, held: HeldClaim) -> Result:
        """From the claim to the end, from wherever an earlier try left it."""
        if not self._held.is_valid(held):
            self._held.drop(held)
            return Result.await_change()
        recorded = recorded_state(held.latest)
        if recorded in {State.COMPLETED, State.FAILED}:
            return self._finish(held, recorded, "")
        if held.latest.spec.state is State.REQUESTED:
            self._move_spec(held, State.STARTED)
        return self._do(held)

    def _do(self, held: HeldClaim) -> Result:
        if held.is_done:
            return self._finish(held, State.COMPLETED, "")
        if self._is_stopping:
            return self._hand_back(held)
        held.is_running = True
        try:
            self._jobs[held.job](self._context(held))
        except JobStopped:
            return self._hand_back(held)
        except Exception as error:  # noqa: BLE001 - a job is foreign code; its message goes to the history
            return self._failed(held, error)
        finally:
            self._held.finished_running(held)
        held.is_done = True
        return self._finish(held, State.COMPLETED, "")

    def _context(self, held: HeldClaim) -> JobContext:
        return JobContext(
            request=held.latest,
            stop=held,
            log=_log.bind(job=held.job, object=str(held.key)),
            attempt=held.failures + 1,
            duration_seconds=self._options.job_duration_seconds,
        )

    def _failed(self, held: HeldClaim, error: Exception) -> Result:
        if held.is_set():
            return self._hand_back(held)
        held.failures += 1
        message = " ".join(str(error).split()) or type(error).__name__
        if held.failures > self._options.job_retries:
            return self._finish(held, State.FAILED, message)
        raise JobFailed(f"job {held.job} failed at try {held.failures}: {message}") from error

    def _finish(self, held: HeldClaim, outcome: Outcome, message: str) -> Result:
        """History first, then spec: a crash in between leaves an entry that the next reconcile finds."""
        if not self._record(held, outcome, message):
            return Result.await_change()
        finished = self._move_spec(held, outcome)
        self._held.drop(held)
        return self._release(finished)

    def _record(self, held: HeldClaim, outcome: Outcome, message: str) -> bool:
        """True once the outcome is in the history; false when the claim is lost, and with it the right to write."""
        for _ in range(_RECORD_ATTEMPTS):
            if not self._held.is_valid(held):
                self._held.drop(held)
                return False
            if recorded_state(held.latest) is outcome:
                return True
            try:
                patch = self._outcome_patch(held, outcome, message)
                held.latest = self._written.note(self._client.patch_status(held.latest, patch))
            except Conflict:
                self._refresh(held)
            except NotFound:
                self._held.drop(held)
        raise WindlassError(f"{held.key} changes faster than its outcome can be recorded")

    def _outcome_patch(self, held: HeldClaim, outcome: Outcome, message: str) -> dict[str, Any]:
        history = with_entry(
            held.latest.status.history,
            held.job,
            outcome,
            now=self._clock.now(),
            worker=self._options.name,
            message=message,
        )
        return _observed(held.latest, _history_patch(history))

    def _refresh(self, held: HeldClaim) -> None:
        """Look at the server's own copy; if the request is no longer ours to write, let it go."""
        current = self._client.get(RequestState, held.key)
        claim = current.status.claim
        if held.is_for(current) and (claim is None or claim.worker == self._options.name):
            held.latest = current
        else:
            self._held.drop(held)

    def _move_spec(self, held: HeldClaim, state: State) -> RequestState:
        # Conditional on the version, so a request that was taken over meanwhile stays as its new worker wants it.
        try:
            held.latest = self._written.note(self._client.patch_spec(held.latest, {"state": str(state)}))
        except Conflict:
            self._refresh(held)
            raise
        except NotFound:
            self._held.drop(held)
            raise
        return held.latest

    def _hand_back(self, held: HeldClaim) -> Result:
        """Stop working on it and let others know, unless it is lost or gone already."""
        if self._held.is_valid(held) or self._is_stopping:
            self.hand_back(held)
        self._held.drop(held)
        return Result.await_change()

    def hand_back(self, held: HeldClaim) -> None:
        operations = (
            {"op": "test", "path": "/metadata/uid", "value": held.uid},
            {"op": "test", "path": "/status/claim/worker", "value": self._options.name},
            {"op": "replace", "path": "/status/claim/renewTime", "value": HANDED_BACK},
        )
        try:
            self._client.json_patch(RequestState, held.key, operations, subresource="status")
        except WindlassError as error:
            # It expires by itself.
            _log.info("claim_not_handed_back", object=str(held.key), error=str(error))

    def _release(self, request_state: RequestState) -> Result:
        """The job is over: take the claim off, ours at once and another's when its owner did not."""
        claim = request_state.status.claim
        if claim is None:
            self._observer.forget(request_state.key)
            return Result.await_change()
        left = self._seconds_left(request_state)
        if left > 0:
            return Result.after(left)
        self._observer.forget(request_state.key)
        try:
            self._written.note(self._client.patch_status(request_state, {"claim": None}))
        except (Conflict, NotFound):
            # It moved on; whatever comes next brings us back.
            return Result.await_change()
        return Result.await_change()

    def _stall(self, request_state: RequestState) -> Result:
        """Say that nobody here knows the job, and leave the state alone: another worker may know it."""
        job = request_state.spec.job
        message = f"no worker here knows job {job!r}; known: {', '.join(sorted(self._jobs)) or 'none'}"
        if not is_true(request_state.status.conditions, STALLED):
            conditions = with_condition(
                request_state.status.conditions, self._condition(request_state, "True", JOB_UNKNOWN, message)
            )
            self._client.patch_status(request_state, {"conditions": msgspec.to_builtins(conditions)})
        self._recorder.record(request_state, "Warning", JOB_UNKNOWN, message, action="StartJob")
        return Result.await_change()

    def _unstalled(self, request_state: RequestState) -> dict[str, Any]:
        conditions = request_state.status.conditions
        if not is_true(conditions, STALLED):
            return {}
        cleared = self._condition(request_state, "False", "JobStarted", f"job {request_state.spec.job} is being done")
        return {"conditions": msgspec.to_builtins(with_condition(conditions, cleared))}

    def _condition(self, request_state: RequestState, status: str, reason: str, message: str) -> Condition:
        return Condition(
            type=STALLED,
            status=status,
            reason=reason,
            message=message,
            last_transition_time=self._clock.now().replace(microsecond=0),
            observed_generation=request_state.metadata.generation,
        )

    def on_change(self, change: Change[RequestState]) -> None:
        """End a running job at once when its request is gone or is another's; the queue would come too late."""
        held = self._held.get(change.key)
        if held is None:
            return
        current = change.new
        is_gone = current is None or current.metadata.uid != held.uid or current.metadata.is_being_deleted
        if is_gone or (current is not None and self._was_taken_over(held, current)):
            self._held.drop(held)

    def _was_taken_over(self, held: HeldClaim, current: RequestState) -> bool:
        claim = current.status.claim
        # The cache may be older than our claim; only a claim that came after it counts.
        is_newer = int(current.metadata.resource_version) > int(held.latest.metadata.resource_version)
        return is_newer and claim is not None and claim.worker != self._options.name

    def drain(self, grace_period_seconds: float) -> None:
        """Begin nothing new; let jobs end by themselves for most of the time there is, then end them."""
        self._is_stopping = True
        started = self._clock.monotonic()
        if not self._held.wait_until_none_runs(grace_period_seconds * 0.7):
            for held in self._held.all():
                held.end()
            self._held.wait_until_none_runs(grace_period_seconds * 0.9 - (self._clock.monotonic() - started))
        for held in self._held.all():
            self.hand_back(held)
            self._held.drop(held)


def _history_patch(history: list[HistoryEntry]) -> dict[str, Any]:
    return {"history": msgspec.to_builtins(history)}


def _observed(request_state: RequestState, patch: dict[str, Any]) -> dict[str, Any]:
    return {**patch, "observedGeneration": request_state.metadata.generation}
