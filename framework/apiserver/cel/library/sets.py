"""Lists taken as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`."""

from typing import Any

from framework.apiserver.cel.declarations import function
from framework.apiserver.cel.values import contains


def _contains(items: list[Any], wanted: list[Any]) -> bool:
    return all(contains(items, each) for each in wanted)


def _equivalent(one: list[Any], other: list[Any]) -> bool:
    return _contains(one, other) and _contains(other, one)


def _intersects(one: list[Any], other: list[Any]) -> bool:
    return any(contains(other, each) for each in one)


OVERLOADS = (
    function("sets.contains(list(T), list(T)) -> bool", _contains),
    function("sets.equivalent(list(T), list(T)) -> bool", _equivalent),
    function("sets.intersects(list(T), list(T)) -> bool", _intersects),
)
