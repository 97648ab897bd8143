"""Validates values against schemas and says what is wrong, in the words of the API server.

It takes its time; `quick` finds out first whether there is anything to say.
"""

from typing import Any

from framework.apiserver.fields import FieldError
from framework.apiserver.schema import violations
from framework.apiserver.schema.correlation import Correlation
from framework.apiserver.schema.formats import string_format
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.number_values import number_outcome
from framework.apiserver.schema.outcome import Outcome
from framework.apiserver.schema.patterns import PatternError, compile_pattern
from framework.apiserver.schema.value_types import find_in_enum, json_type, type_violation


def value_errors(
    schema: JSONSchema, value: Any, prefix: str = "", correlation: Correlation | None = None
) -> list[FieldError]:
    """What is wrong with *value*, which stands at *prefix*; with *correlation* except for what has not changed."""
    return [violation.as_error(prefix) for violation in _validate(schema, value, "", correlation).violations]


def is_valid(schema: JSONSchema, value: Any) -> bool:
    return _validate(schema, value, "", None).is_valid


def _validate(schema: JSONSchema, value: Any, path: str, correlation: Correlation | None) -> Outcome:
    outcome = _checked(schema, value, path, correlation)
    if not outcome.is_valid and correlation is not None and correlation.is_unchanged:
        outcome.forgive()
    return outcome


def _checked(schema: JSONSchema, value: Any, path: str, correlation: Correlation | None) -> Outcome:
    outcome = _type_outcome(schema, value, path)
    if value is None:
        outcome.merge(_enum_outcome(schema, value, path))
        return outcome
    # Each part that has its say counts as a match, whatever it says; that is how the alternatives are weighed.
    if schema.types or schema.checked_format:
        outcome.matches += 1
    outcome.merge(_junctor_outcome(schema, value, path))
    kind = json_type(value)
    if kind == "string":
        outcome.merge(_string_outcome(schema, value, path))
    elif kind in ("integer", "number"):
        outcome.merge(number_outcome(schema, value, path))
    elif kind == "array":
        outcome.merge(_list_outcome(schema, value, path, correlation))
    outcome.merge(_enum_outcome(schema, value, path))
    if kind == "object":
        outcome.merge(_object_outcome(schema, value, path, correlation))
    # The junctors, the kind's own part, the enum and the schema as a whole.
    outcome.matches += 3 if kind == "boolean" else 4
    return outcome


def _type_outcome(schema: JSONSchema, value: Any, path: str) -> Outcome:
    if not (schema.types or schema.checked_format) and value is not None:
        return Outcome()
    if (violation := type_violation(schema, value, path)) is not None:
        return Outcome([violation])
    outcome = Outcome()
    outcome.matches = 1
    return outcome


def _enum_outcome(schema: JSONSchema, value: Any, path: str) -> Outcome:
    if not schema.enum or find_in_enum(value, schema.enum):
        return Outcome()
    return Outcome([violations.not_in_enum(path, value, schema.enum)])


def _string_outcome(schema: JSONSchema, value: str, path: str) -> Outcome:
    outcome = Outcome()
    if schema.max_length is not None and len(value) > schema.max_length:
        outcome.add(violations.too_long(path, schema.max_length))
    elif schema.min_length is not None and len(value) < schema.min_length:
        outcome.add(violations.too_short(path, schema.min_length, value))
    elif schema.pattern and (expected := _unmatched(schema.pattern, value)):
        outcome.add(violations.no_match(path, expected, value))
    if is_of_format := string_format(schema.checked_format):
        outcome.matches += 1
        if not is_of_format(value):
            outcome.add(violations.wrong_type(path, schema.format, value))
    return outcome


def _unmatched(pattern: str, value: str) -> str:
    try:
        return "" if compile_pattern(pattern)(value) else pattern
    except PatternError as error:
        return f"{pattern}, but pattern is invalid: {error}"


