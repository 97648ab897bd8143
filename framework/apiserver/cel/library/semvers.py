"""Semantic versions."""

import re
from functools import total_ordering
from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.values import Opaque

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+")


@total_ordering
class Semver(Opaque):
    __slots__ = ("_order", "_text", "numbers")
    type_name = "kubernetes.Semver"

    def __init__(self, numbers: tuple[int, ...], pre_release: list[str], text: str) -> None:
        self.numbers = numbers
        self._text = text
        # A release is later than its pre-releases; numbers come before words.
        parts = tuple((0, int(each), "") if each.isdigit() else (1, 0, each) for each in pre_release)
        self._order = (numbers, not pre_release, parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._order == other._order

    def __lt__(self, other: "Semver") -> bool:
        return self._order < other._order

    def __hash__(self) -> int:
        return hash(self._order)

    def __str__(self) -> str:
        return self._text


def _parse(text: str) -> Semver:
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) < 3:  # noqa: PLR2004 - major, minor, patch
        raise CelError("No Major.Minor.Patch elements found")
    rest, _, build = parts[2].partition("+")
    patch, dash, pre_release = rest.partition("-")
    for name, number in (("Major", parts[0]), ("Minor", parts[1]), ("Patch", patch)):
        _require_number(name, number)
    identifiers = pre_release.split(".") if dash else []
    for identifier in identifiers:
        _require_identifier("prerelease", identifier)
        if identifier.isdigit() and _NUMBER.fullmatch(identifier) is None:
            raise CelError(f'Numeric PreRelease version must not contain leading zeroes "{identifier}"')
    for identifier in build.split(".") if "+" in parts[2] else ():
        _require_identifier("build meta data", identifier)
    return Semver((int(parts[0]), int(parts[1]), int(patch)), identifiers, text)


def _require_number(name: str, text: str) -> None:
    if not (text.isascii() and text.isdigit()):
        raise CelError(f'Invalid character(s) found in {name.lower()} number "{text}"')
    if _NUMBER.fullmatch(text) is None:
        raise CelError(f'{name} number must not contain leading zeroes "{text}"')


def _require_identifier(name: str, text: str) -> None:
    if not text:
        raise CelError(f"{'Prerelease' if name == 'prerelease' else 'Build meta data'} is empty")
    if _IDENTIFIER.fullmatch(text) is None:
        raise CelError(f'Invalid character(s) found in {name} "{text}"')


def _normalized(text: str) -> str:
    """Without `v` and leading zeros, and with the parts that are missing."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1].isdigit() else f"0{stripped}"
    if len(parts) < 3:  # noqa: PLR2004 - major, minor, patch
        if "+" in parts[-1] or "-" in parts[-1]:
            raise CelError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _semver(text: str, normalize: bool = False) -> Semver:  # noqa: FBT001, FBT002 - a CEL function's arguments
    return _parse(_normalized(text) if normalize else text)


def _is_semver(text: str, normalize: bool = False) -> bool:  # noqa: FBT001, FBT002 - a CEL function's arguments
    try:
        _semver(text, normalize)
    except CelError:
        return False
    return True


def _compare(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


OVERLOADS = (
    function("semver(string) -> Semver", _semver),
    function("semver(string, bool) -> Semver", _semver),
    function("isSemver(string) -> bool", _is_semver),
    function("isSemver(string, bool) -> bool", _is_semver),
    member("Semver.isGreaterThan(Semver) -> bool", lambda one, other: one > other),
    member("Semver.isLessThan(Semver) -> bool", lambda one, other: one < other),
    member("Semver.compareTo(Semver) -> int", _compare),
    member("Semver.major() -> int", lambda version: version.numbers[0]),
    member("Semver.minor() -> int", lambda version: version.numbers[1]),
    member("Semver.patch() -> int", lambda version: version.numbers[2]),
)
