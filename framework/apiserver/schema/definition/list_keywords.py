"""x-kubernetes-list-type and x-kubernetes-list-map-keys."""

from framework.apiserver.fields import (
    FieldError,
    FieldProblem,
    forbidden_field,
    invalid_value,
    required,
    unsupported,
)
from framework.apiserver.schema.definition.options import Options
from framework.apiserver.schema.json_schema import JSONSchema

_TYPES = ["atomic", "set", "map"]
_NEEDS_ARRAY = "must be array if x-kubernetes-list-type is specified"
_NEEDS_MAP = "must be map if x-kubernetes-list-map-keys is non-empty"
_ATOMIC_ITEMS = "must be atomic as item of a list with x-kubernetes-list-type=set"


def list_keyword_errors(schema: JSONSchema, path: str, options: Options) -> list[FieldError]:
    errors = _list_type_errors(schema, path, options)
    if schema.list_map_keys and schema.list_type != "map":
        problem = FieldProblem.REQUIRED if schema.list_type is None else FieldProblem.INVALID
        errors.append(FieldError(problem, f"{path}.x-kubernetes-list-type", schema.list_type, _NEEDS_MAP))
    if schema.list_type == "map":
        errors += _map_errors(schema, path)
    return errors + (map_key_errors(schema, path) if options.needs_map_keys else [])


def has_composed_set_items(schema: JSONSchema) -> bool:
    """Whether *schema* is a set whose items can be changed in part, so that they have no identity."""
    items = schema.item_schema
    if schema.list_type != "set" or items is None:
        return False
    if items.type == "array":
        return items.list_type not in (None, "atomic")
    return items.type == "object" and items.map_type != "atomic"


def map_key_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    """Items and their keys must always be there."""
    items = schema.item_schema
    if items is None or schema.list_type not in ("set", "map"):
        return []
    errors = []
    if items.nullable:
        detail = f"cannot be nullable when x-kubernetes-list-type is {schema.list_type}"
        errors.append(forbidden_field(f"{path}.items.nullable", detail))
    for key in (schema.list_map_keys or ()) if schema.list_type == "map" else ():
        field = (items.properties or {}).get(key)
        if field is not None:
            errors += _key_errors(field, f"{path}.items.properties[{key}]", is_required=key in (items.required or ()))
    return errors


def _key_errors(field: JSONSchema, path: str, *, is_required: bool) -> list[FieldError]:
    errors = []
    reason = "this property is in x-kubernetes-list-map-keys, so it"
    if not is_required and field.default is None:
        errors.append(required(f"{path}.default", f"{reason} must have a default or be a required property"))
    if field.nullable:
        errors.append(forbidden_field(f"{path}.nullable", f"{reason} cannot be nullable"))
    return errors


def _list_type_errors(schema: JSONSchema, path: str, options: Options) -> list[FieldError]:
    if schema.list_type is None:
        return []
    errors = []
    if schema.type != "array":
        problem = FieldProblem.INVALID if schema.type else FieldProblem.REQUIRED
        errors.append(FieldError(problem, f"{path}.type", schema.type, _NEEDS_ARRAY))
    elif options.needs_atomic_sets and has_composed_set_items(schema):
        items = schema.item_schema
        keyword = "list" if items is not None and items.type == "array" else "map"
        place = f"{path}.items.x-kubernetes-{keyword}-type"
        # The list type stands in the message for maps too: the API server has it so.
        errors.append(invalid_value(place, items.list_type if items else None, _ATOMIC_ITEMS))
    if schema.list_type not in _TYPES:
        errors.append(unsupported(f"{path}.x-kubernetes-list-type", schema.list_type, _TYPES))
    return errors


def _map_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    errors = []
    if not schema.list_map_keys:
        detail = "must not be empty if x-kubernetes-list-type is map"
        errors.append(required(f"{path}.x-kubernetes-list-map-keys", detail))
    if schema.items is None:
        errors.append(required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
    items = schema.item_schema
    if items is not None and items.type != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        errors.append(invalid_value(f"{path}.items.type", items.type, detail))
    return errors + (_map_key_name_errors(schema, items, path) if items and items.type == "object" else [])


def _map_key_name_errors(schema: JSONSchema, items: JSONSchema, path: str) -> list[FieldError]:
    errors = []
    keys = schema.list_map_keys or []
    place = f"{path}.x-kubernetes-list-map-keys"
    for at, key in enumerate(keys):
        field = (items.properties or {}).get(key)
        if field is None:
            errors.append(invalid_value(place, keys, "entries must all be names of item properties"))
        elif field.type in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            errors.append(invalid_value(f"{path}.items.properties[{key}].type", items.type, detail))
        if key in keys[:at]:
            errors.append(invalid_value(place, keys, "must not contain duplicate entries"))
    return errors
