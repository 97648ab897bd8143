"""How long a request may take."""

import re

from framework.apiserver.spelling import spelled_string
from framework.apiserver.status import bad_request, timeout
from framework.clock import Clock
from framework.errors import ApiError

# What the real server allows a write at most, whatever the client asks for.
MOST_SECONDS = 34.0
_DURATION = re.compile(r"[-+]?((?:\d+\.?\d*|\.\d+)([^\d.]+))+")
_PART = re.compile(r"(\d+\.?\d*|\.\d+)([^\d.]*)")
_PREFIX = "invalid timeout specified in the request URL - "
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class Deadline:
    """The moment at which a request has taken too long."""

    __slots__ = ("_at", "_clock")

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._at = clock.monotonic() + seconds

    def limit(self, seconds: float) -> float:
        """*seconds*, or what is left if that is less; raises what the client gets if nothing is."""
        left = self._at - self._clock.monotonic()
        if left <= 0:
            raise timed_out()
        return min(seconds, left)

    @property
    def is_over(self) -> bool:
        return self._clock.monotonic() >= self._at


def timed_out() -> ApiError:
    return timeout("Timeout: request did not complete within the allotted timeout")


def seconds_allowed(text: str) -> float:
    """What *text*, the `timeout` of a request, allows; BadRequest if it is no duration."""
    if not text:
        return MOST_SECONDS
    seconds = _seconds(text)
    return min(seconds, MOST_SECONDS) if seconds > 0 else MOST_SECONDS


def _seconds(text: str) -> float:
    if text in {"0", "+0", "-0"}:
        return 0.0
    if not _DURATION.fullmatch(text):
        is_number = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)", text)
        raise _no_duration("missing unit in" if is_number else "invalid", text)
    total = 0.0
    for number, unit in _PART.findall(text):
        if unit not in _UNITS:
            raise bad_request(f"{_PREFIX}time: unknown unit {spelled_string(unit)} in duration {spelled_string(text)}")
        total += float(number) * _UNITS[unit]
    return -total if text.startswith("-") else total


def _no_duration(what: str, text: str) -> ApiError:
    return bad_request(f"{_PREFIX}time: {what} duration {spelled_string(text)}")
