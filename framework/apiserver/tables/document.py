"""The `Table` that a client asks for instead of objects."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column, TablePrinter
from framework.apiserver.tables.printer import FunctionTable

IncludeObject: TypeAlias = Literal["Metadata", "None", "Object"]


def table_document(
    printer: TablePrinter,
    objects: Iterable[Object],
    *,
    now: float,
    list_meta: Mapping[str, Any],
    include_object: IncludeObject = "Metadata",
    api_version: str = "meta.k8s.io/v1",
    with_columns: bool = True,
) -> Object:
    """A row for each of *objects*. *list_meta* is that of the list; for one object it has its resourceVersion.

    In a watch, only the first table says *with_columns*. The rows share the metadata of the objects.
    """
    return {
        "kind": "Table",
        "apiVersion": api_version,
        "metadata": dict(list_meta),
        "columnDefinitions": [_definition(column) for column in printer.columns] if with_columns else None,
        "rows": [_row(printer, obj, now, include_object, api_version) for obj in objects],
    }


def _definition(column: Column) -> Object:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }


def _row(printer: TablePrinter, obj: Object, now: float, include: IncludeObject, api_version: str) -> Object:
    row: Object = {"cells": list(printer.cells(obj, now))}
    if isinstance(printer, FunctionTable) and printer.conditions and (conditions := printer.conditions(obj)):
        row["conditions"] = list(conditions)
    row["object"] = _included(obj, include, api_version)
    return row


def _included(obj: Object, include: IncludeObject, api_version: str) -> Object | None:
    if include == "Object":
        return obj
    if include == "None":
        return None
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": obj.get("metadata", {})}
