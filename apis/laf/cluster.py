"""Cluster: a remote cluster that Instances can be placed on."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.laf.field import (
    INT32_MAX,
    KEEPS_SPEC,
    Conditions,
    Count,
    ObservedGeneration,
    Quantity,
    immutable,
    matches_label,
    non_negative,
)
from apis.meta import ApiStruct, KubeObject, PrinterColumn, kind, rules


@rules(non_negative("cpu", is_optional=True), non_negative("memory", is_optional=True))
class Capacity(ApiStruct, frozen=True, kw_only=True):
    """What may be reserved; absent or 0: no limit."""

    cpu: Quantity | None = None
    memory: Quantity | None = None
    instances: Annotated[int, Meta(ge=0, le=INT32_MAX)] | None = None


@rules(immutable("region"), matches_label("region"))
class ClusterSpec(ApiStruct, frozen=True, kw_only=True):
    """Where it is, how to get in, and how much fits."""

    region: Annotated[
        str,
        Meta(
            min_length=2,
            max_length=64,
            pattern="^[a-z0-9-]+$",
            description="Only Instances of an equal region are placed here.",
        ),
    ]
    client_config: Annotated[
        str, Meta(min_length=1, max_length=262144, description="A kubeconfig, in base64 or as it is.")
    ]
    capacity: Capacity | None = None
    unschedulable: Annotated[bool, Meta(description="No new Instance is placed here; those that are here stay.")] = (
        False
    )
    priority: Annotated[int, Meta(ge=0, le=1000, description="Higher is preferred.")] = 0


class Used(ApiStruct, frozen=True, kw_only=True):
    """The sum of what is reserved."""

    cpu: Quantity | None = None
    memory: Quantity | None = None


class ClusterStatus(ApiStruct, frozen=True, kw_only=True):
    """What was seen of it."""

    used: Used | None = None
    instance_count: Annotated[Count, Meta(description="Instances that are bound to it.")] = 0
    observed_generation: ObservedGeneration = 0
    cluster_id: Annotated[str, Meta(description="The uid of its kube-system namespace.")] = msgspec.field(
        name="clusterID", default=""
    )
    server_version: str = ""
    client_config_hash: Annotated[str, Meta(description="Of the kubeconfig that is in use; tells nothing of it.")] = ""
    conditions: Conditions = msgspec.field(default_factory=list)


@rules(KEEPS_SPEC)
@kind(
    group="instance.laf.dev",
    version="v1",
    plural="clusters",
    status=True,
    printer_columns=(
        PrinterColumn(name="Region", json_path=".spec.region"),
        PrinterColumn(name="Ready", json_path='.status.conditions[?(@.type=="Ready")].status'),
        PrinterColumn(name="Instances", json_path=".status.instanceCount", type="integer"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class Cluster(KubeObject, frozen=True, kw_only=True):
    """A cluster that Instances of its region can run on."""

    spec: ClusterSpec | None = None
    status: ClusterStatus = ClusterStatus()
