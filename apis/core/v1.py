"""Kinds of the core group, version v1."""

import msgspec

from apis.meta import ApiStruct, IntOrString, KubeObject, Time, kind


class ObjectReference(ApiStruct, frozen=True, kw_only=True):
    """Names another object."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""


class NamespaceStatus(ApiStruct, frozen=True, kw_only=True):
    phase: str = ""


@kind(group="", version="v1", plural="namespaces", scope="Cluster", short_names=("ns",), status=True, builtin=True)
class Namespace(KubeObject, frozen=True, kw_only=True):
    status: NamespaceStatus = NamespaceStatus()


@kind(group="", version="v1", plural="configmaps", short_names=("cm",), builtin=True)
class ConfigMap(KubeObject, frozen=True, kw_only=True):
    data: dict[str, str] = msgspec.field(default_factory=dict)
    binary_data: dict[str, bytes] = msgspec.field(default_factory=dict)
    immutable: bool = False


@kind(group="", version="v1", plural="secrets", builtin=True)
class Secret(KubeObject, frozen=True, kw_only=True):
    """Its values are bytes here and base64 text in JSON."""

    type: str = ""
    data: dict[str, bytes] = msgspec.field(default_factory=dict)
    immutable: bool = False

    def __repr__(self) -> str:
        # A secret that is logged by accident is no secret any more.
        return f"Secret({self.key}, type={self.type!r}, data={sorted(self.data)})"


class PodSpec(ApiStruct, frozen=True, kw_only=True):
    node_name: str = ""


class PodCondition(ApiStruct, frozen=True, kw_only=True):
    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: Time | None = None


class ContainerStateTerminated(ApiStruct, frozen=True, kw_only=True):
    exit_code: int = 0
    reason: str = ""
    message: str = ""


class ContainerState(ApiStruct, frozen=True, kw_only=True):
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(ApiStruct, frozen=True, kw_only=True):
    name: str
    state: ContainerState | None = None


class PodStatus(ApiStruct, frozen=True, kw_only=True):
    phase: str = ""
    reason: str = ""
    message: str = ""
    pod_ip: str = msgspec.field(name="podIP", default="")
    conditions: list[PodCondition] = msgspec.field(default_factory=list)
    init_container_statuses: list[ContainerStatus] = msgspec.field(default_factory=list)
    container_statuses: list[ContainerStatus] = msgspec.field(default_factory=list)


@kind(group="", version="v1", plural="pods", short_names=("po",), status=True, builtin=True)
class Pod(KubeObject, frozen=True, kw_only=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class ServicePort(ApiStruct, frozen=True, kw_only=True):
    port: int
    name: str = ""
    protocol: str = ""
    target_port: IntOrString | None = None
    node_port: int = 0


class ServiceSpec(ApiStruct, frozen=True, kw_only=True):
    type: str = ""
    cluster_ip: str = msgspec.field(name="clusterIP", default="")
    selector: dict[str, str] = msgspec.field(default_factory=dict)
    ports: list[ServicePort] = msgspec.field(default_factory=list)


@kind(group="", version="v1", plural="services", short_names=("svc",), status=True, builtin=True)
class Service(KubeObject, frozen=True, kw_only=True):
    spec: ServiceSpec = ServiceSpec()


class Taint(ApiStruct, frozen=True, kw_only=True):
    key: str
    effect: str
    value: str = ""


class NodeSpec(ApiStruct, frozen=True, kw_only=True):
    taints: list[Taint] = msgspec.field(default_factory=list)
    unschedulable: bool = False


class NodeStatus(ApiStruct, frozen=True, kw_only=True):
    capacity: dict[str, str] = msgspec.field(default_factory=dict)
    allocatable: dict[str, str] = msgspec.field(default_factory=dict)


@kind(group="", version="v1", plural="nodes", scope="Cluster", short_names=("no",), status=True, builtin=True)
class Node(KubeObject, frozen=True, kw_only=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


@kind(group="", version="v1", plural="serviceaccounts", short_names=("sa",), builtin=True)
class ServiceAccount(KubeObject, frozen=True, kw_only=True):
    pass
