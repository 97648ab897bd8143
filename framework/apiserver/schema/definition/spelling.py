"""How messages spell parts of a definition: as the JSON of the API server's own structs, which have other names."""

from collections.abc import Iterable
from typing import Any

import msgspec

from framework.apiserver.schema.definition.model import Version
from framework.apiserver.schema.json_schema import JSONSchema, ValidationRule
from framework.apiserver.spelling import Spelled, spelled_json

_SCHEMA_NAMES = {
    "identifier": "ID",
    "schema_url": "Schema",
    "reference": "Ref",
    "not_": "Not",
    "preserve_unknown": "XPreserveUnknownFields",
    "is_embedded": "XEmbeddedResource",
    "is_int_or_string": "XIntOrString",
    "list_map_keys": "XListMapKeys",
    "list_type": "XListType",
    "map_type": "XMapType",
    "rules": "XValidations",
    "json_path": "JSONPath",
    "openapi": "OpenAPIV3Schema",
}


def spelled_rule(rule: ValidationRule) -> Spelled:
    return Spelled(_value(rule))


def spelled_schema(schema: JSONSchema) -> Spelled:
    return Spelled(_value(schema))


def spelled_versions(versions: Iterable[Version], *, above: Iterable[str]) -> Spelled:
    """*above* are the fields that all versions share: they stand above them and are left out here."""
    without = dict.fromkeys(above)
    return Spelled(_value([msgspec.structs.replace(version, **without) for version in versions]))


def _value(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return _struct((_name(key), _field(value, key)) for key in value.__struct_fields__)
    if isinstance(value, list):
        return "[" + ",".join(_value(item) for item in value) + "]"
    return spelled_json(value)


def _field(owner: msgspec.Struct, name: str) -> str:
    value = getattr(owner, name)
    if isinstance(owner, JSONSchema) and value is not None:
        if name == "items":
            schemas = value if isinstance(value, list) else None
            return _struct([("Schema", _value(None if schemas else value)), ("JSONSchemas", _value(schemas))])
        if name in ("additional_properties", "additional_items"):
            schema = value if isinstance(value, JSONSchema) else None
            return _struct([("Allows", _value(bool(value))), ("Schema", _value(schema))])
        if name in ("properties", "pattern_properties", "definitions"):
            return _struct((key, _value(value[key])) for key in sorted(value))
    return _value(value)


def _struct(fields: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{spelled_json(name)}:{value}" for name, value in fields) + "}"


def _name(attribute: str) -> str:
    return _SCHEMA_NAMES.get(attribute) or "".join(word.capitalize() for word in attribute.split("_"))
