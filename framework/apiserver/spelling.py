"""How Go spells values, since the messages of the real server hold them."""

import math
import re
from decimal import Decimal
from typing import Any

# What has a short form in a Go string.
ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_JSON_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    # Go keeps JSON safe for HTML and JavaScript.
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
# Nothing in it that JSON writes otherwise: the common case, and many times faster than to look at each character.
_is_plain = re.compile(r"[ !#-%'-;=?-\[\]-~]*").fullmatch
_GREATEST_INT64 = 2**63 - 1
_FIRST_PRINTABLE = " "
_LAST_OF_ONE_BYTE = "\x7f"
_LAST_OF_FOUR_DIGITS = "\uffff"


class Spelled(str):
    """A value whose spelling in messages is this very text."""

    __slots__ = ()


def spelled(value: Any) -> str:
    """As in a message about a bad value: strings quoted, simple values plain, others as JSON."""
    if isinstance(value, Spelled):
        return str(value)
    if isinstance(value, str):
        return spelled_string(value)
    if isinstance(value, float) or (type(value) is int and abs(value) > _GREATEST_INT64):
        return spelled_float(float(value))
    return spelled_json(value)


def spelled_string(text: str) -> str:
    """As the verb %q does."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(ESCAPES.get(one) or _character(one) for one in text) + '"'


def spelled_float(number: float) -> str:
    """As the verb %v does: the fewest digits that tell it from its neighbours, an exponent from a million on."""
    return _float(number, smallest=-4, greatest=5)


def spelled_json(value: Any) -> str:
    """As encoding/json does: keys sorted."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value}"' if _is_plain(value) else '"' + "".join(_json_character(one) for one in value) + '"'
    if isinstance(value, float):
        return _float(value, smallest=-6, greatest=20)
    if isinstance(value, dict):
        return "{" + ",".join(f"{spelled_json(key)}:{spelled_json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(spelled_json(item) for item in value) + "]"
    return str(value)


def _character(one: str) -> str:
    if one.isprintable():
        return one
    if one <= _LAST_OF_ONE_BYTE:
        return f"\\x{ord(one):02x}"
    return f"\\u{ord(one):04x}" if one <= _LAST_OF_FOUR_DIGITS else f"\\U{ord(one):08x}"


def _json_character(one: str) -> str:
    return _JSON_ESCAPES.get(one) or (one if one >= _FIRST_PRINTABLE else f"\\u{ord(one):04x}")


def _float(number: float, *, smallest: int, greatest: int) -> str:
    """*smallest* and *greatest* are the exponents between which none is written."""
    exact = Decimal(repr(number))
    if number == 0 or math.isinf(number) or smallest <= exact.adjusted() <= greatest:
        text = f"{exact:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits, _, exponent = f"{exact.normalize():e}".partition("e")
    return f"{digits}e{int(exponent):+03d}"


def kind_of(value: Any) -> str:
    """What Go's decoder calls the type of *value*."""
    if value is None:
        return "null"
    names = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]
