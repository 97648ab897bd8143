"""How much an evaluation may do: the limit of the real server, and what the expensive functions count.

The real server counts every step. Here only what can grow with the data is counted: each round of a fold, by the
size of its body, and calls whose work depends on the length of text or lists. Everything else is bounded by the length
of the expression.
"""

from collections.abc import Callable
from typing import Any

from framework.apiserver.cel.errors import Cancelled

# The remaining cost is in slot 0 of the frame.
Frame = list[Any]

PER_CALL_LIMIT = 1_000_000
_CHARACTERS_PER_UNIT = 10
_PATTERN_CHARACTERS_PER_UNIT = 4


def charge(frame: Frame, cost: int) -> None:
    frame[0] -= cost
    if frame[0] < 0:
        raise Cancelled


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes | list | dict) else 1


def _text(value: Any) -> int:
    return _length(value) // _CHARACTERS_PER_UNIT + 1


def _of_result(_: tuple[Any, ...], result: Any) -> int:
    return _text(result)


def _of_traversal(arguments: tuple[Any, ...], _: Any) -> int:
    return _text(arguments[0])


def _of_list(arguments: tuple[Any, ...], _: Any) -> int:
    return _length(arguments[0]) + 1


def _of_list_squared(arguments: tuple[Any, ...], _: Any) -> int:
    return 2 * _length(arguments[0]) ** 2 + 1


def _of_both_lists(arguments: tuple[Any, ...], _: Any) -> int:
    return _length(arguments[0]) * _length(arguments[1]) + 1


def _of_pattern(arguments: tuple[Any, ...], _: Any) -> int:
    return _text(arguments[0]) * (_length(arguments[1]) // _PATTERN_CHARACTERS_PER_UNIT + 1)


def _of_search(arguments: tuple[Any, ...], _: Any) -> int:
    return _text(arguments[0]) * _text(arguments[1])


COSTS: dict[str, Callable[[tuple[Any, ...], Any], int]] = {
    **dict.fromkeys(("_+_", "join", "format", "replace", "strings.quote"), _of_result),
    **dict.fromkeys(("split", "lowerAscii", "upperAscii", "substring", "trim", "quantity", "url"), _of_traversal),
    **dict.fromkeys(("isSorted", "sum", "min", "max", "indexOf", "lastIndexOf", "flatten", "slice"), _of_list),
    **dict.fromkeys(("distinct", "sort", "@sortByAssociatedKeys"), _of_list_squared),
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), _of_both_lists),
    **dict.fromkeys(("matches", "find", "findAll"), _of_pattern),
    "contains": _of_search,
    "lists.range": lambda _, result: len(result) + 1,
    "reverse": _of_list,
}
# Those of them whose work must not even begin when it cannot be paid.
PAID_IN_ADVANCE = frozenset(
    {"distinct", "sort", "@sortByAssociatedKeys", "sets.contains", "sets.equivalent", "sets.intersects", "contains"}
)
