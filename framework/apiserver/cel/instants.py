"""Timestamps and durations with the nanosecond that Python's own types lack."""

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import total_ordering

from framework.apiserver.cel.errors import CelError

NANOSECONDS = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = -62135596800 * NANOSECONDS
_LAST = 253402300800 * NANOSECONDS - 1
_LONGEST = (1 << 63) - 1

_TIMESTAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})\d*)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_DURATION = re.compile(r"([-+]?)((?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|[-+]?0")
_DURATION_PART = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)")
_WORDY_DURATION = re.compile(r"(\d+)\s*([A-Za-zµ]+)")

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": NANOSECONDS,
    "m": 60 * NANOSECONDS,
    "h": 3600 * NANOSECONDS,
}
_WORDS = {
    ("ns", "nano", "nanos", "nanosecond", "nanoseconds"): 1,
    ("us", "µs", "micro", "micros", "microsecond", "microseconds"): 1_000,
    ("ms", "milli", "millis", "millisecond", "milliseconds"): 1_000_000,
    ("s", "sec", "secs", "second", "seconds"): NANOSECONDS,
    ("m", "min", "mins", "minute", "minutes"): 60 * NANOSECONDS,
    ("h", "hr", "hrs", "hour", "hours"): 3600 * NANOSECONDS,
    ("d", "day", "days"): 86400 * NANOSECONDS,
    ("w", "week", "weeks", "wk"): 7 * 86400 * NANOSECONDS,
}
_NANOSECONDS_OF_WORD = {word: size for words, size in _WORDS.items() for word in words}


@total_ordering
class Duration:
    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        if abs(nanoseconds) > _LONGEST:
            raise CelError("duration overflow")
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self.nanoseconds == other.nanoseconds

    def __lt__(self, other: "Duration") -> bool:
        return self.nanoseconds < other.nanoseconds

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    def __str__(self) -> str:
        seconds, rest = divmod(abs(self.nanoseconds), NANOSECONDS)
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        return f"{'-' if self.nanoseconds < 0 else ''}{seconds}{fraction}s"


@total_ordering
class Timestamp:
    """An instant; the offset of its text is kept only to print it as it was written."""

    __slots__ = ("nanoseconds", "offset_seconds")

    def __init__(self, nanoseconds: int, offset_seconds: int = 0) -> None:
        if not _FIRST <= nanoseconds <= _LAST:
            raise CelError("timestamp overflow")
        self.nanoseconds = nanoseconds
        self.offset_seconds = offset_seconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self.nanoseconds == other.nanoseconds

    def __lt__(self, other: "Timestamp") -> bool:
        return self.nanoseconds < other.nanoseconds

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    def __str__(self) -> str:
        local = self.local(timezone(timedelta(seconds=self.offset_seconds)))
        rest = self.nanoseconds % NANOSECONDS
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        zone = local.strftime("%z") if self.offset_seconds else "Z"
        zone = f"{zone[:3]}:{zone[3:5]}" if self.offset_seconds else zone
        return f"{local.year:04d}-{local:%m-%dT%H:%M:%S}{fraction}{zone}"

    def local(self, zone: timezone) -> datetime:
        """The wall clock in *zone*, to the microsecond."""
        return (_EPOCH + timedelta(microseconds=self.nanoseconds // 1000)).astimezone(zone)


def parse_timestamp(text: str) -> Timestamp:
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise ValueError(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}"')
    year, month, day, hour, minute, second = (int(found[group]) for group in range(1, 7))
    offset = 0
    if found[8]:
        offset = (int(found[9]) * 3600 + int(found[10]) * 60) * (-1 if found[8] == "-" else 1)
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _EPOCH
    seconds = whole.days * 86400 + whole.seconds - offset
    return Timestamp(seconds * NANOSECONDS + int((found[7] or "0").ljust(9, "0")), offset)


def parse_date(text: str) -> Timestamp:
    if _DATE.fullmatch(text) is None:
        raise ValueError(f'parsing time "{text}" as "2006-01-02": cannot parse "{text}"')
    return parse_timestamp(f"{text}T00:00:00Z")


def parse_duration(text: str) -> Duration:
    """As Go reads it: `1h30m`, `1.5s`, `-2ms`, `0`."""
    if _DURATION.fullmatch(text) is None:
        raise ValueError(f'time: invalid duration "{text}"')
    total = 0
    for whole, fraction, unit in _DURATION_PART.findall(text):
        total += int(whole or "0") * _UNITS[unit]
        if fraction:
            total += int(fraction) * _UNITS[unit] // 10 ** len(fraction)
    return Duration(-total if text.startswith("-") else total)


def parse_lenient_duration(text: str) -> Duration:
    """As the schema's format `duration` allows it: Go's way, and words such as `3 days`."""
    try:
        return parse_duration(text)
    except ValueError:
        parts = _WORDY_DURATION.findall(text)
        if not parts or any(unit.lower() not in _NANOSECONDS_OF_WORD for _, unit in parts):
            raise
    return Duration(sum(int(amount) * _NANOSECONDS_OF_WORD[unit.lower()] for amount, unit in parts))
