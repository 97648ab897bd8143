"""The signatures of the operators, under the names that they have in the tree and in messages."""

from collections.abc import Callable
from typing import Any

from framework.apiserver.cel.declarations import Overload, by_name, function
from framework.apiserver.cel.errors import CelError, NoSuchOverload
from framework.apiserver.cel.operators import add, divide, modulo, multiply, negate, subtract
from framework.apiserver.cel.values import ABSENT, Optional, UInt, compare, contains, equal, type_name_of

_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "_<_": lambda one, other: compare(one, other) < 0,
    "_<=_": lambda one, other: compare(one, other) <= 0,
    "_>_": lambda one, other: compare(one, other) > 0,
    "_>=_": lambda one, other: compare(one, other) >= 0,
}


def index(container: Any, key: Any) -> Any:
    if isinstance(container, dict):
        return _from_map(container, key)
    if isinstance(container, list):
        return _from_list(container, key)
    if isinstance(container, Optional):
        return optional_index(container, key)
    raise CelError(f"no such key: {key}")


def optional_index(container: Any, key: Any) -> Optional:
    if isinstance(container, Optional):
        return optional_index(container.value, key) if container.is_present else ABSENT
    if isinstance(container, dict):
        return Optional(container[key]) if checked_key(key) in container else ABSENT
    if isinstance(container, list):
        return Optional(container[key]) if 0 <= key < len(container) else ABSENT
    return ABSENT


def _from_list(items: list[Any], key: Any) -> Any:
    if type(key) is float and key.is_integer():
        key = int(key)
    if type(key) not in (int, UInt):
        raise CelError(f"unsupported index type '{type_name_of(key)}' in list")
    if not 0 <= key < len(items):
        raise CelError(f"index out of bounds: {key}")
    return items[key]


def _from_map(entries: dict[Any, Any], key: Any) -> Any:
    try:
        return entries[checked_key(key)]
    except KeyError:
        raise CelError(f"no such key: {key}") from None


def checked_key(key: Any) -> Any:
    if isinstance(key, str | int | float):
        return key
    raise NoSuchOverload


def is_in(value: Any, container: Any) -> bool:
    if isinstance(container, list):
        return contains(container, value)
    if isinstance(container, dict):
        return checked_key(value) in container
    raise NoSuchOverload


def logical_not(value: Any) -> bool:
    if isinstance(value, bool):
        return not value
    raise NoSuchOverload


def _handled_by_planner(*_: Any) -> Any:
    raise AssertionError("the planner compiles this operator itself")


def _arithmetic() -> list[Overload]:
    overloads = [
        function(f"{name}({kind}, {kind}) -> {kind}", call) for name, call in _ON_NUMBERS.items() for kind in _NUMBERS
    ]
    overloads += [function(f"_%_({kind}, {kind}) -> {kind}", modulo) for kind in ("int", "uint")]
    overloads += [function(f"-_({kind}) -> {kind}", negate) for kind in ("double", "int")]
    return overloads


_ON_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {"_+_": add, "_-_": subtract, "_*_": multiply, "_/_": divide}

OPERATORS: dict[str, list[Overload]] = by_name(
    (
        function("_?_:_(bool, A, A) -> A", _handled_by_planner),
        function("_&&_(bool, bool) -> bool", _handled_by_planner),
        function("_||_(bool, bool) -> bool", _handled_by_planner),
        function("!_(bool) -> bool", logical_not),
        function("_==_(A, A) -> bool", equal),
        function("_!=_(A, A) -> bool", lambda one, other: not equal(one, other)),
        *_arithmetic(),
        *(function(f"_+_({kind}, {kind}) -> {kind}", add) for kind in ("bytes", "string", "list(A)", "duration")),
        function("_+_(duration, timestamp) -> timestamp", add),
        function("_+_(timestamp, duration) -> timestamp", add),
        function("_-_(duration, duration) -> duration", subtract),
        function("_-_(timestamp, duration) -> timestamp", subtract),
        function("_-_(timestamp, timestamp) -> duration", subtract),
        *(
            function(f"{name}({one}, {other}) -> bool", call)
            for name, call in _COMPARISONS.items()
            for one in _NUMBERS
            for other in _NUMBERS
        ),
        *(
            function(f"{name}({kind}, {kind}) -> bool", call)
            for name, call in _COMPARISONS.items()
            for kind in _ORDERED
        ),
        function("_[_](list(A), int) -> A", index),
        function("_[_](map(A, B), A) -> B", index),
        function("_[_](optional(list(V)), int) -> optional(V)", index),
        function("_[_](optional(map(K, V)), K) -> optional(V)", index),
        function("_[?_](list(V), int) -> optional(V)", optional_index),
        function("_[?_](optional(list(V)), int) -> optional(V)", optional_index),
        function("_[?_](map(K, V), K) -> optional(V)", optional_index),
        function("_[?_](optional(map(K, V)), K) -> optional(V)", optional_index),
        function("@in(A, list(A)) -> bool", is_in),
        function("@in(A, map(A, B)) -> bool", is_in),
    )
)
