"""Decides which job of a request comes next."""

from typing import Any

import msgspec

from apis.meta import Condition, Request
from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.flow import JOBS_ANNOTATION, Flow, InvalidFlow, flow_of
from controllers.requeststate.stalled import STALLED
from controllers.requeststate.written import WrittenVersions
from framework.client import Client
from framework.clock import Clock
from framework.conditions import find_condition, with_condition
from framework.errors import Conflict, NotFound
from framework.events import EventRecorder
from framework.listers import Lister
from framework.reconcile import Result

# After a refusal that no event may follow: a webhook, or a proxy, can say 409 as well.
LOOK_AGAIN_SECONDS = 30.0
COMPLETE, FAILED = "Complete", "Failed"
JOB_NOT_IN_FLOW, INVALID_FLOW = "JobNotInFlow", "InvalidFlow"
_OUR_STALLS = frozenset({JOB_NOT_IN_FLOW, INVALID_FLOW})


class _Verdict(msgspec.Struct, frozen=True):
    """What one condition shall say."""

    type: str
    status: str
    reason: str
    message: str


_IN_FLOW = _Verdict(STALLED, "False", "JobInFlow", "the job is in the flow")


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
        elif not self._written.is_stale(request_state):
            return self._direct_unless_overtaken(request_state)
        return Result.await_change()

    def _direct_unless_overtaken(self, request_state: RequestState) -> Result:
        try:
            self._direct(request_state)
        except NotFound:
            return Result.await_change()
        except Conflict:
            # It has changed; the event that tells us how it looks now is on its way. But not every 409 is a lost race.
            return Result.after(LOOK_AGAIN_SECONDS)
        return Result.await_change()

    def _direct(self, request_state: RequestState) -> None:
        try:
            flow = flow_of(request_state, self._flow)
        except InvalidFlow as error:
            self._stall(request_state, INVALID_FLOW, f"annotation {JOBS_ANNOTATION} {error}")
            return
        job, state = request_state.spec.job, request_state.spec.state
        if job not in flow:
            self._stall(request_state, JOB_NOT_IN_FLOW, f"job {job!r} is not in the flow {flow}")
        elif state is State.FAILED:
            self._say(request_state, _Verdict(FAILED, "True", "JobFailed", _failure_of(request_state)))
        elif state is not State.COMPLETED:
            self._say(request_state)
        elif (next_job := flow.after(job)) is not None:
            self._request(request_state, next_job)
        else:
            self._say(request_state, _Verdict(COMPLETE, "True", "FlowCompleted", _completion_of(flow)))

    def _request(self, request_state: RequestState, job: str) -> None:
        spec = {"job": job, "state": str(State.REQUESTED)}
        self._written.note(self._client.patch_spec(request_state, spec))

    def _stall(self, request_state: RequestState, reason: str, message: str) -> None:
        verdict = _Verdict(STALLED, "True", reason, message)
        if not _says(request_state, verdict):
            self._recorder.record(request_state, "Warning", reason, message, action="NextJob")
            self._write(request_state, [verdict])

    def _say(self, request_state: RequestState, *verdicts: _Verdict) -> None:
        """Set conditions of a request that is in its flow, unless they say so already."""
        stalled = find_condition(request_state.status.conditions, STALLED)
        if stalled is not None and stalled.status == "True" and stalled.reason in _OUR_STALLS:
            verdicts = (*verdicts, _IN_FLOW)
        news = [verdict for verdict in verdicts if not _says(request_state, verdict)]
        if news:
            self._write(request_state, news)

    def _write(self, request_state: RequestState, verdicts: list[_Verdict]) -> None:
        conditions = request_state.status.conditions
        for verdict in verdicts:
            conditions = with_condition(conditions, self._condition(request_state, verdict))
        status: dict[str, Any] = {
            "conditions": msgspec.to_builtins(conditions),
            "observedGeneration": request_state.metadata.generation,
        }
        self._written.note(self._client.patch_status(request_state, status))

    def _condition(self, request_state: RequestState, verdict: _Verdict) -> Condition:
        return Condition(
            type=verdict.type,
            status=verdict.status,
            reason=verdict.reason,
            message=verdict.message,
            last_transition_time=self._clock.now().replace(microsecond=0),
            observed_generation=request_state.metadata.generation,
        )


def _says(request_state: RequestState, verdict: _Verdict) -> bool:
    present = find_condition(request_state.status.conditions, verdict.type)
    said = None if present is None else (present.status, present.reason, present.message)
    return said == (verdict.status, verdict.reason, verdict.message)


def _completion_of(flow: Flow) -> str:
    return "the only job is completed" if len(flow.jobs) == 1 else f"all {len(flow.jobs)} jobs are completed"


def _failure_of(request_state: RequestState) -> str:
    last = request_state.status.history[-1:]
    if last and last[0].state is State.FAILED and last[0].job == request_state.spec.job and last[0].message:
        return f"job {last[0].job} failed: {last[0].message}"
    return f"job {request_state.spec.job} failed"
