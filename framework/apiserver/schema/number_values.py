"""Validates numbers: their range, and the bounds and factors of their schema."""

from decimal import Decimal
from typing import Any, NamedTuple

from framework.apiserver.schema import numbers, violations
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.outcome import Outcome, Violation

_INT32 = 2**31
# The first float that a single-precision one cannot hold, halfway to the next power of two.
_BEYOND_FLOAT32 = (2 - 2**-24) * 2.0**127


def number_outcome(schema: JSONSchema, value: Any, path: str) -> Outcome:
    number = numbers.as_go_holds(value)
    outcome = Outcome()
    outcome.matches = 1
    if (violation := _range_violation("Checked", schema, number, path)) is not None:
        outcome.add(violation)
    if schema.multiple_of is not None:
        _check_factor(outcome, schema, schema.multiple_of, number, path)
    if schema.minimum is not None:
        limit, compared = _comparable(outcome, _Bound("Minimum boundary", schema.minimum), schema, number, path)
        if compared < limit or (schema.exclusive_minimum and compared == limit):
            outcome.add(violations.too_small(path, limit, compared, exclusive=schema.exclusive_minimum))
    if schema.maximum is not None:
        limit, compared = _comparable(outcome, _Bound("Maximum boundary", schema.maximum), schema, number, path)
        if compared > limit or (schema.exclusive_maximum and compared == limit):
            outcome.add(violations.too_great(path, limit, compared, exclusive=schema.exclusive_maximum))
    return outcome


class _Bound(NamedTuple):
    name: str
    limit: float


def _comparable(outcome: Outcome, bound: _Bound, schema: JSONSchema, number: Any, path: str) -> tuple[Any, Any]:
    """Limit and value in the type in which they are compared: integers if the value is one and the limit can be."""
    if (violation := _range_violation(bound.name, schema, bound.limit, path)) is not None:
        outcome.add(violation)
        return bound.limit, float(number)
    return (int(bound.limit), number) if isinstance(number, int) else (bound.limit, number)


def _check_factor(outcome: Outcome, schema: JSONSchema, factor: float, number: float, path: str) -> None:
    divisor, dividend = _comparable(outcome, _Bound("MultipleOf", factor), schema, number, path)
    if divisor <= 0:
        outcome.add(violations.factor_not_positive(path, divisor))
    elif isinstance(divisor, int) and isinstance(dividend, int):
        if dividend % divisor:
            outcome.add(violations.no_multiple(path, divisor, dividend))
    elif not numbers.is_json_integer(1 / divisor * dividend if divisor < 1 else dividend / divisor):
        outcome.add(violations.no_multiple(path, divisor, dividend))


def _range_violation(what: str, schema: JSONSchema, number: float, path: str) -> Violation | None:
    types = schema.types
    json_type = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    number_format = schema.checked_format if json_type else ""
    if json_type == "integer":
        # Go looks at the shortest spelling, which for large floats is another number.
        exact = Decimal(repr(number))
        fits = exact == exact.to_integral_value()
        fits = fits and (-_INT32 <= exact < _INT32 if number_format == "int32" else numbers.is_int64(int(exact)))
    else:
        fits = number_format != "float" or abs(number) < _BEYOND_FLOAT32
    return None if fits else violations.out_of_range(what, path, json_type, number_format)
