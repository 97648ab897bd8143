"""The words for each way in which a value can break its schema."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.fields import FieldProblem, unsupported
from framework.apiserver.schema.outcome import Violation
from framework.apiserver.spelling import spelled, spelled_json, spelled_string


def wrong_type(path: str, wanted: str, found: str) -> Violation:
    text = f"{path} in body must be of type {wanted}: {spelled_string(found)}"
    return Violation(text, path, FieldProblem.TYPE_INVALID, found)


def missing(path: str) -> Violation:
    return Violation(f"{path} in body is required", path, FieldProblem.REQUIRED, detail="")


def too_long(path: str, limit: int) -> Violation:
    text = f"{path} in body should be at most {limit} chars long"
    detail = f"may not be more than {limit} {'byte' if limit == 1 else 'bytes'}"
    return Violation(text, path, FieldProblem.TOO_LONG, detail=detail)


def too_short(path: str, limit: int, value: str) -> Violation:
    return Violation(f"{path} in body should be at least {limit} chars long", path, value=value)


def no_match(path: str, pattern: str, value: str) -> Violation:
    return Violation(f"{path} in body should match '{pattern}'", path, value=value)


def not_in_enum(path: str, value: Any, allowed: Sequence[Any]) -> Violation:
    names = [one if isinstance(one, str) else spelled_json(one) for one in allowed]
    detail = unsupported(path, value, names).detail
    return Violation(f"{path} in body should be one of {names}", path, FieldProblem.NOT_SUPPORTED, value, detail)


def too_great(path: str, limit: float, value: float, *, exclusive: bool) -> Violation:
    return _beyond(path, "less than", limit, value, exclusive=exclusive)


def too_small(path: str, limit: float, value: float, *, exclusive: bool) -> Violation:
    return _beyond(path, "greater than", limit, value, exclusive=exclusive)


def no_multiple(path: str, factor: float, value: float) -> Violation:
    return Violation(f"{path} in body should be a multiple of {spelled(factor)}", path, value=value)


def factor_not_positive(path: str, factor: float) -> Violation:
    text = f"factor MultipleOf declared for {path} must be positive: {spelled(factor)}"
    return Violation(text, path, value=factor)


def out_of_range(what: str, path: str, json_type: str, number_format: str) -> Violation:
    suffix = f"with format {number_format}" if number_format else "(default format)"
    return Violation(f"{what} value must be of type {json_type} {suffix} in {path}")


def too_many_items(path: str, limit: int, size: int) -> Violation:
    text = f"{path} in body should have at most {limit} items"
    return Violation(text, path, FieldProblem.TOO_MANY, size, _at_most(limit))


def too_few_items(path: str, limit: int, size: int) -> Violation:
    return Violation(f"{path} in body should have at least {limit} items", path, value=size)


def not_unique(path: str) -> Violation:
    return Violation(f"{path} in body shouldn't contain duplicates", path)


def too_many_properties(path: str, limit: int, size: int) -> Violation:
    text = f"{path} in body should have at most {limit} properties"
    return Violation(text, path, FieldProblem.TOO_MANY, size, _at_most(limit))


def too_few_properties(path: str, limit: int, size: int) -> Violation:
    return Violation(f"{path} in body should have at least {limit} properties", path, value=size)


def forbidden_property(path: str, name: str) -> Violation:
    return Violation(f"{path}.{name} in body is a forbidden property", path, value=name)


def none_of_any(path: str) -> Violation:
    return Violation(f"{spelled_string(path)} must validate at least one schema (anyOf)")


def not_one_of(path: str, count: int) -> Violation:
    found = f"Found {count} valid alternatives" if count else "Found none valid"
    return Violation(f"{spelled_string(path)} must validate one and only one schema (oneOf). {found}")


def not_all_of(path: str, *, is_none: bool) -> Violation:
    none = ". None validated" if is_none else ""
    return Violation(f"{spelled_string(path)} must validate all the schemas (allOf){none}")


def matches_not(path: str) -> Violation:
    return Violation(f"{spelled_string(path)} must not validate the schema (not)")


def _at_most(limit: int) -> str:
    return f"must have at most {limit} {'item' if limit == 1 else 'items'}"


def _beyond(path: str, words: str, limit: float, value: float, *, exclusive: bool) -> Violation:
    equal = "" if exclusive else " or equal to"
    text = f"{path} in body should be {words}{equal} {spelled(limit)}"
    return Violation(text, path, value=value)
