"""Kinds of the group coordination.k8s.io, version v1."""

from apis.meta import ApiStruct, KubeObject, MicroTime, kind


class LeaseSpec(ApiStruct, frozen=True, kw_only=True):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: MicroTime | None = None
    renew_time: MicroTime | None = None
    lease_transitions: int | None = None


@kind(group="coordination.k8s.io", version="v1", plural="leases", builtin=True)
class Lease(KubeObject, frozen=True, kw_only=True):
    spec: LeaseSpec = LeaseSpec()
