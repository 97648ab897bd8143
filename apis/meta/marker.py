"""What a field's type cannot say in Python and its schema must: markers to put into `Annotated`."""

import msgspec
from msgspec import Meta

from apis.meta.kind import VALIDATIONS, Rule

# A plain `T | None = None` is an optional field that must not be null.
NULLABLE = Meta(extra_json_schema={"nullable": True})

LIST_ATOMIC = Meta(extra_json_schema={"x-kubernetes-list-type": "atomic"})
LIST_SET = Meta(extra_json_schema={"x-kubernetes-list-type": "set"})
MAP_ATOMIC = Meta(extra_json_schema={"x-kubernetes-map-type": "atomic"})
EMBEDDED_RESOURCE = Meta(
    extra_json_schema={"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
)

IntOrString = int | str


def list_map(*keys: str) -> Meta:
    """The list is a map: its items are told apart by the JSON names *keys*, and are merged one by one."""
    return Meta(extra_json_schema={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)})


def server_default(value: object) -> Meta:
    """The server fills in *value*, whatever the default in Python is; None: the server fills in nothing."""
    return Meta(extra_json_schema={"default": value})


def field_rules(*declared: Rule) -> Meta:
    """CEL rules that stand at the field itself; `self` is its value."""
    return Meta(extra_json_schema={VALIDATIONS: [msgspec.to_builtins(rule) for rule in declared]})
