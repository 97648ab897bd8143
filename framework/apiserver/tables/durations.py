"""Times as people read them in tables."""

from datetime import datetime
from typing import Any

UNKNOWN = "<unknown>"

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_YEAR = 365 * _DAY

# Up to which duration which unit counts, and whether the next smaller one is shown beside it.
_STEPS = (
    (2 * _MINUTE, (1, "s"), None),
    (10 * _MINUTE, (_MINUTE, "m"), (1, "s")),
    (3 * _HOUR, (_MINUTE, "m"), None),
    (8 * _HOUR, (_HOUR, "h"), (_MINUTE, "m")),
    (48 * _HOUR, (_HOUR, "h"), None),
    (8 * _DAY, (_DAY, "d"), (_HOUR, "h")),
    (2 * _YEAR, (_DAY, "d"), None),
    (8 * _YEAR, (_YEAR, "y"), (_DAY, "d")),
)


def human_duration(seconds: float) -> str:
    """Two or three significant figures, e.g. `5m`, `3d4h`. Clocks may be a second apart; more is invalid."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    whole = max(whole, 0)
    for below, (unit, letter), smaller in _STEPS:
        if whole < below:
            rest = whole % unit // smaller[0] if smaller else 0
            return f"{whole // unit}{letter}{rest}{smaller[1]}" if smaller and rest else f"{whole // unit}{letter}"
    return f"{whole // _YEAR}y"


def age(timestamp: Any, now: float) -> str:
    """How long ago *timestamp* was, which is RFC 3339 or empty."""
    if not timestamp:
        return UNKNOWN
    return human_duration(now - seconds_of(timestamp))


def seconds_of(timestamp: str) -> float:
    """Seconds since 1970; ValueError if *timestamp* is none."""
    moment = datetime.fromisoformat(timestamp)
    if moment.tzinfo is None or "T" not in timestamp:
        raise ValueError(f"{timestamp!r} is not RFC 3339")
    return moment.timestamp()
