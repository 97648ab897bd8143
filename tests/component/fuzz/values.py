"""Values that no kind expects, and objects into which they are put at random places."""

from collections.abc import Iterator
from random import Random  # noqa: TID251 - seeded by Hypothesis
from typing import Any

Path = tuple[str | int, ...]
_NOTHING = object()

SCALARS: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    65_536,
    2**31,
    -(2**63),
    2**63 - 1,
    1e25,
    1.5,
    -0.0,
    "",
    "x",
    "Not Valid!",
    "a" * 300,
    "a\0b",
    "ä",
    "\ud7ff\ue000",
    "\U0001f600",
    "line\nbreak",
    "0",
    "-1",
    "1e99999",
    "1Ki",
    "10%",
    "101%",
    "2024-01-02T03:04:05Z",
    "2024-13-02T03:04:05.5+25:00",
    "10.0.0.1",
    "::1",
    "10.0.0.0/33",
    "*",
    "$(VAR)",
    "{{}}",
    "a/b/c",
    "..",
    "None",
    "Always",
    "YQ==",
    "?",
)
CONTAINERS: tuple[Any, ...] = (
    [],
    {},
    [None],
    [[]],
    [{}],
    [1, "x", None],
    ["a", "a"],
    {"": None},
    {"a": None},
    {"a": {"a": {}}},
    {"a": [1]},
    {"matchLabels": {"a": "b"}},
    {"name": "x"},
    [{"name": "x"}, {"name": "x"}],
)
FIELDS: tuple[str, ...] = (
    "",
    "a",
    "a.b",
    "a\nb",
    '"',
    "\\",
    "f:a",
    ".",
    "metadata",
    "spec",
    "status",
    "name",
    "type",
    "$patch",
    "$retainKeys",
    "$setElementOrder/containers",
    "$deleteFromPrimitiveList/finalizers",
    "x" * 300,
    "ä",
)


def dice_of(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - what is drawn must be the same again


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value] if depth % 2 else {"a": value}
    return value


def odd_value(dice: Random) -> Any:
    kind = dice.random()
    if kind < 0.7:
        return dice.choice(SCALARS)
    if kind < 0.97:
        return dice.choice(CONTAINERS)
    return nested(dice.choice(SCALARS), dice.choice((3, 60, 240, 253)))


def json_value(dice: Random, depth: int = 3) -> Any:
    kind = dice.random()
    if not depth or kind < 0.4:
        return dice.choice(SCALARS)
    count = dice.randrange(4)
    if kind < 0.6:
        return [json_value(dice, depth - 1) for _ in range(count)]
    return {dice.choice(FIELDS): json_value(dice, depth - 1) for _ in range(count)}


def mutated(dice: Random, value: Any, *, most: int = 3) -> Any:
    """*value* with a few places changed: another value or type, null, gone, or something more in it."""
    for _ in range(dice.randint(1, most)):
        path = dice.choice(list(paths_in(value)))
        value = _changed(dice, value, path)
    return value


def _changed(dice: Random, value: Any, path: Path) -> Any:
    change = dice.choice(("replace", "replace", "null", "remove", "add", "repeat"))
    if change in {"null", "remove"}:
        return placed(value, path, None if change == "null" else _NOTHING)
    inside = at(value, path)
    if change == "replace" or not isinstance(inside, dict | list):
        return placed(value, path, odd_value(dice))
    if isinstance(inside, dict):
        return placed(value, path, {**inside, dice.choice(FIELDS): odd_value(dice)})
    return placed(value, path, [*inside, *(inside if change == "repeat" else [odd_value(dice)])])


def paths_in(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for name, member in value.items():
            yield from paths_in(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from paths_in(member, (*path, index))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def placed(value: Any, path: Path, new: Any) -> Any:
    """A copy of *value* with *new* at *path*."""
    if not path:
        return None if new is _NOTHING else new
    step, *rest = path
    copy = value.copy()
    if not rest and new is _NOTHING:
        del copy[step]
    else:
        copy[step] = placed(value[step], tuple(rest), new)
    return copy
