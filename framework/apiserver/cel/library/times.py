"""The parts of a timestamp or a duration."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from framework.apiserver.cel.declarations import Overload, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.instants import NANOSECONDS, Duration, Timestamp

_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)")
_DAYS_OF_WEEK = 7


def _zone(name: str) -> tzinfo:
    found = _OFFSET.fullmatch(name)
    if found is not None:
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(-offset if found[1] == "-" else offset)
    try:
        return UTC if name in ("", "UTC") else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise CelError(f"unknown time zone {name}") from None


def _part(read: Callable[[datetime], int]) -> Callable[..., int]:
    def get(value: Timestamp, zone: str = "UTC") -> int:
        return read(value.local(cast("timezone", _zone(zone))))

    return get


def _of_duration(unit: int) -> Callable[[Duration], int]:
    def get(value: Duration) -> int:
        whole = abs(value.nanoseconds) // unit
        return -whole if value.nanoseconds < 0 else whole

    return get


_PARTS: dict[str, Callable[[datetime], int]] = {
    "getFullYear": lambda local: local.year,
    "getMonth": lambda local: local.month - 1,
    "getDayOfYear": lambda local: local.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda local: local.day - 1,
    "getDate": lambda local: local.day,
    "getDayOfWeek": lambda local: local.isoweekday() % _DAYS_OF_WEEK,
    "getHours": lambda local: local.hour,
    "getMinutes": lambda local: local.minute,
    "getSeconds": lambda local: local.second,
    "getMilliseconds": lambda local: local.microsecond // 1000,
}
_UNITS: dict[str, Any] = {
    "getHours": 3600 * NANOSECONDS,
    "getMinutes": 60 * NANOSECONDS,
    "getSeconds": NANOSECONDS,
    "getMilliseconds": NANOSECONDS // 1000,
}

OVERLOADS: tuple[Overload, ...] = (
    *(member(f"timestamp.{name}() -> int", _part(read)) for name, read in _PARTS.items()),
    *(member(f"timestamp.{name}(string) -> int", _part(read)) for name, read in _PARTS.items()),
    *(member(f"duration.{name}() -> int", _of_duration(unit)) for name, unit in _UNITS.items()),
)
