"""The static types of CEL, and how the real server spells them in messages."""

from collections.abc import Callable, Mapping
from typing import Any


class Type:
    """A type; those made from a schema also know how JSON becomes a value of it.

    Invariant: `convert` is None if the JSON value is the CEL value already, and `exact` is true only if Python's `==`
    on converted values is CEL's `==`.
    """

    __slots__ = ("convert", "exact", "fields", "is_json", "kind", "name", "nullable", "parameters")

    def __init__(self, kind: str, name: str = "", parameters: tuple["Type", ...] = ()) -> None:
        self.kind = kind
        self.name = name or kind
        self.parameters = parameters
        self.fields: Mapping[str, Field] = {}
        self.convert: Callable[[Any], Any] | None = None
        self.exact = kind in _EXACT
        self.is_json = False
        self.nullable = False

    def __str__(self) -> str:
        name = _SPELLING.get(self.kind, self.name)
        if not self.parameters:
            return name
        return f"{name}({', '.join(map(str, self.parameters))})"

    def same_as(self, other: "Type") -> bool:
        """Whether both are one type, compared by structure; objects are themselves only."""
        if self is other:
            return True
        if self.kind != other.kind or self.name != other.name or len(self.parameters) != len(other.parameters):
            return False
        if self.kind == "object":
            return False
        return all(mine.same_as(others) for mine, others in zip(self.parameters, other.parameters, strict=True))


class Field:
    """A property of an object as an expression sees it: under its escaped name."""

    __slots__ = ("key", "type")

    def __init__(self, key: str, declared: Type) -> None:
        self.key = key
        self.type = declared


_EXACT = frozenset({"string", "int", "bool", "bytes", "timestamp", "duration"})
_SPELLING = {"null_type": "null", "error": "!error!"}

BOOL = Type("bool")
INT = Type("int")
UINT = Type("uint")
DOUBLE = Type("double")
STRING = Type("string")
BYTES = Type("bytes")
NULL = Type("null_type")
TIMESTAMP = Type("timestamp")
DURATION = Type("duration")
DYN = Type("dyn")
ERROR = Type("error")

OPTIONAL = "optional_type"


def list_of(element: Type) -> Type:
    return Type("list", parameters=(element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", parameters=(key, value))


def type_of(inner: Type) -> Type:
    return Type("type", parameters=(inner,))


def opaque(name: str, *parameters: Type) -> Type:
    return Type("opaque", name, parameters)


def optional_of(inner: Type) -> Type:
    return opaque(OPTIONAL, inner)


def type_parameter(name: str) -> Type:
    return Type("type_param", name)


def unwrap_optional(declared: Type) -> tuple[Type, bool]:
    if declared.kind == "opaque" and declared.name == OPTIONAL:
        return declared.parameters[0], True
    return declared, False
