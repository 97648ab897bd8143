"""Durations, in Go's notation or in words: `1h30m`, `3 days`."""

import re

_is_go_duration = re.compile(r"[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)").fullmatch
_GO_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_WORDED_PART = re.compile(r"([0-9]+)\s*([A-Za-zµ]+)")
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_MOST_NANOSECONDS = 2**63
_MOST_FACTOR = 2**63 - 1
# The first ones must be equal, of the last the unit is the beginning: "minutes" begins with "min".
_WORDS = (
    (("ns",), "nano"),
    (("us", "µs"), "micro"),
    (("ms",), "milli"),
    (("s",), "sec"),
    (("m",), "min"),
    (("h", "hr"), "hour"),
    (("d",), "day"),
    (("w", "wk"), "week"),
)


def is_duration(text: str) -> bool:
    return _is_go(text) or _is_worded(text)


def _is_go(text: str) -> bool:
    if _is_go_duration(text) is None:
        return False
    total = 0
    for whole, fraction, unit in _GO_PART.findall(text):
        total += int(whole or 0) * _NANOSECONDS[unit]
        total += int(fraction or 0) * _NANOSECONDS[unit] // 10 ** len(fraction)
    limit = _MOST_NANOSECONDS if text.startswith("-") else _MOST_NANOSECONDS - 1
    return total <= limit


def _is_worded(text: str) -> bool:
    parts = _WORDED_PART.findall(text)
    if any(int(factor) > _MOST_FACTOR for factor, _ in parts):
        return False
    return any(_is_unit(unit.lower()) for _, unit in parts)


def _is_unit(unit: str) -> bool:
    return any(unit in names or unit.startswith(beginning) for names, beginning in _WORDS)
