"""What the parts of the planner share: the shape of a closure, constants, and what they may ask of the planner."""

from collections.abc import Callable
from typing import Any, Protocol

from framework.apiserver.cel import syntax
from framework.apiserver.cel.costs import Frame
from framework.apiserver.cel.declarations import Overload
from framework.apiserver.cel.types import Type

Run = Callable[[Frame], Any]


class Plans(Protocol):
    def plan(self, node: syntax.Node) -> Run:
        """The value of *node*."""

    def plan_json(self, node: syntax.Node) -> Run | None:
        """The JSON from which that value is made; None if it is not made from JSON."""

    def plan_with(self, variables: dict[str, tuple[int, bool]], node: syntax.Node) -> Run:
        """The value of *node* where more names are known: their slots, and whether these hold JSON."""

    def new_slot(self) -> int: ...

    def type_of(self, node: syntax.Node) -> Type: ...

    def overloads_of(self, node: syntax.Call) -> list[Overload]: ...


class Constant:
    """A closure whose value is known while planning."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, _: Frame) -> Any:
        return self.value


def constant_values(runs: list[Run]) -> list[Any] | None:
    """The values of *runs* if all are constant."""
    values = [run.value for run in runs if isinstance(run, Constant)]
    return values if len(values) == len(runs) else None
