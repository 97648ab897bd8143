"""Decides which job of a request comes next."""

import msgspec

from apis.meta import Condition, Request
from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.flow import JOBS_ANNOTATION, Flow, flow_of
from controllers.requeststate.written import WrittenVersions
from framework.client import Client
from framework.clock import Clock
from framework.conditions import find_condition, with_condition
from framework.errors import ConfigurationError
from framework.events import EventRecorder
from framework.listers import Lister
from framework.reconcile import Result

COMPLETE, FAILED, STALLED = "Complete", "Failed", "Stalled"
JOB_NOT_IN_FLOW, INVALID_FLOW = "JobNotInFlow", "InvalidFlow"
_OUR_STALLS = frozenset({JOB_NOT_IN_FLOW, INVALID_FLOW})


class DirectorReconciler:
    def __init__(
        self,
        *,
        request_states: Lister[RequestState],
        client: Client,
        recorder: EventRecorder,
        clock: Clock,
        flow: Flow,
    ) -> None:
        self._request_states = request_states
        self._client = client
        self._recorder = recorder
        self._clock = clock
        self._flow = flow
        self._written = WrittenVersions()

    def reconcile(self, request: Request) -> Result:
        request_state = self._request_states.get(request.key)
        if request_state is None or request_state.metadata.is_being_deleted:
            self._written.forget(request.key)
            return Result.await_change()
        if self._written.is_stale(request_state):
            return Result.await_change()
        try:
            flow = flow_of(request_state, self._flow)
        except ConfigurationError as error:
            return self._stall(request_state, INVALID_FLOW, f"annotation {JOBS_ANNOTATION}: {error}")
        if request_state.spec.job not in flow:
            message = f"job {request_state.spec.job!r} is not in the flow {flow}"
            return self._stall(request_state, JOB_NOT_IN_FLOW, message)
        return self._direct(request_state, flow)

    def _direct(self, request_state: RequestState, flow: Flow) -> Result:
        if request_state.spec.state is State.FAILED:
            return self._say(request_state, FAILED, "JobFailed", _failure_of(request_state))
        if request_state.spec.state is not State.COMPLETED:
            return self._unstall(request_state)
        next_job = flow.after(request_state.spec.job)
        if next_job is None:
            jobs = "the only job is" if len(flow.jobs) == 1 else f"all {len(flow.jobs)} jobs are"
            return self._say(request_state, COMPLETE, "FlowCompleted", f"{jobs} completed")
        requested = {"job": next_job, "state": str(State.REQUESTED)}
        self._written.note(self._client.patch_spec(request_state, requested))
        return Result.await_change()

    def _stall(self, request_state: RequestState, reason: str, message: str) -> Result:
        self._recorder.record(request_state, "Warning", reason, message, action="NextJob")
        return self._say(request_state, STALLED, reason, message)

    def _unstall(self, request_state: RequestState) -> Result:
        stalled = find_condition(request_state.status.conditions, STALLED)
        if stalled is None or stalled.status != "True" or stalled.reason not in _OUR_STALLS:
            return Result.await_change()
        return self._say(request_state, STALLED, "JobInFlow", "the job is in the flow", status="False")

    def _say(
        self, request_state: RequestState, condition: str, reason: str, message: str, *, status: str = "True"
    ) -> Result:
        """Set a condition, unless it says so already."""
        present = find_condition(request_state.status.conditions, condition)
        if present is not None and (present.status, present.reason, present.message) == (status, reason, message):
            return Result.await_change()
        wanted = Condition(
            type=condition,
            status=status,
            reason=reason,
            message=message,
            last_transition_time=self._clock.now().replace(microsecond=0),
            observed_generation=request_state.metadata.generation,
        )
        conditions = with_condition(request_state.status.conditions, wanted)
        patch = {"conditions": msgspec.to_builtins(conditions), "observedGeneration": request_state.metadata.generation}
        self._written.note(self._client.patch_status(request_state, patch))
        return Result.await_change()


def _failure_of(request_state: RequestState) -> str:
    for entry in reversed(request_state.status.history):
        if entry.state is State.FAILED:
            return f"job {entry.job} failed: {entry.message}"
    return f"job {request_state.spec.job} failed"
