"""How Go reads and writes the times of objects."""

import re
from datetime import UTC, datetime
from functools import lru_cache

_SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00"
_MICROS_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"
_WHOLE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)")
# What Go compares the text with, step by step: the words of the layout, and what they stand for.
_STEPS = (
    ("2006", r"\d{4}"),
    ("-", "-"),
    ("01", r"\d\d"),
    ("-", "-"),
    ("02", r"\d\d"),
    ("T", "T"),
    ("15", r"\d\d"),
    (":", ":"),
    ("04", r"\d\d"),
    (":", ":"),
    ("05", r"\d\d"),
)
_PLAIN_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MICROS = 6
# Most times are read again with each write of their object.
_KEPT = 4096


@lru_cache(_KEPT)
def read_time(text: str) -> str:
    """*text* in whole seconds of UTC; ValueError, in Go's words, if it is no time."""
    moment = _parsed(text, _SECONDS_LAYOUT)
    if _PLAIN_SECONDS.fullmatch(text):
        return text
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(_KEPT)
def read_micro_time(text: str) -> str:
    """As `read_time`, in microseconds, which must be spelled out."""
    moment = _parsed(text, _MICROS_LAYOUT)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _parsed(text: str, layout: str) -> datetime:
    match = _WHOLE.fullmatch(text)
    needs_micros = layout is _MICROS_LAYOUT
    if match is None or (needs_micros and len(match[1] or "") != _MICROS + 1):
        raise ValueError(_explanation(text, layout))
    fraction = match[1] or ""
    plain = text[:19] + (f".{fraction[1:7]:0<6}" if fraction else "") + match[2].replace("Z", "+00:00")
    try:
        return datetime.fromisoformat(plain)
    except ValueError as error:
        what = str(error).partition(" ")[0]
        raise ValueError(f'parsing time "{text}": {what} out of range') from None


def _explanation(text: str, layout: str) -> str:
    rest = text
    for word, pattern in _STEPS:
        match = re.match(pattern, rest)
        if match is None:
            return f'parsing time "{text}" as "{layout}": cannot parse "{rest}" as "{word}"'
        rest = rest[match.end() :]
    if layout is _MICROS_LAYOUT:
        match = re.match(r"\.\d{6}(?!\d)", rest)
        if match is None:
            return f'parsing time "{text}" as "{layout}": cannot parse "{rest}" as ".000000"'
        rest = rest[match.end() :]
    return f'parsing time "{text}" as "{layout}": cannot parse "{rest}" as "Z07:00"'
