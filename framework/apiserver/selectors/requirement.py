"""One demand on one label."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

import msgspec

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objectmeta.names import label_key_problems, label_value_problems

_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = range(-(2**63), 2**63)


class Operator(Enum):
    """Named as the messages of the real server name them."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER = "gt"
    LESS = "lt"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"


SETS = (Operator.IN, Operator.NOT_IN)
EQUALITIES = (Operator.EQUALS, Operator.DOUBLE_EQUALS, Operator.NOT_EQUALS)
COMPARISONS = (Operator.GREATER, Operator.LESS)
POSITIVE = (Operator.IN, Operator.EQUALS, Operator.DOUBLE_EQUALS)
NEGATIVE = (Operator.NOT_IN, Operator.NOT_EQUALS)

_SYMBOLS = {Operator.GREATER: ">", Operator.LESS: "<"}


class Requirement(msgspec.Struct, frozen=True):
    """`key operator values`; the values are sorted."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def problems(self) -> list[FieldError]:
        """What the real server says about this requirement; nothing if it may be used."""
        found = (
            [invalid_value("key", self.key, "; ".join(problems))] if (problems := label_key_problems(self.key)) else []
        )
        found += self._count_problems()
        for position, value in enumerate(self.values):
            if self.operator in COMPARISONS and integer(value) is None:
                detail = "for 'Gt', 'Lt' operators, the value must be an integer"
                found.append(invalid_value(f"values[{position}]", value, detail))
        for position, value in enumerate(self.values):
            if wrong := label_value_problems(value):
                found.append(invalid_value(f"values[{position}][{self.key}]", value, "; ".join(wrong)))
        return found

    def predicate(self) -> Callable[[Mapping[str, str]], bool]:
        key, values = self.key, frozenset(self.values)
        if self.operator in POSITIVE:
            return lambda labels: key in labels and labels[key] in values
        if self.operator in NEGATIVE:
            return lambda labels: key not in labels or labels[key] not in values
        if self.operator is Operator.EXISTS:
            return lambda labels: key in labels
        if self.operator is Operator.DOES_NOT_EXIST:
            return lambda labels: key not in labels
        return _comparison(key, self.values[0], is_greater=self.operator is Operator.GREATER)

    def __str__(self) -> str:
        if self.operator is Operator.EXISTS:
            return self.key
        if self.operator is Operator.DOES_NOT_EXIST:
            return f"!{self.key}"
        values = ",".join(self.values)
        if self.operator in SETS:
            return f"{self.key} {self.operator.value} ({values})"
        return f"{self.key}{_SYMBOLS.get(self.operator, self.operator.value)}{values}"

    def _count_problems(self) -> Sequence[FieldError]:
        detail = ""
        count = len(self.values)
        if self.operator in SETS:
            detail = "" if count else "for 'in', 'notin' operators, values set can't be empty"
        elif self.operator in EQUALITIES:
            detail = "" if count == 1 else "exact-match compatibility requires one single value"
        elif self.operator in COMPARISONS:
            detail = "" if count == 1 else "for 'Gt', 'Lt' operators, exactly one value is required"
        elif count:
            detail = "values set must be empty for exists and does not exist"
        return [invalid_value("values", list(self.values), detail)] if detail else []


def integer(text: str) -> int | None:
    """*text* as a 64-bit decimal number, as Go reads it."""
    if not _INTEGER.fullmatch(text) or len(text) > len(str(_INT64.start)) + 1:
        return None
    number = int(text)
    return number if number in _INT64 else None


def _comparison(key: str, bound_text: str, *, is_greater: bool) -> Callable[[Mapping[str, str]], bool]:
    bound = integer(bound_text)

    def compare(labels: Mapping[str, str]) -> bool:
        value = integer(labels[key]) if key in labels else None
        if value is None or bound is None:
            return False
        return value > bound if is_greater else value < bound

    return compare
