"""Kinds of the group batch, version v1."""

import msgspec

from apis.meta import ApiStruct, KubeObject, Time, kind


class JobCondition(ApiStruct, frozen=True, kw_only=True):
    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: Time | None = None


class JobStatus(ApiStruct, frozen=True, kw_only=True):
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    conditions: list[JobCondition] = msgspec.field(default_factory=list)


@kind(group="batch", version="v1", plural="jobs", status=True, builtin=True)
class Job(KubeObject, frozen=True, kw_only=True):
    status: JobStatus = JobStatus()
