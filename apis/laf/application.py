"""Application: what a tenant wants to run."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.laf.bundle import BundleSnapshot
from apis.laf.field import KEEPS_SPEC, Conditions, Name, ObservedGeneration, immutable, matches_label, not_empty
from apis.laf.instance import DesiredState, Replica
from apis.laf.runtime import RuntimeSnapshot
from apis.meta import ApiStruct, KubeObject, PrinterColumn, kind, rules

_Identifier = Annotated[str, Meta(min_length=3, max_length=24)]


class Phase(StrEnum):
    INITIALIZING = "Initializing"
    INITIALIZED = "Initialized"
    STARTING = "Starting"
    RUNNING = "Running"
    STOPPING = "Stopping"
    STOPPED = "Stopped"


@rules(
    immutable("appid"),
    matches_label("appid"),
    immutable("region"),
    matches_label("region"),
    not_empty("bundleName"),
    not_empty("runtimeName"),
)
class ApplicationSpec(ApiStruct, frozen=True, kw_only=True):
    """One application of a tenant."""

    appid: Annotated[_Identifier, Meta(description="Unique among all Applications; never changes.")]
    region: Annotated[_Identifier, Meta(description="Where it runs; never changes.")]
    state: DesiredState = DesiredState.RUNNING
    bundle_name: Annotated[Name, Meta(description="A Bundle of the system namespace.")]
    runtime_name: Annotated[Name, Meta(description="A Runtime of the system namespace.")]
    replica: Annotated[Replica, Meta(description="If absent, the Instance's own is left alone.")] | None = None


class ApplicationStatus(ApiStruct, frozen=True, kw_only=True):
    """How far it has come, and with which size and images."""

    bundle_name: str = ""
    bundle_spec: BundleSnapshot | None = None
    runtime_name: str = ""
    runtime_spec: RuntimeSnapshot | None = None
    state: Annotated[Phase | None, Meta(description="The phase.")] = None
    conditions: Conditions = msgspec.field(default_factory=list)
    observed_generation: ObservedGeneration = 0


@rules(KEEPS_SPEC)
@kind(
    group="application.laf.dev",
    version="v1",
    plural="applications",
    status=True,
    printer_columns=(
        PrinterColumn(name="AppID", json_path=".spec.appid"),
        PrinterColumn(name="Region", json_path=".spec.region"),
        PrinterColumn(name="Desired", json_path=".spec.state"),
        PrinterColumn(name="State", json_path=".status.state"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class Application(KubeObject, frozen=True, kw_only=True):
    """An application that should run, or not."""

    spec: ApplicationSpec | None = None
    status: ApplicationStatus = ApplicationStatus()
