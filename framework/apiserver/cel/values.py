"""The values of CEL in Python.

bool, int, float, str, bytes, None, list and dict stand for themselves; an int is a CEL int, a float a double. The other
types have the classes below. Python's `==` is not CEL's (`True == 1`), so use `equal` unless both types are known.
"""

import math
from collections.abc import Iterable
from typing import Any

from framework.apiserver.cel.errors import CelError, NoSuchOverload
from framework.apiserver.cel.instants import Duration, Timestamp
from framework.apiserver.spelling import spelled_float

INT_MIN, INT_MAX, UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


class UInt(int):
    """An unsigned integer; only literals such as `1u` and `uint()` make one."""

    __slots__ = ()


class Optional:
    """A value that may be absent.

    A caller gives one for a variable such as `oldSelf` of a rule with optionalOldSelf; around the variable's schema it
    declares such a variable.
    """

    __slots__ = ("_is_present", "_value")

    def __init__(self, *value: Any) -> None:
        self._is_present = bool(value)
        self._value = value[0] if value else None

    @property
    def is_present(self) -> bool:
        return self._is_present

    @property
    def value(self) -> Any:
        if not self._is_present:
            raise CelError("optional.none() dereference")
        return self._value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Optional) or self._is_present != other._is_present:
            return False
        return not self._is_present or equal(self._value, other._value)

    __hash__ = None  # type: ignore[assignment] # what it holds mostly has no hash


ABSENT = Optional()


class TypeValue:
    """A type as a value: what `type(x)` gives and `int` names."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeValue) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Opaque:
    """Base of the values that Kubernetes' own libraries add; `type_name` is how CEL names the type."""

    __slots__ = ()
    type_name = ""


class SetList(list[Any]):
    """A list with x-kubernetes-list-type set: order does not count for `==`, and `+` is the union."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and len(self) == len(other) and set(self) >= set(other)

    __hash__ = None

    def plus(self, other: list[Any]) -> "SetList":
        return SetList(dict.fromkeys([*self, *other]))


class MapList(list[Any]):
    """A list with x-kubernetes-list-type map: `==` compares by key, and `+` merges by key."""

    __slots__ = ("keys",)

    def __init__(self, items: Iterable[Any], keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.keys = keys

    def _by_key(self, items: list[Any]) -> dict[tuple[Any, ...], Any]:
        return {tuple(item.get(key) for key in self.keys): item for item in items}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list) or len(self) != len(other):
            return False
        mine = self._by_key(self)
        return all(key in mine and equal(mine[key], item) for key, item in self._by_key(other).items())

    __hash__ = None

    def plus(self, other: list[Any]) -> "MapList":
        return MapList({**self._by_key(self), **self._by_key(other)}.values(), self.keys)


_KINDS: dict[type, str] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    SetList: "list",
    MapList: "list",
    dict: "map",
    Timestamp: "timestamp",
    Duration: "duration",
    Optional: "optional_type",
    TypeValue: "type",
}
_TYPE_NAMES = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}
_NUMBERS = frozenset({int, UInt, float})


def kind_of(value: Any) -> str:
    """The kind of static type that *value* has; for an opaque value its type's name."""
    known = _KINDS.get(type(value))
    return known if known is not None else str(value.type_name)


def type_name_of(value: Any) -> str:
    kind = kind_of(value)
    return _TYPE_NAMES.get(kind, kind)


def type_name_of_kind(kind: str) -> str:
    return _TYPE_NAMES.get(kind, kind)


def equal(one: Any, other: Any) -> bool:
    """CEL's `==`: numbers compare across their types, everything else is unequal to another type."""
    kind, other_kind = type(one), type(other)
    if kind in _NUMBERS and other_kind in _NUMBERS:
        return bool(one == other)
    if isinstance(one, dict):
        if not isinstance(other, dict) or len(one) != len(other):
            return False
        return all(key in other and equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return isinstance(other, list) and _equal_lists(one, other)
    return kind is other_kind and bool(one == other)


def _equal_lists(one: list[Any], other: list[Any]) -> bool:
    if type(one) is not list:
        return one == other
    return len(one) == len(other) and all(map(equal, one, other))


def contains(items: list[Any], wanted: Any) -> bool:
    return any(equal(item, wanted) for item in items)


_ORDERED = frozenset({bool, str, bytes, Timestamp, Duration})


def compare(one: Any, other: Any) -> int:
    """-1, 0 or 1; numbers across their types, anything else within its own."""
    kind, other_kind = type(one), type(other)
    if kind in _NUMBERS and other_kind in _NUMBERS:
        if one != one or other != other:  # noqa: PLR0124 - the test for NaN
            raise CelError("NaN values cannot be ordered")
    elif kind is not other_kind or kind not in _ORDERED:
        raise NoSuchOverload
    return int(one > other) - int(one < other)


def is_zero(value: Any) -> bool:
    """Whether optional.ofNonZeroValue takes *value* for nothing."""
    if isinstance(value, Duration | Timestamp):
        return value.nanoseconds == 0
    if isinstance(value, Opaque | TypeValue):
        return False
    if isinstance(value, Optional):
        return not value.is_present or is_zero(value.value)
    return not value


def plain(value: Any) -> Any:
    """*value* as the caller of a program gets it: Python's own types, text for times."""
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, Optional):
        return Optional(plain(value.value)) if value.is_present else value
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, UInt):
        return int(value)
    return str(value) if isinstance(value, Timestamp | Duration | Opaque) else value


def format_double(value: float) -> str:
    """The shortest text that reads back as *value*, as Go writes it: `1`, `0.5`, `1e+06`, `+Inf`."""
    if math.isfinite(value):
        return spelled_float(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
