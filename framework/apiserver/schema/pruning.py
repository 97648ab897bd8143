"""Takes out of objects what their schema does not know."""

from collections.abc import Callable
from typing import Any, TypeAlias

from framework.apiserver.schema import paths
from framework.apiserver.schema.json_schema import JSONSchema

# Whether nothing of a value would be pruned.
CleanCheck: TypeAlias = Callable[[Any], bool]

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


class Pruner:
    """The root of an object *is_resource*, whether its schema says so or not."""

    def __init__(self, schema: JSONSchema, *, is_resource: bool) -> None:
        self._schema = schema
        self._is_resource = is_resource
        self._is_clean = _clean_check(schema, is_resource=is_resource)

    def prune(self, value: Any) -> list[str]:
        """Prune in place; return the sorted paths of what went."""
        if self._is_clean(value):
            return []
        dropped: list[str] = []
        _prune(value, self._schema, "", dropped, is_resource=self._is_resource)
        return sorted(dropped)


def _prune(value: Any, schema: JSONSchema | None, path: str, dropped: list[str], *, is_resource: bool) -> None:
    keeps_unknown = schema is not None and bool(schema.preserve_unknown)
    if type(value) is dict:
        for name in list(value):
            if is_resource and name in META_FIELDS:
                continue
            below = paths.child(path, name)
            known, inner = _field(schema, name)
            if known:
                _prune(value[name], inner, below, dropped, is_resource=inner is not None and inner.is_embedded)
            elif not keeps_unknown:
                dropped.append(below)
                del value[name]
    elif type(value) is list:
        _prune_items(value, schema, path, dropped, keeps_unknown=keeps_unknown)


def _prune_items(
    items: list[Any], schema: JSONSchema | None, path: str, dropped: list[str], *, keeps_unknown: bool
) -> None:
    inner = schema.item_schema if schema else None
    # Below a list that keeps what is unknown the items keep it too, even if their schema does not say so.
    if keeps_unknown and (inner is None or not inner.preserve_unknown):
        if inner is None:
            return
        inner = _keeping(inner)
    for position, item in enumerate(items):
        below = paths.index(path, position)
        _prune(item, inner, below, dropped, is_resource=inner is not None and inner.is_embedded)


def _keeping(schema: JSONSchema) -> JSONSchema:
    return JSONSchema(
        properties=schema.properties,
        items=schema.items,
        additional_properties=schema.additional_properties,
        is_embedded=schema.is_embedded,
        preserve_unknown=True,
    )


def _field(schema: JSONSchema | None, name: str) -> tuple[bool, JSONSchema | None]:
    if schema is None:
        return False, None
    if schema.properties is not None and name in schema.properties:
        return True, schema.properties[name]
    return schema.additional_properties is not None, schema.value_schema


def _clean_check(schema: JSONSchema | None, *, is_resource: bool) -> CleanCheck:
    """A check for objects and lists only: of a scalar nothing can be pruned.

    May be wrong in one direction: what it calls unclean is looked at closely.
    """
    if schema is None:
        return _is_empty
    if schema.preserve_unknown and not schema.properties and schema.items is None:
        return _anything if schema.additional_properties is None else _nothing
    if schema.type == "array":
        return _list_check(schema)
    if schema.additional_properties is not None:
        return _map_check(schema)
    return _object_check(schema, is_resource=is_resource)


def _anything(_: Any) -> bool:
    return True


def _nothing(_: Any) -> bool:
    return False


def _is_empty(value: Any) -> bool:
    return not value


def _list_check(schema: JSONSchema) -> CleanCheck:
    inner = schema.item_schema
    if schema.preserve_unknown:
        return _nothing
    is_item_clean = _clean_check(inner, is_resource=inner is not None and inner.is_embedded)

    def is_clean(value: Any) -> bool:
        if type(value) is not list:
            return False
        for item in value:
            kind = type(item)
            if (kind is dict or kind is list) and not is_item_clean(item):
                return False
        return True

    return is_clean


def _map_check(schema: JSONSchema) -> CleanCheck:
    if schema.properties:
        return _nothing
    inner = schema.value_schema
    is_value_clean = _clean_check(inner, is_resource=inner is not None and inner.is_embedded)

    def is_clean(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for item in value.values():
            kind = type(item)
            if (kind is dict or kind is list) and not is_value_clean(item):
                return False
        return True

    return is_clean


def _object_check(schema: JSONSchema, *, is_resource: bool) -> CleanCheck:
    checks = {
        name: _clean_check(inner, is_resource=inner.is_embedded) for name, inner in (schema.properties or {}).items()
    }
    if is_resource:
        checks |= dict.fromkeys(META_FIELDS, _anything)
    keeps_unknown = bool(schema.preserve_unknown)
    known = checks.keys()

    def is_clean(value: Any) -> bool:
        if type(value) is not dict or not (keeps_unknown or value.keys() <= known):
            return False
        for name, inner in value.items():
            kind = type(inner)
            if (kind is dict or kind is list) and not checks.get(name, _anything)(inner):
                return False
        return True

    return is_clean
