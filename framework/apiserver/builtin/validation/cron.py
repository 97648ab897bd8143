"""Schedules in cron's notation."""

import re
from typing import NamedTuple

_DESCRIPTORS = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
_DURATION = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class _Part(NamedTuple):
    lowest: int
    highest: int
    names: dict[str, int]


_PARTS = (
    _Part(0, 59, {}),
    _Part(0, 23, {}),
    _Part(1, 31, {}),
    _Part(1, 12, {name: number for number, name in enumerate(_MONTHS, start=1)}),
    _Part(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


def schedule_problem(schedule: str) -> str:
    """Why *schedule* cannot be followed; "" if it can."""
    text = re.sub(r"^(CRON_)?TZ=\S+\s+", "", schedule).strip()
    if text.startswith("@"):
        return _descriptor_problem(text)
    parts = text.split()
    if len(parts) != len(_PARTS):
        return f"expected exactly {len(_PARTS)} fields, found {len(parts)}: {_go_list(parts)}"
    found = (_field_problem(part, limits) for part, limits in zip(parts, _PARTS, strict=True))
    return next(filter(None, found), "")


def _descriptor_problem(text: str) -> str:
    if text in _DESCRIPTORS:
        return ""
    if text.startswith("@every "):
        duration = text.removeprefix("@every ")
        if _DURATION.fullmatch(duration):
            return ""
        return f'failed to parse duration {text}: time: invalid duration "{duration}"'
    return f"unrecognized descriptor: {text}"


def _field_problem(text: str, limits: _Part) -> str:
    found = (_range_problem(piece, limits) for piece in re.split(",", text) if piece)
    return next(filter(None, found), "")


def _range_problem(text: str, limits: _Part) -> str:
    spread, *steps = text.split("/")
    bounds = spread.split("-")
    if len(bounds) > 2:  # noqa: PLR2004 - from and to
        return f"too many hyphens: {text}"
    if len(steps) > 1:
        return f"too many slashes: {text}"
    if bounds[0] in {"*", "?"}:
        numbers = [limits.lowest, limits.highest]
    else:
        numbers = []
        for bound in bounds:
            number = limits.names.get(bound.lower(), int(bound) if bound.isdecimal() else None)
            if number is None:
                return f'failed to parse int from {bound}: strconv.Atoi: parsing "{bound}": invalid syntax'
            numbers.append(number)
    return _bounds_problem(text, numbers, steps, limits)


def _bounds_problem(text: str, numbers: list[int], steps: list[str], limits: _Part) -> str:
    start, end = numbers[0], numbers[-1]
    if steps and not steps[0].isdecimal():
        return f'failed to parse int from {steps[0]}: strconv.Atoi: parsing "{steps[0]}": invalid syntax'
    if start < limits.lowest:
        return f"beginning of range ({start}) below minimum ({limits.lowest}): {text}"
    if end > limits.highest:
        return f"end of range ({end}) above maximum ({limits.highest}): {text}"
    if start > end:
        return f"beginning of range ({start}) beyond end of range ({end}): {text}"
    if steps and int(steps[0]) == 0:
        return f"step of range should be a positive number: {text}"
    return ""


def _go_list(parts: list[str]) -> str:
    return f"[{' '.join(parts)}]"
