"""Compiles the operators that are lazy or worth a shortcut; the others are functions like any."""

import operator
from collections.abc import Callable
from typing import Any

from framework.apiserver.cel import syntax
from framework.apiserver.cel.closures import Constant, Plans, Run
from framework.apiserver.cel.costs import Frame, charge
from framework.apiserver.cel.errors import CelError, NoSuchOverload
from framework.apiserver.cel.operator_overloads import is_in
from framework.apiserver.cel.types import Type
from framework.apiserver.cel.values import Optional, equal


def plan_operator(planner: Plans, node: syntax.Call) -> Run | None:
    """None if *node* calls a function like any other."""
    compile_ = _OPERATORS.get(node.function)
    return None if compile_ is None else compile_(planner, node)


def _and(planner: Plans, node: syntax.Call) -> Run:
    left, right = map(planner.plan, node.arguments)

    def run(frame: Frame) -> Any:
        try:
            first = left(frame)
        except CelError as failure:
            # An error on one side does not matter if the other side decides.
            if _decides(right, frame, failure) is False:
                return False
            raise
        if first is False:
            return False
        second = right(frame)
        if second is False or (first is True and second is True):
            return second
        raise NoSuchOverload

    return run


def _or(planner: Plans, node: syntax.Call) -> Run:
    left, right = map(planner.plan, node.arguments)

    def run(frame: Frame) -> Any:
        try:
            first = left(frame)
        except CelError as failure:
            # An error on one side does not matter if the other side decides.
            if _decides(right, frame, failure) is True:
                return True
            raise
        if first is True:
            return True
        second = right(frame)
        if second is True or (first is False and second is False):
            return second
        raise NoSuchOverload

    return run


def _decides(run: Run, frame: Frame, failure: CelError) -> Any:
    """The other side's value; of two errors the first is told."""
    try:
        return run(frame)
    except CelError:
        raise failure from None


def _conditional(planner: Plans, node: syntax.Call) -> Run:
    condition, yes, no = map(planner.plan, node.arguments)

    def run(frame: Frame) -> Any:
        decision = condition(frame)
        if decision is True:
            return yes(frame)
        if decision is False:
            return no(frame)
        raise NoSuchOverload

    return run


def _equals(planner: Plans, node: syntax.Call) -> Run:
    left, right = map(planner.plan, node.arguments)
    if _compare_natively(*map(planner.type_of, node.arguments)):
        return lambda frame: left(frame) == right(frame)
    return lambda frame: equal(left(frame), right(frame))


def _not_equals(planner: Plans, node: syntax.Call) -> Run:
    left, right = map(planner.plan, node.arguments)
    if _compare_natively(*map(planner.type_of, node.arguments)):
        return lambda frame: left(frame) != right(frame)
    return lambda frame: not equal(left(frame), right(frame))


def _compare_natively(one: Type, other: Type) -> bool:
    return one.exact and other.exact and one.same_as(other)


def _in(planner: Plans, node: syntax.Call) -> Run:
    value, container = map(planner.plan, node.arguments)
    wanted, walked = map(planner.type_of, node.arguments)
    if wanted.kind == "string":
        if isinstance(container, Constant) and walked.kind == "list":
            known = frozenset(each for each in container.value if isinstance(each, str))
            return lambda frame: value(frame) in known
        if walked.kind == "map":
            return lambda frame: value(frame) in container(frame)

    def run(frame: Frame) -> bool:
        sought, within = value(frame), container(frame)
        charge(frame, len(within) if isinstance(within, list) else 1)
        return is_in(sought, within)

    return run


def _ordering(compare: Callable[[Any, Any], bool]) -> Callable[[Plans, syntax.Call], Run | None]:
    """Python's own comparison where it is CEL's: both of one type, and no double, which may not be a number."""

    def compile_(planner: Plans, node: syntax.Call) -> Run | None:
        one, other = map(planner.type_of, node.arguments)
        if one.kind != other.kind or one.kind not in ("int", "string", "timestamp", "duration"):
            return None
        left, right = map(planner.plan, node.arguments)
        return lambda frame: compare(left(frame), right(frame))

    return compile_


def _or_else(planner: Plans, node: syntax.Call) -> Run:
    return _first_present(planner, node, lambda optional: optional)


def _or_value(planner: Plans, node: syntax.Call) -> Run:
    return _first_present(planner, node, lambda optional: optional.value)


def _first_present(planner: Plans, node: syntax.Call, taken: Callable[[Optional], Any]) -> Run:
    assert node.target is not None  # noqa: S101 - `or` and `orValue` are members
    target, otherwise = planner.plan(node.target), planner.plan(node.arguments[0])

    def run(frame: Frame) -> Any:
        optional = target(frame)
        if not isinstance(optional, Optional):
            return optional
        return taken(optional) if optional.is_present else otherwise(frame)

    return run


_OPERATORS: dict[str, Callable[[Plans, syntax.Call], Run | None]] = {
    "_&&_": _and,
    "_||_": _or,
    "_?_:_": _conditional,
    "_==_": _equals,
    "_!=_": _not_equals,
    "@in": _in,
    "_<_": _ordering(operator.lt),
    "_<=_": _ordering(operator.le),
    "_>_": _ordering(operator.gt),
    "_>=_": _ordering(operator.ge),
    "or": _or_else,
    "orValue": _or_value,
}
