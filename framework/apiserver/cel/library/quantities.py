"""Resource quantities such as `100m`, `1.5Gi` and `2e3`."""

import re
from fractions import Fraction
from functools import total_ordering
from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.values import INT_MAX, INT_MIN, Opaque

_QUANTITY = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_DECIMAL = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NANO = -9
_MOST_DIGITS = 18
# Beyond this a number is as good as infinite, and no longer cheap to write out.
_LARGEST_EXPONENT = 10_000


@total_ordering
class Quantity(Opaque):
    """An exact number, rounded away from zero to a billionth.

    `scale` is the power of ten in which the real server keeps it as a 64-bit integer, None if it cannot; only the
    former with a scale of at least 0 counts as an integer there, so that `1000m` and `1.0` do not.
    """

    __slots__ = ("scale", "value")
    type_name = "kubernetes.Quantity"

    def __init__(self, value: Fraction, scale: int | None) -> None:
        self.value = value
        self.scale = scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.value == other.value

    def __lt__(self, other: "Quantity") -> bool:
        return self.value < other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return str(self.value.numerator) if self.value.denominator == 1 else f"{float(self.value):g}"

    @property
    def is_integer(self) -> bool:
        return self.scale is not None and self.scale >= 0 and INT_MIN <= self.value <= INT_MAX


def parse_quantity(text: str) -> Quantity:
    found = _QUANTITY.fullmatch(text)
    if found is None or not text:
        raise CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
    sign, whole, fraction, suffix = (part or "" for part in found.groups())
    whole = whole.lstrip("0") or "0"
    value = Fraction(int(whole + fraction), 10 ** len(fraction)) * (-1 if sign == "-" else 1)
    if suffix in _BINARY:
        return _binary(value, whole, fraction, _BINARY[suffix])
    exponent = _decimal_exponent(suffix)
    scale = exponent - len(fraction)
    value *= Fraction(10) ** exponent
    if scale >= _NANO and len(whole) + len(fraction) <= _MOST_DIGITS:
        return Quantity(value, scale)
    return Quantity(_rounded_up(value), None)


def _decimal_exponent(suffix: str) -> int:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix]
    found = _EXPONENT.fullmatch(suffix)
    if found is None or abs(int(found[1])) > INT_MAX:
        raise CelError("unable to parse quantity's suffix")
    return max(-_LARGEST_EXPONENT, min(int(found[1]), _LARGEST_EXPONENT))


def _binary(value: Fraction, whole: str, fraction: str, exponent: int) -> Quantity:
    result = value * (1 << exponent)
    spare_digits = 15 - len(whole) - exponent * 3 // 10 - 1
    if not fraction and spare_digits >= 0 and abs(result) <= INT_MAX:
        return Quantity(result, 0)
    limited = min(abs(_rounded_up(result)), Fraction(INT_MAX))
    return Quantity(-limited if value < 0 else limited, None)


def _rounded_up(value: Fraction) -> Fraction:
    steps = abs(value) * 10**-_NANO
    rounded = Fraction(-(-steps.numerator // steps.denominator), 10**-_NANO)
    return -rounded if value < 0 else rounded


def _plus(one: Quantity, other: Quantity) -> Quantity:
    total = one.value + other.value
    if not one.value:
        return other
    if one.scale is None or other.scale is None:
        return Quantity(total, None)
    scale = min(one.scale, other.scale)
    fits = abs(total / Fraction(10) ** scale) <= INT_MAX
    return Quantity(total, scale if fits else None)


def _negated(quantity: Quantity | int) -> Quantity:
    if isinstance(quantity, int):
        return Quantity(Fraction(-quantity), 0)
    return Quantity(-quantity.value, quantity.scale)


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except CelError:
        return False
    return True


def _as_integer(quantity: Quantity) -> int:
    if not quantity.is_integer:
        raise CelError("cannot convert value to integer")
    return int(quantity.value)


def _compare(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


OVERLOADS = (
    function("quantity(string) -> Quantity", parse_quantity),
    function("isQuantity(string) -> bool", _is_quantity),
    function("sign(Quantity) -> int", lambda quantity: (quantity.value > 0) - (quantity.value < 0)),
    member("Quantity.isGreaterThan(Quantity) -> bool", lambda one, other: one > other),
    member("Quantity.isLessThan(Quantity) -> bool", lambda one, other: one < other),
    member("Quantity.compareTo(Quantity) -> int", _compare),
    member("Quantity.asApproximateFloat() -> double", lambda quantity: float(quantity.value)),
    member("Quantity.asInteger() -> int", _as_integer),
    member("Quantity.isInteger() -> bool", lambda quantity: quantity.is_integer),
    member("Quantity.add(Quantity) -> Quantity", _plus),
    member("Quantity.add(int) -> Quantity", lambda one, other: _plus(one, Quantity(Fraction(other), 0))),
    member("Quantity.sub(Quantity) -> Quantity", lambda one, other: _plus(one, _negated(other))),
    member("Quantity.sub(int) -> Quantity", lambda one, other: _plus(one, _negated(other))),
)
