"""Amounts such as `500m`, `1Gi` or `1e3`: what they are worth and how the server spells them."""

import re
from functools import lru_cache
from typing import NamedTuple

_SYNTAX = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i|)")
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SPELLINGS = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_SUFFIXES = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_BINARY_SPELLINGS = {power: suffix for suffix, power in _BINARY_SUFFIXES.items()}
_NANO = 10**9
_SMALLEST_WITH_BINARY_SUFFIX = 1024 * _NANO
INVALID = r"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


class Quantity(NamedTuple):
    """Nothing finer than a billionth is kept; what is finer is rounded away from zero."""

    nanos: int
    spelling: str


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Quantity:
    """The worth of *text* and its canonical spelling; ValueError, in the server's words, if it is none."""
    match = _SYNTAX.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(INVALID)
    sign, whole, fraction, suffix = match[1], match[2], match[3] or "", match[4]
    digits = int(whole + fraction or "0")
    nanos = _scaled(digits, len(fraction), suffix)
    if sign == "-":
        nanos = -nanos
    return Quantity(nanos, spelled(nanos, suffix))


def _scaled(digits: int, fraction_length: int, suffix: str) -> int:
    if suffix in _BINARY_SUFFIXES:
        numerator, exponent = digits << 10 * _BINARY_SUFFIXES[suffix], -fraction_length
    else:
        power = _DECIMAL_SUFFIXES[suffix] if suffix in _DECIMAL_SUFFIXES else int(suffix[1:])
        # No number that anybody means is longer, and a power of a million digits would stop the process.
        numerator, exponent = digits, min(max(power, -40), 40) - fraction_length
    exponent += 9
    scale: int = 10 ** abs(exponent)
    return numerator * scale if exponent >= 0 else -(-numerator // scale)


def spelled(nanos: int, suffix: str = "") -> str:
    """The canonical spelling of so many billionths; with a binary *suffix* as a multiple of 1024 where it is one."""
    if nanos == 0:
        return "0"
    if suffix in _BINARY_SUFFIXES and abs(nanos) >= _SMALLEST_WITH_BINARY_SUFFIX and nanos % _NANO == 0:
        number, power = _without_factor(nanos // _NANO, 1024)
        return f"{number}{_BINARY_SPELLINGS[power]}" if power else str(number)
    number, power = _without_factor(nanos, 1000)
    exponent = power * 3 - 9
    if suffix[:1] in {"e", "E"} and len(suffix) > 1 and suffix not in _BINARY_SUFFIXES:
        return f"{number}e{exponent}" if exponent else str(number)
    return f"{number}{_DECIMAL_SPELLINGS.get(exponent, f'e{exponent}')}"


def _without_factor(number: int, factor: int) -> tuple[int, int]:
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return number, times
