"""One version of a kind: its schema, its columns, its subresources."""

import re
from typing import Any

import msgspec

from apis.meta import KindDeclaration, KubeObject, PrinterColumn, Scale, declaration_of
from apis.schema.check import check
from apis.schema.errors import SchemaError
from apis.schema.node import SCALARS, Schema, in_order
from apis.schema.place import Place
from apis.schema.walk import schema_of_struct

_HEAD: Schema = {
    "apiVersion": {
        "description": "Group and version of the schema in which this object is written.",
        "type": "string",
    },
    "kind": {"description": "Name of the REST resource that this object is one of.", "type": "string"},
    "metadata": {"type": "object"},
}
_COLUMN_TYPES = ("integer", "number", "string", "boolean", "date")
_SELECTABLE_TYPES = SCALARS - {"number"}
_PLAIN_PATH = re.compile(r"(\.[A-Za-z0-9_-]+)+")


def version_of(cls: type[KubeObject]) -> dict[str, Any]:
    """The entry of *cls* in `spec.versions`."""
    declaration = declaration_of(cls)
    schema = root_schema_of(cls)
    _check_declaration(declaration, schema, cls.__name__)
    entry: dict[str, Any] = {"name": declaration.resource_type.gvk.version}
    entry |= {"served": declaration.served, "storage": declaration.storage} | _deprecation(declaration)
    columns = [_column(column) for column in declaration.printer_columns]
    selectable = [{"jsonPath": path} for path in declaration.selectable_fields]
    optional = {
        "additionalPrinterColumns": columns,
        "selectableFields": selectable,
        "subresources": _subresources(declaration),
    }
    return {**entry, **{key: value for key, value in optional.items() if value}, "schema": {"openAPIV3Schema": schema}}


def root_schema_of(cls: type[KubeObject]) -> Schema:
    schema = schema_of_struct(cls, Place((cls,)))
    schema["properties"] = {**_HEAD, **{name: part for name, part in schema["properties"].items() if name not in _HEAD}}
    check(schema, cls.__name__)
    return in_order(schema)


def _deprecation(declaration: KindDeclaration) -> dict[str, Any]:
    if not declaration.deprecated:
        return {}
    warning = declaration.deprecation_warning
    return {"deprecated": True, **({"deprecationWarning": warning} if warning else {})}


def _column(column: PrinterColumn) -> dict[str, Any]:
    values = {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "jsonPath": column.json_path,
        "description": column.description,
        "priority": column.priority,
    }
    return {key: value for key, value in values.items() if value}


def _subresources(declaration: KindDeclaration) -> dict[str, Any]:
    status: dict[str, Any] = {"status": {}} if declaration.status else {}
    return status | ({"scale": _scale(declaration.scale)} if declaration.scale is not None else {})


def _scale(scale: Scale) -> dict[str, str]:
    paths = {"specReplicasPath": scale.spec_replicas, "statusReplicasPath": scale.status_replicas}
    return paths | ({"labelSelectorPath": scale.label_selector} if scale.label_selector else {})


def _check_declaration(declaration: KindDeclaration, schema: Schema, kind: str) -> None:
    if declaration.status and "status" not in schema["properties"]:
        raise SchemaError(f"{kind}.status: the status subresource is declared, the field is not")
    for column in declaration.printer_columns:
        _check_column(column, schema, kind)
    for path in declaration.selectable_fields:
        _check_path(path, schema, kind, "selectable field", _SELECTABLE_TYPES)
    if declaration.scale is not None:
        _check_scale(declaration.scale, schema, kind)


def _check_column(column: PrinterColumn, schema: Schema, kind: str) -> None:
    if column.type not in _COLUMN_TYPES:
        raise SchemaError(
            f"{kind}: the column {column.name} has the type {column.type}, not {', '.join(_COLUMN_TYPES)}"
        )
    # Only plain paths can be looked up; those into metadata are the server's own, filters are the author's.
    if _PLAIN_PATH.fullmatch(column.json_path) and not column.json_path.startswith(".metadata."):
        _check_path(column.json_path, schema, kind, f"column {column.name}", None)


def _check_scale(scale: Scale, schema: Schema, kind: str) -> None:
    for path in (scale.spec_replicas, scale.status_replicas):
        _check_path(path, schema, kind, "scale subresource", frozenset({"integer"}))
    if scale.label_selector:
        _check_path(scale.label_selector, schema, kind, "scale subresource", frozenset({"string"}))


def _check_path(path: str, schema: Schema, kind: str, user: str, types: frozenset[str] | None) -> None:
    found = _at(path, schema)
    if found is msgspec.UNSET:
        raise SchemaError(f"{kind}{path}: the {user} points at a field that is not there")
    if types is not None and found.get("type") not in types:
        raise SchemaError(f"{kind}{path}: the {user} needs a field of type {' or '.join(sorted(types))}")


def _at(path: str, schema: Schema) -> Schema | msgspec.UnsetType:
    if not _PLAIN_PATH.fullmatch(path):
        return msgspec.UNSET
    for step in path[1:].split("."):
        if step not in schema.get("properties", {}):
            return msgspec.UNSET
        schema = schema["properties"][step]
    return schema
