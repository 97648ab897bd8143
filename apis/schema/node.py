"""One node of an OpenAPI schema, and how to go through the nodes below it."""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

PRESERVE = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
LIST_TYPE = "x-kubernetes-list-type"
LIST_MAP_KEYS = "x-kubernetes-list-map-keys"
MAP_TYPE = "x-kubernetes-map-type"
SCALARS = frozenset({"string", "integer", "number", "boolean"})

_FIRST = ("description", "title", "type", "format", "nullable", "default", "enum", "pattern")
_LAST = ("items", "additionalProperties", "properties", "required")


def children(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The schemas right below, each with what it adds to a path: `.name`, `[]` for items, `{}` for values."""
    for name, child in schema.get("properties", {}).items():
        yield f".{name}", child
    if "items" in schema:
        yield "[]", schema["items"]
    if "additionalProperties" in schema:
        yield "{}", schema["additionalProperties"]


def in_order(schema: Schema) -> Schema:
    """The same schema, keys in the order in which one reads them: what it is, its limits, what is below, extensions."""
    keys = [*filter(schema.__contains__, _FIRST)]
    limits = sorted(key for key in schema if key not in (*_FIRST, *_LAST) and not key.startswith("x-"))
    extensions = sorted(key for key in schema if key.startswith("x-"))
    keys += [*limits, *filter(schema.__contains__, _LAST), *extensions]
    return {key: _value_in_order(key, schema[key]) for key in keys}


def _value_in_order(key: str, value: Any) -> Any:
    if key in ("items", "additionalProperties"):
        return in_order(value)
    if key == "properties":
        return {name: in_order(child) for name, child in value.items()}
    return value
