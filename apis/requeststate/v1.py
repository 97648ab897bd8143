"""RequestState, version v1: one request, the job it is at, and what has happened to it."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.meta import (
    LIST_ATOMIC,
    ApiStruct,
    Condition,
    KubeObject,
    MicroTime,
    PrinterColumn,
    Rule,
    kind,
    list_map,
    rules,
)

HISTORY_LIMIT = 1000
MESSAGE_LIMIT = 1024
_CONDITION_LIMIT = 32

Job = Annotated[str, Meta(min_length=1, max_length=63, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
RequestUid = Annotated[str, Meta(min_length=1, max_length=253)]
Worker = Annotated[str, Meta(min_length=1, max_length=253)]
Message = Annotated[str, Meta(max_length=MESSAGE_LIMIT)]


class State(StrEnum):
    """How far the job at hand is."""

    REQUESTED = "REQUESTED"
    STARTED = "STARTED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


# Rules with oldSelf hold for updates only, so a manifest may be born in any state.
_SAME_UID = Rule(
    rule="self.request__dash__uid == oldSelf.request__dash__uid",
    message="spec.request-uid is immutable: it is the identity of the request",
    reason="FieldValueForbidden",
    field_path="['request-uid']",
)
_NEXT_STATE = Rule(
    rule=(
        "self.job != oldSelf.job || self.state == oldSelf.state"
        " || (oldSelf.state == 'REQUESTED' && self.state == 'STARTED')"
        " || (oldSelf.state == 'STARTED' && self.state in ['COMPLETED', 'FAILED'])"
    ),
    message="spec.state goes from REQUESTED to STARTED, and from STARTED to COMPLETED or FAILED, for the same spec.job",
    message_expression=(
        "'spec.state cannot go from ' + oldSelf.state + ' to ' + self.state + ': for the same spec.job"
        " it goes from REQUESTED to STARTED, and from STARTED to COMPLETED or FAILED'"
    ),
    reason="FieldValueForbidden",
    field_path=".state",
)
_NEXT_JOB = Rule(
    rule="self.job == oldSelf.job || (oldSelf.state == 'COMPLETED' && self.state == 'REQUESTED')",
    message="spec.job changes only when spec.state was COMPLETED, and only together with spec.state REQUESTED",
    message_expression=(
        "'spec.job cannot change from ' + oldSelf.job + ' to ' + self.job + ' while spec.state goes from '"
        " + oldSelf.state + ' to ' + self.state + ': it changes only from COMPLETED,"
        " and only together with spec.state REQUESTED'"
    ),
    reason="FieldValueForbidden",
    field_path=".job",
)


@rules(_SAME_UID, _NEXT_STATE, _NEXT_JOB)
class RequestStateSpec(ApiStruct, frozen=True, kw_only=True):
    """Which job is in which state."""

    request_uid: Annotated[RequestUid, Meta(description="Identity of the request; never changes.")] = msgspec.field(
        name="request-uid"
    )
    job: Annotated[Job, Meta(description="The job at hand; changes only from COMPLETED, together with REQUESTED.")]
    state: Annotated[State, Meta(description="How far the job at hand is.")]


class HistoryEntry(ApiStruct, frozen=True, kw_only=True):
    """One transition that has happened."""

    job: Annotated[Job, Meta(description="The job that the transition belongs to.")]
    state: Annotated[State, Meta(description="The state that the job came to.")]
    timestamp: Annotated[MicroTime, Meta(description="When it came to it; never earlier than the entry before.")]
    requested_at: Annotated[MicroTime | None, Meta(description="When the job was requested.")] = None
    worker: Annotated[Worker | None, Meta(description="Who did it.")] = None
    message: Annotated[Message, Meta(description="Why it failed, or how many entries were folded into this one.")] = ""


class Claim(ApiStruct, frozen=True, kw_only=True):
    """Who works on the request, and since when."""

    worker: Annotated[Worker, Meta(description="The worker that holds the claim.")]
    acquire_time: Annotated[MicroTime, Meta(description="When the worker got the claim.")]
    renew_time: Annotated[MicroTime, Meta(description="When the worker last renewed it.")]


class RequestStateStatus(ApiStruct, frozen=True, kw_only=True):
    """What has happened to the request."""

    history: Annotated[
        list[HistoryEntry],
        Meta(max_length=HISTORY_LIMIT, description="One entry for every STARTED, COMPLETED and FAILED, in order."),
        LIST_ATOMIC,
    ] = msgspec.field(default_factory=list)
    claim: Claim | None = None
    conditions: Annotated[
        list[Condition],
        Meta(max_length=_CONDITION_LIMIT, description="Complete, Failed and Stalled."),
        list_map("type"),
    ] = msgspec.field(default_factory=list)
    observed_generation: Annotated[int, Meta(description="The generation that conditions speak of.")] = 0


@kind(
    group="com.redhat.ecosystem.sample",
    version="v1",
    plural="requeststates",
    short_names=("reqstate",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Job", json_path=".spec.job"),
        PrinterColumn(name="State", json_path=".spec.state"),
        PrinterColumn(name="Worker", json_path=".status.claim.worker"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
    selectable_fields=(".spec.job", ".spec.state"),
)
class RequestState(KubeObject, frozen=True, kw_only=True):
    """One request, on its way through the jobs of a flow."""

    spec: RequestStateSpec
    status: RequestStateStatus = RequestStateStatus()
