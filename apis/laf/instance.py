"""Instance: one application, placed on one cluster."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from apis.laf.field import KEEPS_SPEC, Conditions, Count, ObservedGeneration, Quantity, immutable
from apis.meta import ApiStruct, KubeObject, PrinterColumn, Scale, kind, rules

_Identifier = Annotated[str, Meta(min_length=1, max_length=63, pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$")]
Replica = Annotated[int, Meta(ge=0, le=1000)]


class DesiredState(StrEnum):
    RUNNING = "Running"
    STOPPED = "Stopped"


@rules(immutable("region"), immutable("appid"))
class InstanceSpec(ApiStruct, frozen=True, kw_only=True):
    """What runs, and where it may."""

    region: _Identifier
    appid: _Identifier
    # Of any type in the schema: laf's own manifests have names and whole objects.
    bundle: Annotated[Any, Meta(description="The name of a Bundle, or its spec.")]
    bundle_namespace: str = ""
    runtime: Annotated[Any, Meta(description="The name of a Runtime, or its spec.")]
    runtime_namespace: str = ""
    database: str = ""
    database_namespace: str = ""
    oss_user: str = ""
    oss_user_namespace: str = ""
    replica: Annotated[Replica, Meta(description="Pods that are wanted.")] = 1
    state: DesiredState = DesiredState.RUNNING
    cluster_name: Annotated[str, Meta(description="The Cluster that it must be placed on; empty: any.")] = ""


class Reserved(ApiStruct, frozen=True, kw_only=True):
    """What is kept free for it on its cluster."""

    cpu: Quantity | None = None
    memory: Quantity | None = None


class Granted(ApiStruct, frozen=True, kw_only=True):
    """What it may use, while more is wanted than there is."""

    replica: Replica = 0
    request_cpu: Quantity | None = msgspec.field(name="requestCPU", default=None)
    request_memory: Quantity | None = None
    limit_cpu: Quantity | None = msgspec.field(name="limitCPU", default=None)
    limit_memory: Quantity | None = None
    sidecar: bool = False


class RemoteUids(ApiStruct, frozen=True, kw_only=True):
    """Of what was made on the cluster."""

    deployment: str = ""
    service: str = ""
    secret: str = ""


class InstanceStatus(ApiStruct, frozen=True, kw_only=True):
    """Where it is, and how it is there."""

    cluster_name: str = ""
    cluster_config: Annotated[str, Meta(description="Never written, and cleared when found.")] = ""
    deployment_name: Annotated[str, Meta(description="Not empty: something may have been sent to the cluster.")] = (
        msgspec.field(name="DeploymentName", default="")
    )
    service_name: str = ""
    status: Annotated[str, Meta(description="Pending, Starting, Running, Unknown, Stopping or Stopped.")] = ""
    replicas: Count = 0
    updated_replicas: Count = 0
    ready_replicas: Count = 0
    available_replicas: Count = 0
    unavailable_replicas: Count = 0
    conditions: Conditions = msgspec.field(default_factory=list)
    cluster_namespace: str = ""
    cluster_uid: str = msgspec.field(name="clusterUID", default="")
    reserved: Reserved | None = None
    granted: Granted | None = None
    remote_uids: RemoteUids | None = msgspec.field(name="remoteUIDs", default=None)
    remote_generation: int = 0
    applied_hash: str = ""
    selector: str = ""
    observed_generation: ObservedGeneration = 0


@rules(KEEPS_SPEC)
@kind(
    group="instance.laf.dev",
    version="v1",
    plural="instances",
    short_names=("instance",),
    status=True,
    scale=Scale(spec_replicas=".spec.replica", status_replicas=".status.replicas", label_selector=".status.selector"),
    printer_columns=(
        PrinterColumn(name="Region", json_path=".spec.region"),
        PrinterColumn(name="Status", json_path=".status.status"),
        PrinterColumn(name="Ready", json_path=".status.readyReplicas"),
        PrinterColumn(name="Up-to-date", json_path=".status.updatedReplicas"),
        PrinterColumn(name="Available", json_path=".status.availableReplicas"),
        PrinterColumn(name="Unavailable", json_path=".status.unavailableReplicas"),
    ),
)
class Instance(KubeObject, frozen=True, kw_only=True):
    """An application that runs on one cluster of its region."""

    spec: InstanceSpec | None = None
    status: InstanceStatus = InstanceStatus()
