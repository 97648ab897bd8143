"""The functions on lists: Kubernetes' own, and cel-go's list extension, version 3."""

from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import Cancelled, CelError, NoSuchOverload
from framework.apiserver.cel.instants import Duration
from framework.apiserver.cel.operators import add
from framework.apiserver.cel.values import UInt, compare, contains, equal

_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROS: dict[str, Any] = {"int": 0, "uint": UInt(0), "double": 0.0, "duration": Duration(0)}
# A list longer than the cost limit could not be walked anyway.
_LONGEST_RANGE = 1_000_000


def _is_sorted(items: list[Any]) -> bool:
    return all(compare(one, other) <= 0 for one, other in pairwise(items))


def _sum_from(zero: Any) -> Any:
    def total(items: list[Any]) -> Any:
        result = zero
        for item in items:
            if type(item) is not type(zero):
                raise NoSuchOverload("sum(list)")
            result = add(result, item)
        return result

    return total


def _least(items: list[Any]) -> Any:
    if not items:
        raise CelError("min called on empty list")
    return min(items, key=cmp_to_key(compare))


def _greatest(items: list[Any]) -> Any:
    if not items:
        raise CelError("max called on empty list")
    return max(items, key=cmp_to_key(compare))


def _index_of(items: list[Any], wanted: Any) -> int:
    return next((index for index, item in enumerate(items) if equal(item, wanted)), -1)


def _last_index_of(items: list[Any], wanted: Any) -> int:
    return next((index for index in range(len(items) - 1, -1, -1) if equal(items[index], wanted)), -1)


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise CelError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise CelError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(items) < end:
        raise CelError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return list(items[start:end])


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise CelError("level must be non-negative")
    flat: list[Any] = []
    for item in items:
        if isinstance(item, list) and depth > 0:
            flat.extend(_flatten(item, depth - 1))
        else:
            flat.append(item)
    return flat


def sort_by_keys(items: list[Any], keys: list[Any]) -> list[Any]:
    if len({type(key) for key in keys}) > 1:
        raise CelError("list elements must have the same type")
    by_key = cmp_to_key(compare)
    return [items[index] for index in sorted(range(len(items)), key=lambda index: by_key(keys[index]))]


def _range(length: int) -> list[int]:
    if length > _LONGEST_RANGE:
        raise Cancelled
    return list(range(length))


def _distinct(items: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for item in items:
        if not contains(unique, item):
            unique.append(item)
    return unique


OVERLOADS = (
    *(member(f"list({kind}).isSorted() -> bool", _is_sorted) for kind in _COMPARABLE),
    *(member(f"list({kind}).sum() -> {kind}", _sum_from(zero)) for kind, zero in _ZEROS.items()),
    *(member(f"list({kind}).min() -> {kind}", _least) for kind in _COMPARABLE),
    *(member(f"list({kind}).max() -> {kind}", _greatest) for kind in _COMPARABLE),
    member("list(A).indexOf(A) -> int", _index_of),
    member("list(A).lastIndexOf(A) -> int", _last_index_of),
    member("list(T).slice(int, int) -> list(T)", _slice),
    member("list(list(T)).flatten() -> list(T)", _flatten),
    member("list(dyn).flatten(int) -> list(dyn)", _flatten),
    *(member(f"list({kind}).sort() -> list({kind})", lambda items: sort_by_keys(items, items)) for kind in _COMPARABLE),
    *(member(f"list(T).@sortByAssociatedKeys(list({kind})) -> list(T)", sort_by_keys) for kind in _COMPARABLE),
    function("lists.range(int) -> list(int)", _range),
    member("list(T).reverse() -> list(T)", lambda items: items[::-1]),
    member("list(T).distinct() -> list(T)", _distinct),
)
