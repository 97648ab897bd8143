"""Schemas of the values that have no parts."""

from enum import Enum
from typing import Any

from msgspec import inspect

from apis.schema.node import Schema
from apis.schema.place import Place

_INT32_LIMIT = 2**31
_ENUM_TYPES: dict[type, Schema] = {str: {"type": "string"}, int: {"type": "integer", "format": "int64"}}


def string(declared: inspect.StrType) -> Schema:
    limits = {"minLength": declared.min_length, "maxLength": declared.max_length, "pattern": declared.pattern}
    return {"type": "string", **_given(limits)}


def integer(declared: inspect.IntType) -> Schema:
    return {"type": "integer", "format": "int32" if _fits_int32(declared) else "int64", **_range(declared)}


def number(declared: inspect.FloatType) -> Schema:
    return {"type": "number", "format": "double", **_range(declared)}


def time(declared: inspect.DateTimeType, place: Place) -> Schema:
    if declared.tz is False:
        raise place.error("a time without a zone cannot be written as RFC 3339; use apis.meta.Time")
    return {"type": "string", "format": "date-time"}


def octets(declared: inspect.BytesType) -> Schema:
    # In Python the limits count bytes, in the schema the characters of their base64 text.
    limits = {"minLength": _base64_length(declared.min_length), "maxLength": _base64_length(declared.max_length)}
    return {"type": "string", "format": "byte", **_given(limits)}


def choice(values: tuple[Any, ...], place: Place) -> Schema:
    values = tuple(value.value if isinstance(value, Enum) else value for value in values)
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or not kinds <= _ENUM_TYPES.keys():
        raise place.error(f"the values {list(values)} must be all strings or all integers")
    return {**_ENUM_TYPES[kinds.pop()], "enum": list(values)}


def _range(declared: inspect.IntType | inspect.FloatType) -> Schema:
    limits: Schema = {"multipleOf": declared.multiple_of, "minimum": declared.ge, "maximum": declared.le}
    if declared.gt is not None:
        limits |= {"minimum": declared.gt, "exclusiveMinimum": True}
    if declared.lt is not None:
        limits |= {"maximum": declared.lt, "exclusiveMaximum": True}
    return _given(limits)


def _fits_int32(declared: inspect.IntType) -> bool:
    lowest = declared.ge if declared.ge is not None else declared.gt
    highest = declared.le if declared.le is not None else declared.lt
    if lowest is None or highest is None:
        return False
    return lowest >= -_INT32_LIMIT and highest < _INT32_LIMIT


def _base64_length(octet_count: int | None) -> int | None:
    return None if octet_count is None else -(-octet_count // 3) * 4


def _given(limits: Schema) -> Schema:
    return {key: value for key, value in limits.items() if value is not None}
