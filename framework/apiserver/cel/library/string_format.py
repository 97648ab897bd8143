"""`"%d of %s".format([1, "x"])`, with the clauses and complaints of cel-go's string extension, version 2."""

import math
import re
from collections.abc import Callable
from typing import Any

from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.instants import Duration, Timestamp
from framework.apiserver.cel.values import TypeValue, format_double, kind_of, type_name_of
from framework.apiserver.spelling import spelled_string

_CLAUSE = re.compile(r"%(?:%|(?P<precision>\.\d*)?(?P<kind>.?))", re.DOTALL)
_DEFAULT_PRECISION = 6
_ENDLESS = "could not find end of precision specifier"
_SPECIAL_TEXTS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

STRING_COMPLAINT = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given {}"
)
# Clause: which kinds of value it takes, and what is said of the others.
CLAUSES: dict[str, tuple[frozenset[str], str]] = {
    "s": (
        frozenset(
            {
                "list",
                "map",
                "int",
                "uint",
                "double",
                "bool",
                "string",
                "timestamp",
                "bytes",
                "duration",
                "type",
                "null_type",
            }
        ),
        STRING_COMPLAINT,
    ),
    "d": (frozenset({"int", "uint"}), "decimal clause can only be used on integers, was given {}"),
    "f": (frozenset({"double", "string"}), "fixed-point clause can only be used on doubles, was given {}"),
    "e": (frozenset({"double", "string"}), "scientific clause can only be used on doubles, was given {}"),
    "b": (frozenset({"int", "uint", "bool"}), "only integers and bools can be formatted as binary, was given {}"),
    "x": (
        frozenset({"int", "uint", "string", "bytes"}),
        "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    ),
    "o": (frozenset({"int", "uint"}), "octal clause can only be used on integers, was given {}"),
}
CLAUSES["X"] = CLAUSES["x"]


def format_text(template: str, arguments: list[Any]) -> str:
    written = iter(range(len(arguments)))

    def write(kind: str, precision: int | None) -> str:
        value = arguments[next(written)]
        kinds, complaint = CLAUSES[kind]
        if kind_of(value) not in kinds or (kind in "fe" and isinstance(value, str) and value not in _SPECIAL_TEXTS):
            raise CelError(f"error during formatting: {complaint.format(type_name_of(value))}")
        return _WRITERS[kind](value, _DEFAULT_PRECISION if precision is None else precision)

    return interpolate(template, len(arguments), write)


def interpolate(template: str, argument_count: int, write: Callable[[str, int | None], str]) -> str:
    """*template* with `write(clause, precision)` in place of each clause."""
    index = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal index
        if found[0] == "%%":
            return "%"
        if index >= argument_count:
            raise CelError(f"index {index} out of range")
        index += 1
        kind, precision = found["kind"], found["precision"]
        if not kind:
            raise CelError(
                f"could not parse formatting clause: error while parsing precision: {_ENDLESS}"
                if precision
                else "unexpected end of string"
            )
        if kind not in CLAUSES:
            raise CelError(f'could not parse formatting clause: unrecognized formatting clause "{kind}"')
        return write(kind, int(precision[1:]) if precision and precision[1:] else None)

    return _CLAUSE.sub(replace, template)


def text_of(value: Any) -> str:  # noqa: PLR0911 - one for each type
    """What `string(value)` and %s give."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return format_double(value)
        case bytes():
            return value.decode(errors="replace")
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case dict():
            entries = sorted((_literal(key), _literal(each)) for key, each in value.items())
            return "{" + ", ".join(f"{key}:{each}" for key, each in entries) + "}"
        case TypeValue():
            return value.name
    return str(value)


def _literal(value: Any) -> str:
    """*value* inside a list or map: as one would write it in CEL."""
    match value:
        case str():
            return spelled_string(value)
        case bytes():
            return f"b{spelled_string(value.decode(errors='replace'))}"
        case Timestamp():
            return f'timestamp("{value}")'
        case Duration():
            return f'duration("{value}")'
        case float():
            return _fixed(value, _DEFAULT_PRECISION) if math.isfinite(value) else f'"{format_double(value)}"'
    if kind_of(value) not in CLAUSES["s"][0]:
        raise CelError(f"error during formatting: no formatting function for {type_name_of(value)}")
    return text_of(value)


def _fixed(value: Any, precision: int) -> str:
    number = _SPECIAL_TEXTS[value] if isinstance(value, str) else value
    return _special(number) or f"{number:.{precision}f}"


def _localized_fixed(value: Any, precision: int) -> str:
    number = _SPECIAL_TEXTS[value] if isinstance(value, str) else value
    return _special(number) or f"{number:,.{precision}f}"


def _scientific(value: Any, _: int) -> str:
    # The real server takes the precision for a width, so that it never shows.
    number = _SPECIAL_TEXTS[value] if isinstance(value, str) else value
    special = _special(number)
    if special:
        return special
    mantissa, exponent = f"{number:.{_DEFAULT_PRECISION}e}".split("e")
    superscript = exponent.lstrip("+").translate(_SUPERSCRIPTS)
    return f"{mantissa}×10{superscript}"  # noqa: RUF001 - how the real server prints it


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _special(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return ("∞" if number > 0 else "-∞") if math.isinf(number) else ""


def _hexadecimal(value: Any) -> str:
    if isinstance(value, str):
        return value.encode().hex()
    return value.hex() if isinstance(value, bytes) else f"{int(value):x}"


_WRITERS: dict[str, Callable[[Any, int], str]] = {
    "s": lambda value, _: text_of(value),
    "d": lambda value, _: str(int(value)),
    "f": _localized_fixed,
    "e": _scientific,
    "b": lambda value, _: f"{int(value):b}",
    "x": lambda value, _: _hexadecimal(value),
    "X": lambda value, _: _hexadecimal(value).upper(),
    "o": lambda value, _: f"{int(value):o}",
}
