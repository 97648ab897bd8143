"""A kind with every kind of list and map, and a field manager for it."""

from typing import Any

from framework.apiserver.managedfields import SchemaFieldManager, schema_from_json
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager

V1, V2 = "test/v1", "test/v2"
FIRST, SECOND, THIRD = "2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z", "2024-01-01T00:00:03Z"
_TEXT = {"type": "string"}
_PORT = {
    "type": "object",
    "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "name": _TEXT},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "properties": {
                "replicas": {"type": "integer"},
                "isOn": {"type": "boolean"},
                "name": _TEXT,
                "set": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
                "ports": {
                    "type": "array",
                    "items": _PORT,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
                "list": {"type": "array", "items": _TEXT},
                "texts": {"type": "object", "additionalProperties": _TEXT},
                "whole": {"type": "object", "properties": {"a": _TEXT}, "x-kubernetes-map-type": "atomic"},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "size": {"x-kubernetes-int-or-string": True},
            },
        },
        "status": {"type": "object", "properties": {"phase": _TEXT}},
    },
}
NODE = schema_from_json(SCHEMA)


def a_thing(spec: Object | None = None, *, api_version: str = V1, **metadata: Any) -> Object:
    thing: Object = {
        "apiVersion": api_version,
        "kind": "Thing",
        "metadata": {"name": "it", "namespace": "ns", **metadata},
    }
    return thing if spec is None else {**thing, "spec": spec}


def a_field_manager(**options: Any) -> SchemaFieldManager:
    resets = {"": [("status",)], "status": [("metadata",), ("spec",)]}
    return SchemaFieldManager(NODE, api_version=V1, reset_fields=resets, **options)


def a_manager(name: str, subresource: str = "") -> Manager:
    return Manager(name, V1, subresource)


def entry(manager: str, operation: str, time: str | None, fields: Object, subresource: str = "") -> Object:
    made = {
        "manager": manager,
        "operation": operation,
        "apiVersion": V1,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "subresource": subresource,
    }
    return {name: value for name, value in made.items() if value or name == "fieldsV1"}


def entries(thing: Object) -> list[Object]:
    found: list[Object] = thing["metadata"].get("managedFields", [])
    return found
