"""Paths of fields within a schema, as rules and selectable fields name them: `.spec.ports['http']`."""

import re
from collections.abc import Iterator

from framework.apiserver.schema import paths
from framework.apiserver.schema.json_schema import JSONSchema

_SYMBOL = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "'": "'",
    "\\": "\\",
}
_NOT_A_FIELD = "does not refer to a valid field"
_ENDS_EARLY = "unexpected end of JSON path"


class FieldPathError(ValueError):
    """The path leads nowhere; the text says why."""


def resolve(path: str, schema: JSONSchema, *, allow_brackets: bool = True) -> tuple[str, JSONSchema | None]:
    """The path as messages have it, and the schema that it leads to. Raises FieldPathError."""
    found: JSONSchema | None = schema
    normal = ""
    symbols = iter(_SYMBOL.findall(path))
    for symbol in symbols:
        name = _name(symbol, symbols, allow_brackets=allow_brackets)
        normal, found = _step(normal, found, name)
        if symbol == "[" and (closing := _next(symbols)) != "]":
            raise FieldPathError(f"expected ] but got {closing}")
    return normal, found


def _name(symbol: str, symbols: Iterator[str], *, allow_brackets: bool) -> str:
    if symbol == ".":
        return _next(symbols)
    if symbol != "[":
        raise FieldPathError(f"expected [ or . but got: {symbol}")
    if not allow_brackets:
        raise FieldPathError("array notation is not allowed")
    quoted = _next(symbols)
    if len(quoted) < len("''") or quoted[0] != "'" or quoted[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {quoted}")
    return _ESCAPE.sub(_unescaped, quoted[1:-1])


def _unescaped(match: "re.Match[str]") -> str:
    if match[1] not in _ESCAPED:
        raise FieldPathError(f"invalid string literal: invalid escape char {match[0]}")
    return _ESCAPED[match[1]]


def _next(symbols: Iterator[str]) -> str:
    symbol = next(symbols, None)
    if symbol is None:
        raise FieldPathError(_ENDS_EARLY)
    return symbol


def _step(path: str, schema: JSONSchema | None, name: str) -> tuple[str, JSONSchema | None]:
    if schema is not None and schema.properties:
        if name not in schema.properties:
            raise FieldPathError(_NOT_A_FIELD)
        return paths.child(path, name), schema.properties[name]
    if schema is None or schema.additional_properties is None:
        raise FieldPathError(_NOT_A_FIELD)
    return paths.key(path, name), schema.value_schema
