"""Builders for the schemas of tests."""

from typing import Any

from framework.apiserver.schema import StructuralSchema


def fields(properties: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def listed(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def keyed(items: Any, *keys: str) -> dict[str, Any]:
    return listed(items, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)})


def ruled(schema: Any, rule: str, **more: Any) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule, **more}]}


def schema_of_spec(**properties: Any) -> StructuralSchema:
    return StructuralSchema(fields({"spec": fields(properties)}))


STRING = {"type": "string"}
INTEGER = {"type": "integer"}
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
