"""What the validation of a value has found."""

from collections.abc import Iterable
from typing import Any

import msgspec

from framework.apiserver.fields import FieldError, FieldProblem
from framework.apiserver.schema import paths


class Violation(msgspec.Struct, frozen=True):
    """*field* is relative to what is validated; None where the API server names no field at all."""

    text: str
    field: str | None = None
    problem: FieldProblem = FieldProblem.INVALID
    value: Any = ""
    # None stands for *text*.
    detail: str | None = None

    def as_error(self, prefix: str) -> FieldError:
        name = (self.field or "").removeprefix(".")
        path = paths.child(prefix, name) if name else prefix
        return FieldError(
            self.problem, paths.spelled(path), self.value, self.text if self.detail is None else self.detail
        )


class Outcome:
    """Violations, each text once, and how many checks went well: among alternatives the one with most counts."""

    __slots__ = ("_by_text", "matches")

    def __init__(self, violations: Iterable[Violation] = ()) -> None:
        self._by_text = {violation.text: violation for violation in violations}
        self.matches = 0

    @property
    def violations(self) -> list[Violation]:
        return list(self._by_text.values())

    @property
    def is_valid(self) -> bool:
        return not self._by_text

    def add(self, violation: Violation) -> None:
        self._by_text.setdefault(violation.text, violation)

    def forgive(self) -> None:
        self._by_text = {}

    def merge(self, other: "Outcome") -> None:
        for violation in other.violations:
            self.add(violation)
        self.matches += other.matches
