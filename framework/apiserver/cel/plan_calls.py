"""Compiles calls of functions: directly where the types decide which, else by looking at the values."""

from collections.abc import Callable
from typing import Any

from framework.apiserver.cel import syntax
from framework.apiserver.cel.closures import Constant, Plans, Run, constant_values
from framework.apiserver.cel.costs import COSTS, PAID_IN_ADVANCE, Frame, charge
from framework.apiserver.cel.declarations import Overload
from framework.apiserver.cel.errors import Cancelled, CelError, NoSuchOverload
from framework.apiserver.cel.types import Type
from framework.apiserver.cel.values import kind_of, type_name_of

_UNNAMED = frozenset({"startsWith", "endsWith", "contains", "matches", "find", "findAll", "!_", "-_"})


def plan_function(planner: Plans, node: syntax.Call) -> Run:
    arguments = [node.target, *node.arguments] if node.target is not None else node.arguments
    runs = [planner.plan(each) for each in arguments]
    call = _chosen(node.function, planner.overloads_of(node), [planner.type_of(each) for each in arguments])
    folded = _folded(call, runs)
    if folded is not None:
        return folded
    cost = COSTS.get(node.function)
    if cost is not None:
        return _counted(call, runs, cost, in_advance=node.function in PAID_IN_ADVANCE)
    return _plain(call, runs)


def _chosen(name: str, overloads: list[Overload], types: list[Type]) -> Callable[..., Any]:
    is_certain = len(overloads) == 1 and all(each.kind != "dyn" for each in types)
    if is_certain or (len({overload.call for overload in overloads}) == 1 and name[0] in "_@"):
        return overloads[0].call
    candidates = [([_expected_kind(each) for each in overload.parameters], overload.call) for overload in overloads]

    def dispatch(*values: Any) -> Any:
        kinds = [kind_of(value) for value in values]
        for expected, call in candidates:
            if all(want in (None, kind) for want, kind in zip(expected, kinds, strict=True)):
                return call(*values)
        raise NoSuchOverload(_spelled(name, [type_name_of(value) for value in values]))

    return dispatch


def _spelled(name: str, types: list[str]) -> str:
    """The call as the real server names it, which depends on how it looks the function up."""
    if name in _UNNAMED:
        return ""
    if name == "size":
        return name
    if name == "flatten":
        return f"{types[0]}.flatten({', '.join(types[1:])})"
    return f"{name}({', '.join(types)})"


def _expected_kind(parameter: Type) -> str | None:
    if parameter.kind in ("dyn", "type_param"):
        return None
    return parameter.name if parameter.kind == "opaque" else parameter.kind


def _folded(call: Callable[..., Any], runs: list[Run]) -> Run | None:
    """The result itself if nothing in it depends on a variable; an error stays one of the evaluation."""
    values = constant_values(runs)
    if values is None:
        return None
    try:
        return Constant(call(*values))
    except (CelError, Cancelled):
        return None


def _plain(call: Callable[..., Any], runs: list[Run]) -> Run:
    match runs:
        case [only]:
            return lambda frame: call(only(frame))
        case [one, other]:
            return lambda frame: call(one(frame), other(frame))
    return lambda frame: call(*[run(frame) for run in runs])


def _counted(
    call: Callable[..., Any], runs: list[Run], cost: Callable[[tuple[Any, ...], Any], int], *, in_advance: bool
) -> Run:
    def run_counted(frame: Frame) -> Any:
        values = tuple([run(frame) for run in runs])
        if in_advance:
            charge(frame, cost(values, None))
            return call(*values)
        result = call(*values)
        charge(frame, cost(values, result))
        return result

    return run_counted