def _list_outcome(schema: JSONSchema, items: list[Any], path: str, correlation: Correlation | None) -> Outcome:
    outcome = Outcome()
    if (item_schema := schema.item_schema) is not None:
        for position, item in enumerate(items):
            below = correlation.item(position) if correlation else None
            outcome.merge(_validate(item_schema, item, f"{path}[{position}]", below))
    size = len(items)
    if schema.min_items is not None and size < schema.min_items:
        outcome.add(violations.too_few_items(path, schema.min_items, size))
    if schema.max_items is not None and size > schema.max_items:
        outcome.add(violations.too_many_items(path, schema.max_items, size))
    if schema.unique_items and any(item in items[:position] for position, item in enumerate(items)):
        outcome.add(violations.not_unique(path))
    outcome.matches += 1
    return outcome


def _object_outcome(schema: JSONSchema, value: dict[str, Any], path: str, correlation: Correlation | None) -> Outcome:
    outcome = Outcome()
    size = len(value)
    if schema.min_properties is not None and size < schema.min_properties:
        outcome.add(violations.too_few_properties(path, schema.min_properties, size))
    if schema.max_properties is not None and size > schema.max_properties:
        outcome.add(violations.too_many_properties(path, schema.max_properties, size))
    _check_additional(outcome, schema, value, path, correlation)
    for name, inner in (schema.properties or {}).items():
        if name in value:
            below = _field_of(correlation, name, path)
            outcome.merge(_validate(inner, value[name], f"{path}.{name}" if path else name, below))
    for name in schema.required or ():
        if name not in value:
            outcome.add(violations.missing(f"{path}.{name}"))
    return outcome


def _check_additional(
    outcome: Outcome, schema: JSONSchema, value: dict[str, Any], path: str, correlation: Correlation | None
) -> None:
    if schema.additional_properties is None or schema.additional_properties is True:
        return
    known = schema.properties or {}
    value_schema = schema.value_schema
    for name in sorted(value.keys() - known.keys()):
        if value_schema is None:
            outcome.add(violations.forbidden_property(path, name))
        else:
            outcome.merge(_validate(value_schema, value[name], f"{path}.{name}", _field_of(correlation, name, path)))


def _field_of(correlation: Correlation | None, name: str, path: str) -> Correlation | None:
    # A change of version does not show in these two: both objects are converted to the same one.
    if correlation is None or (not path and name in ("apiVersion", "kind")):
        return None
    return correlation.field(name)


def _junctor_outcome(schema: JSONSchema, value: Any, path: str) -> Outcome:
    """What has not changed is forgiven only outside of these."""
    outcome = Outcome()
    if schema.any_of:
        _check_any_of(outcome, schema.any_of, value, path)
    if schema.one_of:
        _check_one_of(outcome, schema.one_of, value, path)
    if schema.all_of:
        _check_all_of(outcome, schema.all_of, value, path)
    if schema.not_ is not None and _validate(schema.not_, value, path, None).is_valid:
        outcome.add(violations.matches_not(path))
    outcome.matches += 1
    return outcome


def _check_any_of(outcome: Outcome, schemas: list[JSONSchema], value: Any, path: str) -> None:
    best: Outcome | None = None
    for schema in schemas:
        found = _validate(schema, value, path, None)
        if found.is_valid:
            outcome.merge(found)
            return
        if best is None or found.matches > best.matches:
            best = found
    outcome.add(violations.none_of_any(path))
    if best is not None:
        outcome.merge(best)


def _check_one_of(outcome: Outcome, schemas: list[JSONSchema], value: Any, path: str) -> None:
    found = [_validate(schema, value, path, None) for schema in schemas]
    valid = [one for one in found if one.is_valid]
    if len(valid) == 1:
        outcome.merge(valid[0])
        return
    outcome.add(violations.not_one_of(path, len(valid)))
    if not valid:
        outcome.merge(max(found, key=lambda one: one.matches))


def _check_all_of(outcome: Outcome, schemas: list[JSONSchema], value: Any, path: str) -> None:
    valid = 0
    for schema in schemas:
        found = _validate(schema, value, path, None)
        valid += found.is_valid
        outcome.merge(found)
    if valid != len(schemas):
        outcome.add(violations.not_all_of(path, is_none=not valid))
