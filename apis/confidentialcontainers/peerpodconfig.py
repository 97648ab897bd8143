"""PeerPodConfig: which nodes can have peer pods, how many, and of which cloud."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from apis.confidentialcontainers.field import GROUP, INT32_MAX, VERSION, Conditions, ObservedGeneration
from apis.meta import LIST_ATOMIC, MAP_ATOMIC, ApiStruct, KubeObject, PrinterColumn, kind, server_default

DEFAULT_SECRET, DEFAULT_CONFIG_MAP = "peer-pods-secret", "peer-pods-cm"
_SUBDOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_ObjectName = Annotated[str, Meta(min_length=1, max_length=253, pattern=_SUBDOMAIN)]
_REQUIREMENT = {
    "type": "object",
    "required": ["key", "operator"],
    "properties": {
        "key": {"type": "string"},
        "operator": {"type": "string"},
        "values": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "atomic"},
    },
}


class LimitScope(StrEnum):
    TOTAL = "Total"
    PER_NODE = "PerNode"


class FailurePolicy(StrEnum):
    FAIL = "Fail"
    IGNORE = "Ignore"


class LabelSelectorRequirement(ApiStruct, frozen=True, kw_only=True):
    """Which values of one label match."""

    key: str
    operator: str
    values: Annotated[list[str], LIST_ATOMIC] = msgspec.field(default_factory=list)


class LabelSelector(ApiStruct, frozen=True, kw_only=True):
    """Which labels match; all that is said must hold."""

    match_labels: dict[str, str] = msgspec.field(default_factory=dict)
    match_expressions: Annotated[list[LabelSelectorRequirement], LIST_ATOMIC] = msgspec.field(default_factory=list)


class Toleration(ApiStruct, frozen=True, kw_only=True):
    """A taint that does not keep the pods away."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class WebhookSettings(ApiStruct, frozen=True, kw_only=True):
    """How pods of the runtime class are changed into peer pods."""

    enabled: bool = True
    failure_policy: FailurePolicy = FailurePolicy.FAIL
    replicas: Annotated[int, Meta(ge=1, le=5)] = 2


class PeerPodConfigSpec(ApiStruct, frozen=True, kw_only=True):
    """Nodes, number and cloud."""

    cloud_secret_name: Annotated[
        _ObjectName, Meta(description="A Secret with credentials."), server_default(DEFAULT_SECRET)
    ]
    config_map_name: Annotated[
        _ObjectName, Meta(description="A ConfigMap with settings."), server_default(DEFAULT_CONFIG_MAP)
    ]
    instance_type: Annotated[str, Meta(max_length=128, description="Of VMs that name none themselves.")] = ""
    limit: Annotated[str, Meta(pattern="^[0-9]{0,9}$", description="VMs, a number; empty: one per node.")] = ""
    label_selector: Annotated[LabelSelector | None, MAP_ATOMIC, Meta(description="Nodes; all that is said.")] = None
    node_selector: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Nodes: labels and their values, or a label selector.",
            extra_json_schema={
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {
                    "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "matchExpressions": {
                        "type": "array",
                        "items": _REQUIREMENT,
                        "x-kubernetes-list-type": "atomic",
                    },
                },
            },
        ),
    ] = None
    limit_scope: Annotated[LimitScope, Meta(description="Whether the limit is divided, or each node's.")] = (
        LimitScope.TOTAL
    )
    tolerations: Annotated[list[Toleration], LIST_ATOMIC] = msgspec.field(default_factory=list)
    image: Annotated[str, Meta(max_length=1024, description="Of the adaptor.")] = ""
    restart_on_settings_change: bool = True
    webhook: WebhookSettings = WebhookSettings()


class PeerPodConfigStatus(ApiStruct, frozen=True, kw_only=True):
    """What was rolled out."""

    # Written also when it is false, which is why it has three values here.
    setup_completed: bool | None = None
    observed_generation: ObservedGeneration = 0
    cloud_provider: str = ""
    daemon_set_name: str = ""
    selected_nodes: Annotated[int, Meta(ge=0, le=INT32_MAX)] = 0
    # Without a maximum: to the server that of an int64 is a float, and one too many.
    advertised_vms: Annotated[int, Meta(ge=0)] = msgspec.field(name="advertisedVMs", default=0)
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group=GROUP,
    version=VERSION,
    plural="peerpodconfigs",
    status=True,
    printer_columns=(
        PrinterColumn(name="Provider", json_path=".status.cloudProvider"),
        PrinterColumn(name="Limit", json_path=".spec.limit"),
        PrinterColumn(name="Nodes", json_path=".status.selectedNodes", type="integer"),
        PrinterColumn(name="VMs", json_path=".status.advertisedVMs", type="integer"),
        PrinterColumn(name="Setup", json_path=".status.setupCompleted", type="boolean"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class PeerPodConfig(KubeObject, frozen=True, kw_only=True):
    """Makes nodes ready for peer pods."""

    spec: Annotated[
        PeerPodConfigSpec, server_default({"cloudSecretName": DEFAULT_SECRET, "configMapName": DEFAULT_CONFIG_MAP})
    ] = PeerPodConfigSpec(cloud_secret_name=DEFAULT_SECRET, config_map_name=DEFAULT_CONFIG_MAP)
    status: PeerPodConfigStatus = PeerPodConfigStatus()
