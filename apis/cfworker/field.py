"""Fields that several kinds share."""

from typing import Annotated

from msgspec import Meta

from apis.meta import Condition, IntOrString, list_map

GROUP = "api.cf-worker"
INT32_MAX = 2**31 - 1
WORKERS_LIMIT = 200
SCRIPT_URLS_LIMIT = 1000
_CONDITION_LIMIT = 16
_QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

Quantity = Annotated[IntOrString, Meta(extra_json_schema={"maxLength": 40, "pattern": _QUANTITY_PATTERN})]
Name = Annotated[str, Meta(max_length=253)]
BundleName = Annotated[str, Meta(min_length=1, max_length=200)]
ScriptName = Annotated[str, Meta(min_length=1, max_length=63)]
ScriptUrl = Annotated[str, Meta(min_length=1, max_length=2048)]
Port = Annotated[int, Meta(ge=1, le=65535)]
Count = Annotated[int, Meta(ge=0, le=INT32_MAX)]
HistoryLimit = Annotated[int, Meta(ge=0, le=1000)]
Conditions = Annotated[
    list[Condition],
    Meta(max_length=_CONDITION_LIMIT, description="What is known of the object, one entry per aspect."),
    list_map("type"),
]
ObservedGeneration = Annotated[int, Meta(description="The generation that the status speaks of.")]
