"""PeerPod: the VM behind one pod, so that it is deleted also when the one that made it cannot."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.confidentialcontainers.field import GROUP, INT32_MAX, VERSION, Conditions, ObservedGeneration
from apis.meta import NULLABLE, ApiStruct, KubeObject, PrinterColumn, Rule, Time, kind, rules

_INSTANCE_ID = "has({0}.spec) && {0}.spec != null && has({0}.spec.instanceID) && {0}.spec.instanceID != ''"
_KEEPS_INSTANCE_ID = Rule(
    rule=f"!({_INSTANCE_ID.format('oldSelf')}) || "
    f"({_INSTANCE_ID.format('self')} && self.spec.instanceID == oldSelf.spec.instanceID)",
    message="spec.instanceID can be neither changed nor removed once it is set",
)


class PeerPodSpec(ApiStruct, frozen=True, kw_only=True):
    """Which VM it is."""

    cloud_provider: Annotated[str, Meta(max_length=128, description="The name of a provider, such as aws.")] = ""
    instance_id: Annotated[str, Meta(max_length=512, description="How the provider calls the VM.")] = msgspec.field(
        name="instanceID", default=""
    )


class SettingsRef(ApiStruct, frozen=True, kw_only=True):
    """Where the settings of the provider are."""

    namespace: Annotated[str, Meta(max_length=63)] = ""
    config_map_name: Annotated[str, Meta(max_length=253)] = ""
    secret_name: Annotated[str, Meta(max_length=253)] = ""


class PeerPodStatus(ApiStruct, frozen=True, kw_only=True):
    """What became of the VM."""

    # Spelled so on the wire, from the first version on.
    cleand: Annotated[bool, Meta(description="The VM is deleted, or was told to be.")] = False
    settings_ref: SettingsRef | None = None
    location: Annotated[
        dict[str, str], Meta(description="Settings, none of them secret, that told where the VM is when it was made.")
    ] = msgspec.field(default_factory=dict)
    attempts: Annotated[int, Meta(ge=0, le=INT32_MAX, description="To delete the VM, that failed.")] = 0
    last_error: Annotated[str, Meta(max_length=1024)] = ""
    last_attempt_time: Time | None = None
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@rules(_KEEPS_INSTANCE_ID)
@kind(
    group=GROUP,
    version=VERSION,
    plural="peerpods",
    status=True,
    printer_columns=(
        PrinterColumn(name="Provider", json_path=".spec.cloudProvider"),
        PrinterColumn(name="Instance", json_path=".spec.instanceID"),
        PrinterColumn(name="Cleaned", json_path=".status.cleand", type="boolean"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class PeerPod(KubeObject, frozen=True, kw_only=True):
    """A VM that must not outlive its pod."""

    spec: Annotated[PeerPodSpec | None, NULLABLE] = None
    status: PeerPodStatus = PeerPodStatus()
