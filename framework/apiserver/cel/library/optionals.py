"""Values that may be absent; `or` and `orValue` are lazy and belong to the planner, which finds them here."""

from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.values import ABSENT, Optional, is_zero


def _unwrap(items: list[Any]) -> list[Any]:
    for item in items:
        if not isinstance(item, Optional):
            raise CelError(f"value {item} is not optional")
    return [item.value for item in items if item.is_present]


OVERLOADS = (
    function("optional.of(V) -> optional(V)", Optional),
    function("optional.ofNonZeroValue(V) -> optional(V)", lambda value: ABSENT if is_zero(value) else Optional(value)),
    function("optional.none() -> optional(V)", lambda: ABSENT),
    function("optional.unwrap(list(optional(V))) -> list(V)", _unwrap),
    member("list(optional(V)).unwrapOpt() -> list(V)", _unwrap),
    member("optional(V).value() -> V", lambda optional: optional.value),
    member("optional(V).hasValue() -> bool", lambda optional: optional.is_present),
    member("optional(V).or(optional(V)) -> optional(V)", lambda one, other: one if one.is_present else other),
    member("optional(V).orValue(V) -> V", lambda optional, other: optional.value if optional.is_present else other),
    member("list(V).first() -> optional(V)", lambda items: Optional(items[0]) if items else ABSENT),
    member("list(V).last() -> optional(V)", lambda items: Optional(items[-1]) if items else ABSENT),
)
