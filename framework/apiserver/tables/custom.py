"""Tables of custom resources, by the additionalPrinterColumns of their definition."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from framework.apiserver.go_text import go_text
from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import age
from framework.apiserver.tables.json_path import compile_json_path
from framework.apiserver.tables.json_path_steps import JsonPathError, Path
from framework.apiserver.tables.printer import NAME
from framework.apiserver.tables.reading import name_of

_DEFAULT: Sequence[Mapping[str, Any]] = (
    {
        "name": "Age",
        "type": "date",
        "jsonPath": ".metadata.creationTimestamp",
        "description": "Time since the object was created.",
    },
)
_encode = msgspec.json.Encoder(order="sorted").encode


class _Cell(NamedTuple):
    path: Path
    convert: Callable[[Any, float], Any]

    def of(self, obj: Object, now: float) -> Any:
        try:
            values = self.path([obj])
        except JsonPathError:
            return None
        return self.convert(values[0], now) if values else None


class CustomTable:
    """Name, then *columns* as the definition has them; by default the age."""

    def __init__(self, columns: Sequence[Mapping[str, Any]] = ()) -> None:
        self._cells: list[_Cell] = []
        listed = [NAME]
        for column in columns or _DEFAULT:
            try:
                path = compile_json_path(column["jsonPath"])
            except JsonPathError:
                # As the real server: what comes after a path that it cannot read is not shown.
                break
            self._cells.append(_Cell(path, _CONVERSIONS.get(column["type"], _nothing)))
            listed.append(_listed(column))
        self.columns: Sequence[Column] = tuple(listed)

    def cells(self, obj: Object, now: float) -> Sequence[Any]:
        return [name_of(obj), *(cell.of(obj, now) for cell in self._cells)]


def _listed(column: Mapping[str, Any]) -> Column:
    default = f"Custom resource definition column (in JSONPath format): {column['jsonPath']}"
    return Column(
        name=column["name"],
        type=column["type"],
        format=column.get("format", ""),
        description=column.get("description") or default,
        priority=column.get("priority", 0),
    )


def _string(value: Any, _: float) -> str:
    if value is None:
        return "<no value>"
    return _encode(value).decode() if isinstance(value, dict | list) else go_text(value)


def _integer(value: Any, _: float) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _number(value: Any, _: float) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _boolean(value: Any, _: float) -> bool | None:
    return value if isinstance(value, bool) else None


def _date(value: Any, now: float) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        return age("" if value == "null" else value, now)
    except ValueError:
        return "<invalid>"


def _nothing(_: Any, __: float) -> None:
    return None


_CONVERSIONS: Mapping[str, Callable[[Any, float], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
