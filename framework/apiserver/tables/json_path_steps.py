"""The steps of a JSONPath: each takes all values found so far, and gives those one step further."""

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Protocol, TypeAlias

import msgspec

Values: TypeAlias = list[Any]

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class JsonPathError(ValueError):
    """A path that cannot be parsed, or that does not fit the value."""


class Step(Protocol):
    def __call__(self, values: Values, /) -> Values: ...


class Path(msgspec.Struct, frozen=True):
    steps: Sequence[Step]

    def __call__(self, values: Values) -> Values:
        for step in self.steps:
            values = step(values)
        return values


class Field(msgspec.Struct, frozen=True):
    name: str

    def __call__(self, values: Values) -> Values:
        return [value[self.name] for value in values if isinstance(value, dict) and self.name in value]


class Literal(msgspec.Struct, frozen=True):
    value: str | int | float | bool

    def __call__(self, values: Values) -> Values:
        return [self.value] * (1 if isinstance(self.value, str) else len(values))


class Identifier(msgspec.Struct, frozen=True):
    """A word where a value should stand. Templates of kubectl give some words a meaning; paths of columns do not."""

    word: str

    def __call__(self, _: Values) -> Values:
        raise JsonPathError(f"unrecognized identifier {self.word}")


class Wildcard(msgspec.Struct, frozen=True):
    def __call__(self, values: Values) -> Values:
        return [member for value in values for member in _members(value)]


class Recursive(msgspec.Struct, frozen=True):
    def __call__(self, values: Values) -> Values:
        found: Values = []
        for value in values:
            if members := _members(value):
                found.append(value)
                found.extend(self(members))
        return found


class Union(msgspec.Struct, frozen=True):
    steps: Sequence[Step]

    def __call__(self, values: Values) -> Values:
        return [value for step in self.steps for value in step(values)]


class Slice(msgspec.Struct, frozen=True):
    start: int
    stop: int | None
    step: int | None

    @classmethod
    def of_index(cls, index: int) -> "Slice":
        return cls(index, None if index == -1 else index + 1, None)

    def __call__(self, values: Values) -> Values:
        found: Values = []
        for value in values:
            if value is not None:
                found.extend(self._cut(value))
        return found

    def _cut(self, value: Any) -> Values:
        if not isinstance(value, list):
            raise JsonPathError("is not array or slice")
        start = self.start + len(value) if self.start < 0 else self.start
        stop = len(value) if self.stop is None else self.stop + len(value) if self.stop < 0 else self.stop
        if start == stop:
            return []
        if not (0 <= start < len(value) and 0 <= stop <= len(value) and start < stop):
            raise JsonPathError("array index out of bounds")
        if self.step is not None and self.step <= 0:
            raise JsonPathError("step must be > 0")
        return value[start : stop : self.step]


class Exists(msgspec.Struct, frozen=True):
    path: Path

    def __call__(self, values: Values) -> Values:
        return [element for element in _elements(values) if self.path([element])]


class Compare(msgspec.Struct, frozen=True):
    left: Path
    operator: str
    right: Path

    def __call__(self, values: Values) -> Values:
        return [element for element in _elements(values) if self._fits(element)]

    def _fits(self, element: Any) -> bool:
        left, right = self.left([element]), self.right([element])
        if not left or not right:
            return False
        if len(left) > 1 or len(right) > 1:
            raise JsonPathError("can only compare one element at a time")
        compare = _OPERATORS.get(self.operator)
        if compare is None:
            raise JsonPathError(f"unrecognized filter operator {self.operator}")
        if type(left[0]) is not type(right[0]) or not isinstance(left[0], str | int | float):
            raise JsonPathError("incompatible types for comparison")
        return compare(left[0], right[0])


def _members(value: Any) -> Values:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _elements(values: Values) -> Values:
    if not all(isinstance(value, list) for value in values):
        raise JsonPathError("is not array or slice and cannot be filtered")
    return [element for value in values for element in value]
