"""Of which JSON type a value is, and whether a schema takes it."""

from typing import Any

from framework.apiserver.schema import numbers, violations
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.outcome import Violation

_TYPES = {str: "string", bool: "boolean", float: "number", list: "array", dict: "object"}
# How Go holds them, which its messages tell where a format is expected.
_NUMBER_FORMATS = {"integer": "int64", "number": "float64"}


def json_type(value: Any) -> str:
    if type(value) is int:
        return "integer" if numbers.is_int64(value) else "number"
    return _TYPES[type(value)]


def type_violation(schema: JSONSchema, value: Any, path: str) -> Violation | None:
    types, wanted_format = schema.types, schema.checked_format
    if value is None:
        return violations.wrong_type(path, ",".join(types), "null") if types and not schema.nullable else None
    found = json_type(value)
    if found in types or (found == "integer" and "number" in types):
        return None
    if found == "number" and "integer" in types and numbers.is_json_integer(float(value)):
        return None
    if found not in ("string", "array") and wanted_format:
        return violations.wrong_type(path, wanted_format, _NUMBER_FORMATS.get(found, ""))
    # Where a format is expected, a list passes as a string does: the API server has it so.
    if wanted_format and not {"number", "integer"} & set(types):
        return None
    return violations.wrong_type(path, ",".join(types), found)


def find_in_enum(value: Any, allowed: list[Any]) -> bool:
    return value is not None and any(_equals(value, one) for one in allowed)


def _equals(value: Any, allowed: Any) -> bool:
    """Equal after conversion to the type of *allowed*; a float is cut to an integer, which is how Go converts."""
    if allowed is None:
        return False
    found, expected = json_type(value), json_type(allowed)
    if found == "number" and expected == "integer":
        return bool(int(value) == allowed)
    if found == "integer" and expected == "number":
        return float(value) == float(allowed)
    return found == expected and bool(value == allowed)
