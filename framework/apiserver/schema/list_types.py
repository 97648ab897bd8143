"""Sets hold no value twice, and lists of type map no key."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from framework.apiserver.fields import FieldError, duplicate, invalid_value
from framework.apiserver.schema import paths
from framework.apiserver.schema.json_schema import JSONSchema

# Called with a value and its path.
ListTypeCheck: TypeAlias = Callable[[Any, str], list[FieldError]]

_encode = msgspec.json.Encoder(order="deterministic").encode


def compile_list_types(schema: JSONSchema) -> ListTypeCheck | None:
    """None if there is no set and no map list in *schema*."""
    fields = {name: found for name, one in (schema.properties or {}).items() if (found := compile_list_types(one))}
    check_value = compile_list_types(schema.value_schema) if schema.value_schema else None
    check_item = compile_list_types(schema.item_schema) if schema.item_schema else None
    check_list = _list_check(schema)
    if not (fields or check_value or check_item or check_list):
        return None

    def check(value: Any, path: str) -> list[FieldError]:
        if type(value) is list:
            errors = check_list(value, path) if check_list else []
            return errors + _item_errors(check_item, value, path)
        if type(value) is dict:
            return _field_errors(fields, check_value, value, path)
        return []

    return check


def _item_errors(check: ListTypeCheck | None, items: list[Any], path: str) -> list[FieldError]:
    if check is None:
        return []
    return [error for at, item in enumerate(items) for error in check(item, paths.index(path, at))]


def _field_errors(
    fields: dict[str, ListTypeCheck], check_value: ListTypeCheck | None, value: dict[str, Any], path: str
) -> list[FieldError]:
    errors = []
    if check_value is not None:
        for name, inner in value.items():
            errors += check_value(inner, paths.key(path, name))
    for name, check in fields.items():
        if name in value:
            errors += check(value[name], paths.child(path, name))
    return errors


def _list_check(schema: JSONSchema) -> ListTypeCheck | None:
    if schema.list_type == "set":
        return _set_errors
    if schema.list_type == "map":
        names = schema.list_map_keys or []
        return lambda items, path: _map_errors(names, items, path)
    return None


def _set_errors(items: list[Any], path: str) -> list[FieldError]:
    return [duplicate(paths.index(path, at), items[at]) for at in _repeated(items)]


def _map_errors(names: list[str], items: list[Any], path: str) -> list[FieldError]:
    for at, item in enumerate(items):
        if item is not None and type(item) is not dict:
            return [invalid_value(paths.index(path, at), item, "must be an object for an array of list-type map")]
    keys = [{name: item[name] for name in names if item is not None and name in item} for item in items]
    return [duplicate(paths.index(path, at), keys[at]) for at in _repeated(keys)]


def _repeated(values: Iterable[Any]) -> list[int]:
    """The second place of each value that has one."""
    seen: dict[bytes, int] = {}
    second = []
    for at, value in enumerate(values):
        # As JSON: Python has True equal to 1, and cannot hash what holds others.
        encoded = _encode(value)
        seen[encoded] = seen.get(encoded, 0) + 1
        if seen[encoded] == 2:  # noqa: PLR2004 - the second one
            second.append(at)
    return second
