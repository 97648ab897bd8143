"""What the arithmetic operators do with values whose types are known only at run time."""

import math
from collections.abc import Callable
from typing import Any

from framework.apiserver.cel.errors import CelError, NoSuchOverload
from framework.apiserver.cel.instants import Duration, Timestamp
from framework.apiserver.cel.values import INT_MAX, INT_MIN, UINT_MAX, MapList, SetList, UInt


def checked_int(value: int) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    raise CelError("integer overflow")


def _checked_uint(value: int) -> UInt:
    if 0 <= value <= UINT_MAX:
        return UInt(value)
    raise CelError("unsigned integer overflow")


def add(one: Any, other: Any) -> Any:  # noqa: PLR0911 - one for each pair of types
    kind = type(one)
    if kind is Timestamp and type(other) is Duration:
        return Timestamp(one.nanoseconds + other.nanoseconds, one.offset_seconds)
    if kind is Duration and type(other) is Timestamp:
        return add(other, one)
    if isinstance(one, list) and isinstance(other, list):
        return one.plus(other) if isinstance(one, SetList | MapList) else [*one, *other]
    if kind is not type(other):
        raise NoSuchOverload
    if kind is int:
        return checked_int(one + other)
    if kind is UInt:
        return _checked_uint(int(one) + int(other))
    if kind is Duration:
        return Duration(one.nanoseconds + other.nanoseconds)
    if kind in (str, float, bytes):
        return one + other
    raise NoSuchOverload


def subtract(one: Any, other: Any) -> Any:
    kind, other_kind = type(one), type(other)
    if kind is Timestamp and other_kind is Duration:
        return Timestamp(one.nanoseconds - other.nanoseconds, one.offset_seconds)
    if kind is not other_kind:
        raise NoSuchOverload
    if kind is int:
        return checked_int(one - other)
    if kind is UInt:
        return _checked_uint(int(one) - int(other))
    if kind in (Duration, Timestamp):
        return Duration(one.nanoseconds - other.nanoseconds)
    if kind is float:
        return one - other
    raise NoSuchOverload


def multiply(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is not type(other):
        raise NoSuchOverload
    if kind is int:
        return checked_int(one * other)
    if kind is UInt:
        return _checked_uint(int(one) * int(other))
    if kind is float:
        return one * other
    raise NoSuchOverload


def divide(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is not type(other) or kind not in (int, UInt, float):
        raise NoSuchOverload
    if kind is float:
        return _divide_doubles(one, other)
    if other == 0:
        raise CelError("division by zero")
    # CEL cuts the fraction off, Python rounds down.
    quotient = abs(int(one)) // abs(int(other))
    quotient = quotient if (one < 0) == (other < 0) else -quotient
    return UInt(quotient) if kind is UInt else checked_int(quotient)


def _divide_doubles(one: float, other: float) -> float:
    if other:
        return one / other
    if not one or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def modulo(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is not type(other) or kind not in (int, UInt):
        raise NoSuchOverload
    if other == 0:
        raise CelError("modulus by zero")
    rest = abs(int(one)) % abs(int(other))
    return UInt(rest) if kind is UInt else (-rest if one < 0 else rest)


def negate(value: Any) -> Any:
    if type(value) is int:
        return checked_int(-value)
    if type(value) is float:
        return -value
    if type(value) is Duration:
        return Duration(-value.nanoseconds)
    raise NoSuchOverload


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "_+_": add,
    "_-_": subtract,
    "_*_": multiply,
    "_/_": divide,
    "_%_": modulo,
}
