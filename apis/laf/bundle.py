"""Bundle, the size catalogue: what an application of this size may use."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.laf.field import (
    KEEPS_SPEC,
    Conditions,
    Count,
    Name,
    ObservedGeneration,
    Quantity,
    at_most,
    non_negative,
    positive,
)
from apis.meta import ApiStruct, KubeObject, PrinterColumn, kind, rules

Priority = Annotated[int, Meta(ge=0, le=1000, description="Higher is offered first; 0: not offered to new users.")]


@rules(
    *map(positive, ("requestCPU", "requestMemory", "limitCPU", "limitMemory")),
    *map(non_negative, ("databaseCapacity", "storageCapacity", "networkTrafficOutbound")),
    non_negative("networkBandwidthOutbound", is_optional=True),
    non_negative("networkBandwidthInbound", is_optional=True),
    at_most("requestCPU", "limitCPU"),
    at_most("requestMemory", "limitMemory"),
)
class BundleSpec(ApiStruct, frozen=True, kw_only=True):
    """Sizes; those of the network are for information."""

    display_name: Name
    request_cpu: Quantity = msgspec.field(name="requestCPU")
    request_memory: Quantity
    limit_cpu: Quantity = msgspec.field(name="limitCPU")
    limit_memory: Quantity
    database_capacity: Quantity
    storage_capacity: Quantity
    network_traffic_outbound: Quantity
    network_bandwidth_outbound: Quantity | None = None
    network_bandwidth_inbound: Quantity | None = None
    priority: Priority


class BundleSnapshot(ApiStruct, frozen=True, kw_only=True):
    """A BundleSpec as it was when it was adopted; nothing of it is required, for it is part of a status."""

    display_name: Name = ""
    request_cpu: Quantity | None = msgspec.field(name="requestCPU", default=None)
    request_memory: Quantity | None = None
    limit_cpu: Quantity | None = msgspec.field(name="limitCPU", default=None)
    limit_memory: Quantity | None = None
    database_capacity: Quantity | None = None
    storage_capacity: Quantity | None = None
    network_traffic_outbound: Quantity | None = None
    network_bandwidth_outbound: Quantity | None = None
    network_bandwidth_inbound: Quantity | None = None
    priority: Priority = 0


class BundleStatus(ApiStruct, frozen=True, kw_only=True):
    """Who uses it."""

    app_count: Annotated[Count, Meta(description="Applications that name it.")] = 0
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@rules(KEEPS_SPEC)
@kind(
    group="application.laf.dev",
    version="v1",
    plural="bundles",
    status=True,
    printer_columns=(
        PrinterColumn(name="CPU", json_path=".spec.limitCPU"),
        PrinterColumn(name="Memory", json_path=".spec.limitMemory"),
        PrinterColumn(name="Priority", json_path=".spec.priority", type="integer"),
        PrinterColumn(name="Apps", json_path=".status.appCount", type="integer"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class Bundle(KubeObject, frozen=True, kw_only=True):
    """A size that an Application can have."""

    spec: BundleSpec | None = None
    status: BundleStatus = BundleStatus()
