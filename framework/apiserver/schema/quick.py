"""Finds out fast that a value is valid.

Invariant: what a check calls valid is valid. What it does not is looked at closely by `values`, which may still find
nothing: rare ways of being valid are not worth the time of the common ones.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from framework.apiserver.schema import numbers, values
from framework.apiserver.schema.formats import string_format
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.patterns import PatternError, compile_pattern

Check: TypeAlias = Callable[[Any], bool]

_INT32 = 2**31
_INT64 = (numbers.LEAST_INT64, numbers.GREATEST_INT64)
_NUMBERS = frozenset({int, float})


def compile_check(schema: JSONSchema) -> Check:
    check = _with_junctors(schema, _typed_check(schema))
    if schema.nullable and not schema.enum:
        return lambda value: value is None or check(value)
    return check


def _typed_check(schema: JSONSchema) -> Check:
    if schema.is_int_or_string:
        return _int_or_string_check(schema)
    makers = {
        "string": _string_check,
        "integer": _integer_check,
        "number": _number_check,
        "boolean": _boolean_check,
        "array": _list_check,
        "object": _object_check,
        "": _untyped_check,
    }
    return makers.get(schema.type, _undecided)(schema)


def _undecided(_: JSONSchema) -> Check:
    return lambda _: False


def _untyped_check(schema: JSONSchema) -> Check:
    if _has_value_rules(schema):
        return lambda value: values.is_valid(schema, value)
    if not _has_inner_rules(schema):
        return lambda _: True
    is_valid_object, is_valid_list = _object_check(schema), _list_check(schema)
    return lambda value: is_valid_object(value) or is_valid_list(value)


def _has_inner_rules(schema: JSONSchema) -> bool:
    """Of what is in an object or a list, and of how much."""
    sizes = (schema.max_items, schema.min_items, schema.max_properties, schema.min_properties)
    has_fields = schema.properties or schema.required or schema.additional_properties is not None
    return bool(has_fields or schema.items or any(size is not None for size in sizes))


def _has_value_rules(schema: JSONSchema) -> bool:
    return bool(
        schema.enum
        or schema.pattern
        or schema.checked_format
        or schema.max_length is not None
        or schema.min_length is not None
        or _is_bounded(schema)
    )


def _is_bounded(schema: JSONSchema) -> bool:
    return schema.maximum is not None or schema.minimum is not None or schema.multiple_of is not None


def _with_junctors(schema: JSONSchema, check: Check) -> Check:
    if schema.one_of or schema.not_ is not None:
        # That a check does not call something valid proves nothing, and these ask for a proof.
        alternatives = JSONSchema(one_of=schema.one_of, not_=schema.not_)
        check = _both(check, lambda value: values.is_valid(alternatives, value))
    if schema.any_of:
        any_checks = [compile_check(one) for one in schema.any_of]
        check = _both(check, lambda value: any(one(value) for one in any_checks))
    for one in schema.all_of or ():
        check = _both(check, compile_check(one))
    return check


def _both(first: Check, second: Check) -> Check:
    return lambda value: first(value) and second(value)


def _string_check(schema: JSONSchema) -> Check:
    checks = _string_checks(schema)
    if not checks:
        return lambda value: type(value) is str
    if len(checks) == 1:
        only = checks[0]
        return lambda value: type(value) is str and only(value)
    return lambda value: type(value) is str and all(check(value) for check in checks)


def _string_checks(schema: JSONSchema) -> list[Check]:
    checks: list[Check] = []
    if schema.enum:
        allowed = frozenset(one for one in schema.enum if isinstance(one, str))
        checks.append(lambda value: value in allowed)
    if schema.max_length is not None or schema.min_length is not None:
        least = schema.min_length or 0
        most = schema.max_length
        checks.append(lambda value: least <= len(value) and (most is None or len(value) <= most))
    if schema.pattern:
        checks.append(_pattern_check(schema.pattern))
    if (is_of_format := string_format(schema.checked_format)) is not None:
        checks.append(is_of_format)
    return checks


def _pattern_check(pattern: str) -> Check:
    try:
        return compile_pattern(pattern)
    except PatternError:
        return lambda _: False


def _integer_check(schema: JSONSchema) -> Check:
    least, most = (-_INT32, _INT32 - 1) if schema.checked_format == "int32" else _INT64
    least, most = max(least, _least(schema)), min(most, _most(schema))
    limits = (schema.minimum, schema.maximum, schema.multiple_of)
    if not all(limit is None or limit.is_integer() for limit in limits):
        return lambda _: False
    factor = int(schema.multiple_of) if schema.multiple_of is not None else 1
    if factor <= 0:
        return lambda _: False
    if schema.enum:
        allowed = frozenset(
            one for one in schema.enum if type(one) is int and least <= one <= most and one % factor == 0
        )
        return lambda value: type(value) is int and value in allowed
    if factor == 1:
        return lambda value: type(value) is int and least <= value <= most
    return lambda value: type(value) is int and least <= value <= most and value % factor == 0


def _least(schema: JSONSchema) -> int:
    return _INT64[0] if schema.minimum is None else int(schema.minimum) + schema.exclusive_minimum


def _most(schema: JSONSchema) -> int:
    return _INT64[1] if schema.maximum is None else int(schema.maximum) - schema.exclusive_maximum


def _number_check(schema: JSONSchema) -> Check:
    if schema.enum or schema.checked_format == "float" or _is_bounded(schema):
        return lambda value: type(value) in _NUMBERS and values.is_valid(schema, value)
    return lambda value: type(value) in _NUMBERS


def _boolean_check(schema: JSONSchema) -> Check:
    if schema.enum:
        return lambda value: type(value) is bool and values.is_valid(schema, value)
    return lambda value: type(value) is bool


def _int_or_string_check(schema: JSONSchema) -> Check:
    if _has_value_rules(schema):
        return lambda value: values.is_valid(schema, value)
    least, most = _INT64
    return lambda value: type(value) is str or (type(value) is int and least <= value <= most)


def _list_check(schema: JSONSchema) -> Check:
    if schema.unique_items or schema.enum:
        return lambda value: values.is_valid(schema, value)
    item_schema = schema.item_schema
    check = compile_check(item_schema) if item_schema is not None else _anything
    least, most = schema.min_items or 0, schema.max_items
    if not least and most is None:
        return lambda value: type(value) is list and all(map(check, value))
    return lambda value: (
        type(value) is list and least <= len(value) and (most is None or len(value) <= most) and all(map(check, value))
    )


def _object_check(schema: JSONSchema) -> Check:
    if schema.enum:
        return lambda value: values.is_valid(schema, value)
    check = _fields_check(schema)
    least, most = schema.min_properties or 0, schema.max_properties
    if not least and most is None:
        return check
    return lambda value: check(value) and least <= len(value) and (most is None or len(value) <= most)


def _fields_check(schema: JSONSchema) -> Check:
    checks = {name: compile_check(inner) for name, inner in (schema.properties or {}).items()}
    required = frozenset(schema.required or ())
    check_other = _other_fields_check(schema)

    def check(value: Any) -> bool:
        if type(value) is not dict or not value.keys() >= required:
            return False
        for name, inner in value.items():  # noqa: SIM110 - a generator takes half as long again
            if not checks.get(name, check_other)(inner):
                return False
        return True

    def check_map(value: Any) -> bool:
        return type(value) is dict and value.keys() >= required and all(map(check_other, value.values()))

    return check if checks else check_map


def _other_fields_check(schema: JSONSchema) -> Check:
    if schema.additional_properties is False:
        return lambda _: False
    return compile_check(schema.value_schema) if schema.value_schema is not None else _anything


def _anything(_: Any) -> bool:
    return True
