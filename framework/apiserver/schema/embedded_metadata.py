"""Metadata, of custom resources and of those inside of them."""

from typing import Any

import msgspec

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objectmeta import validate_new
from framework.apiserver.objects import Object
from framework.apiserver.schema import paths
from framework.apiserver.schema.json_schema import JSONSchema, parse_schema
from framework.apiserver.schema.pruning import Pruner
from framework.apiserver.schema.quick import compile_check
from framework.apiserver.schema.value_types import json_type
from framework.apiserver.schema.values import is_valid
from framework.apiserver.spelling import spelled
from framework.apiserver.status import Unreadable
from framework.errors import ApiError

_STRING = {"type": "string", "nullable": True}
_INTEGER = {"type": "integer", "nullable": True}
_BOOLEAN = {"type": "boolean", "nullable": True}
_STRINGS = {"type": "object", "nullable": True, "additionalProperties": _STRING}
_TIME = {"type": "string", "format": "date-time", "nullable": True}


def _object(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "nullable": True, "properties": fields}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "nullable": True, "items": items}


_FIELDS: dict[str, Any] = {
    "name": _STRING,
    "generateName": _STRING,
    "namespace": _STRING,
    "selfLink": _STRING,
    "uid": _STRING,
    "resourceVersion": _STRING,
    "generation": _INTEGER,
    "creationTimestamp": _TIME,
    "deletionTimestamp": _TIME,
    "deletionGracePeriodSeconds": _INTEGER,
    "labels": _STRINGS,
    "annotations": _STRINGS,
    "ownerReferences": _list(
        _object(
            apiVersion=_STRING,
            kind=_STRING,
            name=_STRING,
            uid=_STRING,
            controller=_BOOLEAN,
            blockOwnerDeletion=_BOOLEAN,
        )
    ),
    "finalizers": _list(_STRING),
    "managedFields": _list(
        _object(
            manager=_STRING,
            operation=_STRING,
            apiVersion=_STRING,
            time=_TIME,
            fieldsType=_STRING,
            fieldsV1={"nullable": True, "x-kubernetes-preserve-unknown-fields": True},
            subresource=_STRING,
        )
    ),
}
_GO_STRUCTS = {"ownerReferences": "OwnerReference", "managedFields": "ManagedFieldsEntry"}
_GO_STRINGS = {"uid": "types.UID", "operation": "v1.ManagedFieldsOperationType"}
_GO_VALUES = {"integer": "number", "boolean": "bool"}
_METADATA = parse_schema(_object(**_FIELDS))
_pruner = Pruner(_METADATA, is_resource=False)
_is_readable = compile_check(_METADATA)


def coerce_metadata(obj: Object, resource: dict[str, Any], path: str) -> list[str]:
    """Prune the metadata of *resource*, which stands at *path* in *obj*; return the paths of what went.

    Raises BadRequest if it cannot be read.
    """
    if "metadata" not in resource:
        return []
    place = paths.child(path, "metadata")
    metadata = resource["metadata"]
    if metadata is None:
        resource["metadata"] = {}
        return []
    if not _is_readable(metadata) and (problem := _problem(metadata)):
        # Only inside of objects is it said where.
        raise unreadable(obj, str(invalid_value(place, metadata, problem)) if path else problem)
    dropped = [paths.child(place, name) for name in _pruner.prune(metadata)]
    _read_nulls(metadata)
    if not all(metadata.values()):
        for name in [name for name, value in metadata.items() if not value and name != "deletionGracePeriodSeconds"]:
            del metadata[name]
    return dropped


def _read_nulls(metadata: dict[str, Any]) -> None:
    """A null inside of a map or a list is the zero of its type."""
    for name in ("labels", "annotations"):
        texts = metadata.get(name)
        if texts and None in texts.values():
            metadata[name] = {key: text or "" for key, text in texts.items()}
    if None in (metadata.get("finalizers") or ()):
        metadata["finalizers"] = [finalizer or "" for finalizer in metadata["finalizers"]]
    for name in _GO_STRUCTS:
        if structs := metadata.get(name):
            metadata[name] = [_without_nulls(one or {}) for one in structs]


def _without_nulls(struct: dict[str, Any]) -> dict[str, Any]:
    if None not in struct.values():
        return struct
    return {name: value for name, value in struct.items() if value is not None}


def unreadable(obj: Object, why: str) -> ApiError:
    return Unreadable(obj.get("kind", ""), str(obj.get("apiVersion", "")).rpartition("/")[2], why)


def embedded_metadata_errors(metadata: dict[str, Any], path: str) -> list[FieldError]:
    """What is wrong with metadata that can be read; without a name it is fine, too."""
    named = {**metadata, "name": metadata.get("name") or "name"}
    errors = validate_new({"metadata": named}, is_namespaced=bool(metadata.get("namespace")))
    return [msgspec.structs.replace(error, field=paths.child(path, error.field)) for error in errors]


def _problem(metadata: Any) -> str:
    if type(metadata) is not dict:
        return f"json: cannot unmarshal {_go_kind(metadata)} into Go value of type v1.ObjectMeta"
    # In this order they stand in what is decoded.
    for name, schema in sorted((_METADATA.properties or {}).items()):
        if name in metadata and not is_valid(schema, metadata[name]):
            return _field_problem("ObjectMeta", name, schema, metadata[name])
    return ""


def _field_problem(struct: str, path: str, schema: JSONSchema, value: Any) -> str:
    """The words for the first value at *path* or below that Go cannot read."""
    for name, inner_schema, inner in _inner_values(schema, value):
        if not is_valid(inner_schema, inner):
            is_item = type(value) is list
            below = path if is_item or schema.properties is None else f"{path}.{name}"
            inner_struct = _GO_STRUCTS.get(path, struct) if is_item and type(inner) is dict else struct
            return _field_problem(inner_struct, below, inner_schema, inner)
    if schema.format == "date-time" and isinstance(value, str):
        quoted = spelled(value)
        return f'parsing time {quoted} as "2006-01-02T15:04:05Z07:00": cannot parse {quoted} as "2006"'
    found = f"number {spelled(value)}" if isinstance(value, float) else _go_kind(value)
    return f"json: cannot unmarshal {found} into Go struct field {struct}.{path} of type {_go_type(path, schema)}"


def _inner_values(schema: JSONSchema, value: Any) -> list[tuple[str, JSONSchema, Any]]:
    if type(value) is list and schema.item_schema is not None:
        return [("", schema.item_schema, item) for item in value]
    if type(value) is dict:
        found = [(name, schema.property_schema(name), inner) for name, inner in value.items()]
        return [(name, inner_schema, inner) for name, inner_schema, inner in found if inner_schema is not None]
    return []


def _go_type(path: str, schema: JSONSchema) -> str:
    if schema.type == "array":
        return f"[]v1.{_GO_STRUCTS[path]}" if path in _GO_STRUCTS else "[]string"
    if schema.type == "object":
        return "map[string]string" if schema.value_schema is not None else f"v1.{_GO_STRUCTS.get(path, '')}"
    named = _GO_STRINGS.get(path.rpartition(".")[2], "string")
    return {"integer": "int64", "boolean": "bool"}.get(schema.type, named)


def _go_kind(value: Any) -> str:
    kind = json_type(value)
    return _GO_VALUES.get(kind, kind)
