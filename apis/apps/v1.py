"""Kinds of the group apps, version v1."""

import msgspec

from apis.meta import ApiStruct, KubeObject, Scale, kind


class LabelSelector(ApiStruct, frozen=True, kw_only=True):
    match_labels: dict[str, str] = msgspec.field(default_factory=dict)


class DeploymentSpec(ApiStruct, frozen=True, kw_only=True):
    replicas: int = 1
    selector: LabelSelector = LabelSelector()


class DeploymentCondition(ApiStruct, frozen=True, kw_only=True):
    type: str
    status: str
    reason: str = ""
    message: str = ""


class DeploymentStatus(ApiStruct, frozen=True, kw_only=True):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    conditions: list[DeploymentCondition] = msgspec.field(default_factory=list)


@kind(
    group="apps", version="v1", plural="deployments", short_names=("deploy",), status=True, scale=Scale(), builtin=True
)
class Deployment(KubeObject, frozen=True, kw_only=True):
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()


class DaemonSetSpec(ApiStruct, frozen=True, kw_only=True):
    selector: LabelSelector = LabelSelector()


class DaemonSetStatus(ApiStruct, frozen=True, kw_only=True):
    observed_generation: int = 0
    desired_number_scheduled: int = 0
    number_ready: int = 0


@kind(group="apps", version="v1", plural="daemonsets", short_names=("ds",), status=True, builtin=True)
class DaemonSet(KubeObject, frozen=True, kw_only=True):
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()
