"""What a version offers beside its objects: subresources, columns and selectable fields."""

from framework.apiserver.fields import FieldError, FieldProblem, duplicate, invalid_value, required
from framework.apiserver.schema.definition.model import Column, SelectableField, Subresources
from framework.apiserver.schema.field_path import FieldPathError, resolve
from framework.apiserver.schema.json_schema import JSONSchema

MOST_SELECTABLE_FIELDS = 8
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SELECTABLE_TYPES = ("string", "boolean", "integer")


def subresource_errors(subresources: Subresources | None, path: str) -> list[FieldError]:
    scale = subresources.scale if subresources is not None else None
    if scale is None:
        return []
    errors = []
    for name, value, root in (
        ("specReplicasPath", scale.spec_replicas_path, ".spec"),
        ("statusReplicasPath", scale.status_replicas_path, ".status"),
    ):
        place = f"{path}.scale.{name}"
        errors += _scale_path_errors(value, place, (root,), f"under {root}") if value else [required(place)]
    if scale.label_selector_path:
        place, roots = f"{path}.scale.labelSelectorPath", (".spec", ".status")
        errors += _scale_path_errors(scale.label_selector_path, place, roots, "under either .spec or .status")
    return errors


def _scale_path_errors(value: str, path: str, roots: tuple[str, ...], where: str) -> list[FieldError]:
    if errors := _simple_path_errors(value, path):
        return errors
    if value.startswith(tuple(f"{root}." for root in roots)):
        return []
    return [invalid_value(path, value, f"should be a json path {where}")]


def _simple_path_errors(value: str, path: str) -> list[FieldError]:
    return [] if value.startswith(".") else [invalid_value(path, value, "must be a simple json path starting with .")]


def column_errors(columns: list[Column] | None, path: str) -> list[FieldError]:
    return [error for at, column in enumerate(columns or ()) for error in _column_errors(column, f"{path}[{at}]")]


def _column_errors(column: Column, path: str) -> list[FieldError]:
    errors = []
    if not column.name:
        errors.append(required(f"{path}.name"))
    if column.type not in _COLUMN_TYPES:
        detail = f"must be one of {','.join(_COLUMN_TYPES)}"
        place = f"{path}.type"
        errors.append(invalid_value(place, column.type, detail) if column.type else required(place, detail))
    if column.format and column.format not in _COLUMN_FORMATS:
        errors.append(invalid_value(f"{path}.format", column.format, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    if not column.json_path:
        errors.append(required(f"{path}.JSONPath"))
    else:
        errors += _simple_path_errors(column.json_path, f"{path}.JSONPath")
    return errors


def selectable_field_errors(
    fields: list[SelectableField], schema: JSONSchema, path: str, *, may_be_many: bool
) -> list[FieldError]:
    errors = []
    seen: set[str] = set()
    for at, field in enumerate(fields):
        errors += _selectable_errors(field.json_path, schema, f"{path}[{at}].jsonPath", seen)
    if len(seen) > MOST_SELECTABLE_FIELDS and not may_be_many:
        detail = f"must have at most {MOST_SELECTABLE_FIELDS} items"
        errors.append(FieldError(FieldProblem.TOO_MANY, path, len(seen), detail))
    return errors


def _selectable_errors(json_path: str, schema: JSONSchema, path: str, seen: set[str]) -> list[FieldError]:
    if not json_path:
        return [required(path)]
    try:
        normal, found = resolve(json_path, schema, allow_brackets=False)
    except FieldPathError as error:
        return [invalid_value(path, json_path, f"is an invalid path: {error}")]
    errors = []
    if normal.split(".")[0] == "metadata":
        errors.append(invalid_value(path, json_path, "must not point to fields in metadata"))
    if found is None or found.type not in _SELECTABLE_TYPES:
        detail = (
            "must point to a field of type string, boolean or integer. "
            "Enum string fields and strings with formats are allowed."
        )
        errors.append(invalid_value(path, json_path, detail))
    if normal in seen:
        errors.append(duplicate(path, json_path))
    seen.add(normal)
    return errors
