"""CEL's own functions: conversions between types, size, and the simple tests on text."""

import math
import re
from typing import Any, NoReturn

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.instants import NANOSECONDS, Duration, Timestamp, parse_duration, parse_timestamp
from framework.apiserver.cel.library.string_format import text_of
from framework.apiserver.cel.values import INT_MAX, INT_MIN, UINT_MAX, TypeValue, UInt, type_name_of, type_name_of_kind

_SIGNED = re.compile(r"[+-]?[0-9]+")
_UNSIGNED = re.compile(r"[0-9]+")
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def _not_convertible(kind: str) -> CelError:
    return CelError(f"type conversion error from 'string' to '{type_name_of_kind(kind)}'")


def _same(value: Any) -> Any:
    return value


def _text_to_bool(text: str) -> bool:
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise _not_convertible("bool")


def _bytes_to_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None


def _text_to_int(text: str) -> int:
    if _SIGNED.fullmatch(text) is None or not INT_MIN <= int(text) <= INT_MAX:
        raise _not_convertible("int")
    return int(text)


def _text_to_uint(text: str) -> UInt:
    if _UNSIGNED.fullmatch(text) is None or int(text) > UINT_MAX:
        raise _not_convertible("uint")
    return UInt(text)


def _text_to_double(text: str) -> float:
    try:
        if text != text.strip() or "_" in text:
            raise ValueError  # noqa: TRY301 - what Python forgives and Go does not
        return float(text)
    except ValueError:
        raise _not_convertible("double") from None


def _double_to_int(value: float) -> int:
    if not math.isfinite(value) or not INT_MIN < value < INT_MAX:
        raise CelError("integer overflow")
    return int(value)


def _double_to_uint(value: float) -> UInt:
    if not math.isfinite(value) or not 0 <= value < UINT_MAX:
        raise CelError("unsigned integer overflow")
    return UInt(value)


def _int_to_uint(value: int) -> UInt:
    if value < 0:
        raise CelError("unsigned integer overflow")
    return UInt(value)


def _uint_to_int(value: UInt) -> int:
    if value > INT_MAX:
        raise CelError("integer overflow")
    return int(value)


def _text_to_duration(text: str) -> Duration:
    try:
        return parse_duration(text)
    except ValueError:
        raise _not_convertible("duration") from None


def _int_to_duration(_: int) -> NoReturn:
    # Declared in CEL, and not done by the real server.
    raise CelError("type conversion error from 'int' to 'google.protobuf.Duration'")


def _text_to_timestamp(text: str) -> Timestamp:
    try:
        return parse_timestamp(text)
    except ValueError:
        raise _not_convertible("timestamp") from None


OVERLOADS = (
    *(function(f"size({kind}) -> int", len) for kind in ("string", "bytes", "list(A)", "map(A, B)")),
    *(member(f"{kind}.size() -> int", len) for kind in ("string", "bytes", "list(A)", "map(A, B)")),
    function("type(A) -> type(A)", lambda value: TypeValue(type_name_of(value))),
    function("dyn(A) -> dyn", _same),
    function("bool(bool) -> bool", _same),
    function("bool(string) -> bool", _text_to_bool),
    function("bytes(bytes) -> bytes", _same),
    function("bytes(string) -> bytes", str.encode),
    function("double(double) -> double", _same),
    function("double(int) -> double", float),
    function("double(string) -> double", _text_to_double),
    function("double(uint) -> double", float),
    function("duration(duration) -> duration", _same),
    function("duration(int) -> duration", _int_to_duration),
    function("duration(string) -> duration", _text_to_duration),
    function("int(int) -> int", _same),
    function("int(double) -> int", _double_to_int),
    function("int(duration) -> int", lambda value: value.nanoseconds),
    function("int(string) -> int", _text_to_int),
    function("int(timestamp) -> int", lambda value: value.nanoseconds // NANOSECONDS),
    function("int(uint) -> int", _uint_to_int),
    function("string(string) -> string", _same),
    function("string(bytes) -> string", _bytes_to_text),
    *(
        function(f"string({kind}) -> string", text_of)
        for kind in ("bool", "double", "int", "uint", "duration", "timestamp")
    ),
    function("timestamp(timestamp) -> timestamp", _same),
    function("timestamp(int) -> timestamp", lambda seconds: Timestamp(seconds * NANOSECONDS)),
    function("timestamp(string) -> timestamp", _text_to_timestamp),
    function("uint(uint) -> uint", _same),
    function("uint(double) -> uint", _double_to_uint),
    function("uint(int) -> uint", _int_to_uint),
    function("uint(string) -> uint", _text_to_uint),
    member("string.contains(string) -> bool", str.__contains__),
    member("string.startsWith(string) -> bool", str.startswith),
    member("string.endsWith(string) -> bool", str.endswith),
)
