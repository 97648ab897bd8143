"""The fields behind the scale subresource of a custom resource: checked with every write, whatever the schema says."""

from typing import Any

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.go_text import go_text, go_type
from framework.apiserver.objects import Object

FieldPath = tuple[str, ...]
_LARGEST = 2**31 - 1
_MISSING = object()


class _NotReadable(Exception):
    """Something on the way, or at the end of it, has a type that it should not have."""


def replicas_errors(obj: Object, path: FieldPath) -> list[FieldError]:
    field = _dotted(path)
    try:
        replicas = _read(obj, path, int, "int64")
    except _NotReadable as error:
        return [invalid_value(field, 0, str(error))]
    if replicas is _MISSING:
        return []
    if replicas < 0:
        return [invalid_value(field, replicas, "should be a non-negative integer")]
    if replicas > _LARGEST:
        return [invalid_value(field, replicas, f"should be less than or equal to {_LARGEST}")]
    return []


def selector_errors(obj: Object, path: FieldPath) -> list[FieldError]:
    try:
        _read(obj, path, str, "string")
    except _NotReadable as error:
        return [invalid_value(_dotted(path), "", str(error))]
    return []


def _read(obj: Object, path: FieldPath, wanted: type, wanted_name: str) -> Any:
    value: Any = obj
    for depth, name in enumerate(path):
        if not isinstance(value, dict):
            raise _wrong_type(path[: depth + 1], value, "map[string]interface{}")
        value = value.get(name, _MISSING)
        if value is _MISSING or (value is None and depth < len(path) - 1):
            return _MISSING
    if type(value) is not wanted:
        raise _wrong_type(path, value, wanted_name)
    return value


def _wrong_type(path: FieldPath, value: Any, wanted: str) -> _NotReadable:
    found = "<nil>" if value is None else go_type(value)
    return _NotReadable(f"{_dotted(path)} accessor error: {go_text(value)} is of the type {found}, expected {wanted}")


def _dotted(path: FieldPath) -> str:
    return "." + ".".join(path)
