"""Makes the static type of a value from its structural schema, and with it the way from JSON to CEL."""

from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.cel import types
from framework.apiserver.cel.convert import (
    bytes_from_json,
    date_from_json,
    duration_from_json,
    list_converter,
    map_converter,
    nullable_converter,
    object_converter,
    timestamp_from_json,
)
from framework.apiserver.cel.escaping import escape
from framework.apiserver.cel.types import Field, Type

Schema = Mapping[str, Any]

_STRING: Schema = {"type": "string"}
_METADATA: Schema = {"type": "object", "properties": {"name": _STRING, "generateName": _STRING}}
_OF_EVERY_RESOURCE: Schema = {"kind": _STRING, "apiVersion": _STRING, "metadata": _METADATA}

_STRING_FORMATS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "byte": ("bytes", bytes_from_json),
    "duration": ("duration", duration_from_json),
    "date": ("timestamp", date_from_json),
    "date-time": ("timestamp", timestamp_from_json),
}


def declared_type(schema: Schema, name: str) -> Type | None:
    """The type of a value with *schema*; None if expressions cannot see such a value.

    *name* is how messages call it if it is an object. Unknown fields that are preserved cannot be seen, as in the real
    server: only what the schema declares has a type.
    """
    declared = _not_null(schema, name)
    if declared is None:
        return None
    declared.is_json = True
    declared.nullable = bool(schema.get("nullable"))
    if declared.convert is not None and declared.nullable:
        declared.convert = nullable_converter(declared.convert)
    declared.exact = declared.exact and not declared.nullable and not schema.get("x-kubernetes-preserve-unknown-fields")
    return declared


def _not_null(schema: Schema, name: str) -> Type | None:  # noqa: PLR0911 - one for each type
    if schema.get("x-kubernetes-int-or-string"):
        return Type("dyn")
    match schema.get("type"):
        case "object":
            return _object(schema, name)
        case "array":
            return _list(schema, name)
        case "string":
            return _string(schema)
        case "boolean":
            return Type("bool")
        case "integer":
            return Type("int")
        case "number":
            number = Type("double")
            number.convert = float
            return number
    return None


def _string(schema: Schema) -> Type:
    kind, convert = _STRING_FORMATS.get(schema.get("format", ""), ("string", None))
    declared = Type(kind)
    declared.convert = convert
    return declared


def _list(schema: Schema, name: str) -> Type | None:
    items = schema.get("items")
    element = declared_type(items, f"{name}.@idx") if isinstance(items, Mapping) else None
    if element is None:
        return None
    declared = types.list_of(element)
    declared.exact = element.exact
    list_type = schema.get("x-kubernetes-list-type")
    keys = tuple(escape(key) or key for key in schema.get("x-kubernetes-list-map-keys", ()) if list_type == "map")
    declared.convert = list_converter(element.convert, is_set=list_type == "set", keys=keys)
    return declared


def _object(schema: Schema, name: str) -> Type | None:
    additional = schema.get("additionalProperties")
    if isinstance(additional, Mapping):
        value = declared_type(additional, f"{name}.@elem")
        if value is None:
            return None
        declared = types.map_of(types.STRING, value)
        declared.exact = value.exact
        declared.convert = map_converter(value.convert)
        return declared
    return _with_properties(schema, name)


def _with_properties(schema: Schema, name: str) -> Type:
    properties = dict(schema.get("properties", {}))
    if schema.get("x-kubernetes-embedded-resource"):
        properties.update(_OF_EVERY_RESOURCE)
    declared = Type("object", name)
    fields: dict[str, Field] = {}
    hides_some = False
    for key, value in properties.items():
        escaped = escape(key)
        field_type = declared_type(value, f"{name}.{escaped}")
        if escaped is None or field_type is None:
            hides_some = True
        else:
            fields[escaped] = Field(key, field_type)
    declared.fields = fields
    declared.exact = not hides_some and all(field.type.exact for field in fields.values())
    declared.convert = object_converter({escaped: (each.key, each.type.convert) for escaped, each in fields.items()})
    return declared
