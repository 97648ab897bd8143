"""CEL expressions that decide whether a webhook is called."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from framework.apiserver.auth.quoting import joined_errors
from framework.apiserver.cel.errors import CelError
from framework.apiserver.objects import Object

_VARIABLES: Mapping[str, None] = {"object": None, "oldObject": None, "request": None}


class Program(Protocol):
    def evaluate(self, values: Mapping[str, Any], /) -> Any:
        """Raises CelError."""


# Turns an expression over the named variables into a program; raises CelError.
Compile: TypeAlias = Callable[[str, Mapping[str, None]], Program]


class ConditionsFailed(Exception):
    """Whether they hold cannot be told; the text says why."""


class MatchCondition:
    def __init__(self, expression: str, compile_expression: Compile) -> None:
        self._expression = expression
        self._program: Program | None = None
        self._problem = ""
        try:
            self._program = compile_expression(expression, _VARIABLES)
        except CelError as error:
            self._problem = f"compilation error: {error}"

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Raises ConditionsFailed."""
        if self._program is None:
            raise ConditionsFailed(self._problem)
        try:
            return self._program.evaluate(values) is not False
        except CelError as error:
            raise ConditionsFailed(f"expression '{self._expression}' resulted in error: {error}") from None


def all_hold(
    conditions: Sequence[MatchCondition], obj: Object | None, old: Object | None, request: Callable[[], Object]
) -> bool:
    """Raises ConditionsFailed if one fails and no other is false."""
    if not conditions:
        return True
    values = {"object": obj, "oldObject": old, "request": request()}
    errors = []
    for condition in conditions:
        try:
            if not condition.holds(values):
                return False
        except ConditionsFailed as error:
            errors.append(str(error))
    if errors:
        raise ConditionsFailed(joined_errors(errors))
    return True
