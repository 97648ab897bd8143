"""Decides what a worker does about a request: leave it, claim it, go on with it, finish it, release it."""

from apis.meta import Request
from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.claims import ClaimObserver
from controllers.requeststate.contention import Contention
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.history import OVER, recorded_outcome, recorded_state
from controllers.requeststate.runner import JobRunner
from controllers.requeststate.stalled import JOB_UNKNOWN, unknown_job_message, with_unknown_job
from controllers.requeststate.transitions import Transitions
from controllers.requeststate.worker_options import WorkerOptions
from controllers.requeststate.written import WrittenVersions
from framework.client import Client
from framework.clock import Clock
from framework.errors import Conflict, NotFound
from framework.events import EventRecorder
from framework.listers import Lister
from framework.reconcile import Result


class WorkerReconciler:
    def __init__(
        self,
        *,
        request_states: Lister[RequestState],
        client: Client,
        held: HeldClaims,
        observer: ClaimObserver,
        contention: Contention,
        written: WrittenVersions,
        transitions: Transitions,
        runner: JobRunner,
        recorder: EventRecorder,
        clock: Clock,
        options: WorkerOptions,
    ) -> None:
        self._request_states = request_states
        self._client = client
        self._held = held
        self._observer = observer
        self._contention = contention
        self._written = written
        self._transitions = transitions
        self._runner = runner
        self._recorder = recorder
        self._clock = clock
        self._options = options

    def reconcile(self, request: Request) -> Result:
        request_state = self._request_states.get(request.key)
        if request_state is None or request_state.metadata.is_being_deleted:
            return self._forget(request)
        held = self._held_for(request_state)
        if held is not None:
            self._runner.go_on(held)
            return Result.await_change()
        if self._written.is_stale(request_state):
            return Result.await_change()
        left = self._seconds_left(request_state)
        if left > 0:
            return Result.after(left)
        return self._act_unless_overtaken(request_state)

    def _act_unless_overtaken(self, request_state: RequestState) -> Result:
        try:
            self._act(request_state)
        except NotFound:
            return Result.await_change()
        except Conflict:
            # Another was faster; the event that tells us how it looks now is on its way. If no event comes, because a
            # webhook or a proxy said 409, nobody else has it.
            return Result.after(self._options.claim_duration_seconds)
        return Result.await_change()

    def _forget(self, request: Request) -> Result:
        self._observer.forget(request.key)
        self._contention.forget(request.key)
        self._written.forget(request.key)
        held = self._held.get(request.key)
        if held is not None:
            self._held.drop(held)
        return Result.await_change()

    def _held_for(self, request_state: RequestState) -> HeldClaim | None:
        held = self._held.get(request_state.key)
        if held is None or (held.is_for(request_state) and self._held.is_valid(held)):
            return held
        self._held.drop(held)
        return None

    def _seconds_left(self, request_state: RequestState) -> float:
        """How long somebody else may still be dealing with it; 0 when it is anybody's, ours for one."""
        key, claim = request_state.key, request_state.status.claim
        if claim is None and self._is_untouched(request_state):
            self._observer.forget(key)
            return self._contention.seconds_left(key)
        self._contention.forget(key)
        if claim is None and request_state.spec.state in OVER:
            self._observer.forget(key)
            return 0.0
        if claim is not None and claim.worker == self._options.name:
            # We got it by a write whose answer was lost; nobody but us can be working on it.
            return 0.0
        # No claim on a job under way: removed by hand, or its worker is about to finish it.
        return self._observer.seconds_left(key, claim)

    @staticmethod
    def _is_untouched(request_state: RequestState) -> bool:
        return request_state.spec.state is State.REQUESTED and recorded_state(request_state) is None

    def _act(self, request_state: RequestState) -> None:
        outcome = recorded_outcome(request_state)
        if request_state.spec.state in OVER:
            if request_state.status.claim is not None:
                self._transitions.release(request_state)
        elif self._runner.is_stopping:
            return
        elif outcome is not None:
            self._transitions.finish_spec(request_state, outcome)
        elif request_state.spec.job not in self._runner.jobs:
            self._stall(request_state)
        else:
            self._runner.go_on(self._claim(request_state))

    def _claim(self, request_state: RequestState) -> HeldClaim:
        begun = self._clock.monotonic()
        try:
            return self._transitions.claim(request_state)
        except Conflict:
            self._contention.lost()
            raise
        finally:
            self._contention.forget(request_state.key)
            self._contention.wrote(self._clock.monotonic() - begun)

    def _stall(self, request_state: RequestState) -> None:
        """Say that nobody here knows the job, and leave the state alone: another worker may know it."""
        message = unknown_job_message(request_state.spec.job, self._runner.jobs)
        patch = with_unknown_job(request_state, message, self._clock.now())
        if patch:
            self._recorder.record(request_state, "Warning", JOB_UNKNOWN, message, action="StartJob")
            self._written.note(self._client.patch_status(request_state, patch))
