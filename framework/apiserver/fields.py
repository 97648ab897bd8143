"""What is wrong with one field of an object, worded as the real server words it."""

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import chain, islice
from typing import Any

import msgspec

from framework.apiserver.spelling import spelled
from framework.errors import StatusCause


class FieldProblem(Enum):
    """The reason in a Status' cause, and the words that stand for it in its message."""

    REQUIRED = ("FieldValueRequired", "Required value")
    INVALID = ("FieldValueInvalid", "Invalid value")
    DUPLICATE = ("FieldValueDuplicate", "Duplicate value")
    NOT_SUPPORTED = ("FieldValueNotSupported", "Unsupported value")
    FORBIDDEN = ("FieldValueForbidden", "Forbidden")
    NOT_FOUND = ("FieldValueNotFound", "Not found")
    TOO_LONG = ("FieldValueTooLong", "Too long")
    TOO_MANY = ("FieldValueTooMany", "Too many")
    TYPE_INVALID = ("FieldValueTypeInvalid", "Invalid value")
    INTERNAL = ("InternalError", "Internal error")

    @property
    def reason(self) -> str:
        return self.value[0]

    @property
    def words(self) -> str:
        return self.value[1]


# Stands for a value that the message leaves out, such as a whole object that breaks a rule.
OMITTED: Any = object()

_WITHOUT_VALUE = {FieldProblem.REQUIRED, FieldProblem.FORBIDDEN, FieldProblem.TOO_LONG, FieldProblem.INTERNAL}


class FieldError(msgspec.Struct, frozen=True):
    """`spec.replicas: Invalid value: -1: must be greater than or equal to 0`."""

    problem: FieldProblem
    field: str
    value: Any = None
    detail: str = ""

    @property
    def body(self) -> str:
        """The message without the field, as a cause has it."""
        if self.problem in _WITHOUT_VALUE or self.value is OMITTED:
            text = self.problem.words
        elif self.problem is FieldProblem.TOO_MANY:
            text = f"{self.problem.words}: {self.value}"
        else:
            text = f"{self.problem.words}: {spelled(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"

    def cause(self) -> StatusCause:
        return StatusCause(self.problem.reason, self.body, self.field)


# The real server lists all there are, and can be kept busy with it for minutes.
MOST_PROBLEMS = 1_000


def first_problems(*parts: Iterable[FieldError]) -> list[FieldError]:
    """All of *parts*, or one more than is told: nobody looks for the rest."""
    return list(islice(chain.from_iterable(parts), MOST_PROBLEMS + 1))


def required(field: str, detail: str = "") -> FieldError:
    return FieldError(FieldProblem.REQUIRED, field, detail=detail)


def invalid_value(field: str, value: Any, detail: str) -> FieldError:
    return FieldError(FieldProblem.INVALID, field, value, detail)


def forbidden_field(field: str, detail: str) -> FieldError:
    return FieldError(FieldProblem.FORBIDDEN, field, detail=detail)


def duplicate(field: str, value: Any) -> FieldError:
    return FieldError(FieldProblem.DUPLICATE, field, value)


def unsupported(field: str, value: Any, supported: Sequence[str]) -> FieldError:
    listed = ", ".join(spelled(one) for one in supported)
    return FieldError(FieldProblem.NOT_SUPPORTED, field, value, f"supported values: {listed}" if listed else "")


def aggregate(errors: Sequence[FieldError]) -> str:
    """All of them in one line; equal ones once."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
