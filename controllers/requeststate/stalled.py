"""The Stalled condition as a worker uses it: a job that nobody here knows.

The director has reasons of its own for Stalled; each side takes back only what it said itself.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from apis.meta import Condition
from apis.requeststate.v1 import RequestState
from framework.conditions import find_condition, is_true, with_condition

STALLED, JOB_UNKNOWN = "Stalled", "JobUnknown"


def unknown_job_message(job: str, known: Iterable[str]) -> str:
    return f"no worker here knows job {job!r}; known: {', '.join(sorted(known)) or 'none'}"


def with_unknown_job(request_state: RequestState, message: str, now: datetime) -> dict[str, Any]:
    """The patch of the status that says so; empty if it is stalled already, whoever said it."""
    if is_true(request_state.status.conditions, STALLED):
        return {}
    return _patch(request_state, "True", JOB_UNKNOWN, message, now)


def without_unknown_job(request_state: RequestState, now: datetime) -> dict[str, Any]:
    """The patch of the status that takes it back; empty if nobody said it."""
    stalled = find_condition(request_state.status.conditions, STALLED)
    if stalled is None or stalled.status != "True" or stalled.reason != JOB_UNKNOWN:
        return {}
    return _patch(request_state, "False", "JobKnown", f"a worker does job {request_state.spec.job}", now)


def _patch(request_state: RequestState, status: str, reason: str, message: str, now: datetime) -> dict[str, Any]:
    condition = Condition(
        type=STALLED,
        status=status,
        reason=reason,
        message=message,
        last_transition_time=now.replace(microsecond=0),
        observed_generation=request_state.metadata.generation,
    )
    return {"conditions": msgspec.to_builtins(with_condition(request_state.status.conditions, condition))}
