"""managedFields, as far as they can be judged without the schema of a kind."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.fields import FieldError, FieldProblem, invalid_value

_FIELD = "metadata.managedFields"
_MANAGER_LENGTH = 128
_SUBRESOURCE_LENGTH = 256


def managed_fields_errors(entries: Sequence[Mapping[str, Any]]) -> Sequence[FieldError]:
    errors: list[FieldError] = []
    for position, entry in enumerate(entries):
        field = f"{_FIELD}[{position}]"
        operation = entry.get("operation") or ""
        if operation not in ("Apply", "Update"):
            errors.append(invalid_value(f"{field}.operation", operation, "must be `Apply` or `Update`"))
        fields_type = entry.get("fieldsType") or ""
        if fields_type not in ("", "FieldsV1"):
            errors.append(invalid_value(f"{field}.fieldsType", fields_type, "must be `FieldsV1`"))
        errors += field_manager_errors(entry.get("manager") or "", f"{field}.manager")
        if subresource := entry.get("subresource"):
            errors += _too_long(subresource, _SUBRESOURCE_LENGTH, f"{field}.subresource")
    return errors


def field_manager_errors(manager: str, field: str) -> Sequence[FieldError]:
    """The rule for names of managers, in objects and in the query of a request."""
    errors = list(_too_long(manager, _MANAGER_LENGTH, field))
    if manager.isprintable():
        return errors
    position = 0
    for character in manager:
        if not character.isprintable():
            detail = f"invalid character U+{ord(character):04X} (at position {position})"
            errors.append(invalid_value(field, manager, detail))
        position += len(character.encode())
    return errors


def _too_long(text: str, limit: int, field: str) -> Sequence[FieldError]:
    if len(text) <= limit and (text.isascii() or len(text.encode()) <= limit):
        return ()
    return [FieldError(FieldProblem.TOO_LONG, field, detail=f"may not be more than {limit} bytes")]
