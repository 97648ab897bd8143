"""What makes a schema structural: types everywhere, and nothing but value validation inside of junctors."""

from enum import Enum

import msgspec

from framework.apiserver.fields import FieldError, FieldProblem, forbidden_field, invalid_value, required
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.patterns import PatternError, compile_pattern


class _Level(Enum):
    ROOT = "must not be empty at the root"
    ITEM = "must not be empty for specified array items"
    FIELD = "must not be empty for specified object fields"


_INT_OR_STRING = [JSONSchema(type="integer"), JSONSchema(type="string")]
_NOTHING = JSONSchema()
_EMBEDDED_TYPE = "must be object if x-kubernetes-embedded-resource is true"


def unsupported_keyword(schema: JSONSchema) -> str:
    """Why *schema* can never be structural, if so."""
    for inner in schema.walk():
        for keyword, value in (
            ("id", inner.identifier),
            ("schema", inner.schema_url),
            ("$ref", inner.reference),
            ("patternProperties", inner.pattern_properties),
            ("dependencies", inner.dependencies),
            ("additionalItems", inner.additional_items is not None),
            ("definitions", inner.definitions),
        ):
            if value:
                return f"OpenAPIV3Schema '{keyword}' is not supported"
        if isinstance(inner.items, list) and inner.items:
            return "OpenAPIV3Schema 'items' must be a schema, but is an array"
        if inner.preserve_unknown is False:
            return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    return ""


def structural_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    errors = _invariant_errors(schema, _Level.ROOT, path)
    return sorted(errors + _completeness_errors(schema, schema, path, path), key=str)


def _invariant_errors(schema: JSONSchema, level: _Level, path: str) -> list[FieldError]:
    errors = []
    if schema.type == "array" and schema.item_schema is None:
        errors.append(required(f"{path}.items", "must be specified"))
    if schema.item_schema is not None:
        errors += _invariant_errors(schema.item_schema, _Level.ITEM, f"{path}.items")
    for name, inner in (schema.properties or {}).items():
        errors += _invariant_errors(inner, _Level.FIELD, f"{path}.properties[{name}]")
    if schema.additional_properties is not None and level is _Level.ROOT:
        errors.append(forbidden_field(f"{path}.additionalProperties", "must not be used at the root"))
    if schema.value_schema is not None:
        errors += _invariant_errors(schema.value_schema, _Level.FIELD, f"{path}.additionalProperties")
    errors += _extension_errors(schema, path)
    errors += _value_validation_errors(schema, path, skip_any_of=schema.any_of == _INT_OR_STRING)
    errors += _type_errors(schema, level, path)
    return errors + _meta_errors(schema, level, path)


def _extension_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    if not schema.is_int_or_string:
        return []
    errors = []
    must_be_false = "must be false if x-kubernetes-int-or-string is true"
    if schema.preserve_unknown:
        errors.append(invalid_value(f"{path}.x-kubernetes-preserve-unknown-fields", value=True, detail=must_be_false))
    if schema.is_embedded:
        errors.append(invalid_value(f"{path}.x-kubernetes-embedded-resource", value=True, detail=must_be_false))
    return errors


def _type_errors(schema: JSONSchema, level: _Level, path: str) -> list[FieldError]:
    errors = []
    place = f"{path}.type"
    if schema.is_embedded and schema.type != "object":
        problem = FieldProblem.INVALID if schema.type else FieldProblem.REQUIRED
        errors.append(FieldError(problem, place, schema.type, _EMBEDDED_TYPE))
    elif not (schema.type or schema.is_int_or_string or schema.preserve_unknown):
        errors.append(required(place, level.value))
    if level is _Level.ROOT and schema.type not in ("", "object"):
        errors.append(invalid_value(place, schema.type, "must be object at the root"))
    return errors


def _meta_errors(schema: JSONSchema, level: _Level, path: str) -> list[FieldError]:
    errors = []
    properties = schema.properties or {}
    is_resource = level is _Level.ROOT or schema.is_embedded
    for name in ("kind", "apiVersion"):
        if is_resource and name in properties and properties[name].type != "string":
            place = f"{path}.properties[{name}].type"
            errors.append(invalid_value(place, properties[name].type, "must be string"))
    if "metadata" in properties:
        errors += _metadata_errors(
            properties["metadata"], level, f"{path}.properties[metadata]", is_resource=is_resource
        )
    if schema.is_embedded and schema.additional_properties is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        errors.append(forbidden_field(f"{path}.additionalProperties", detail))
    if schema.is_embedded and not schema.preserve_unknown and not properties:
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        errors.append(required(f"{path}.properties", detail))
    return errors


def _metadata_errors(schema: JSONSchema, level: _Level, path: str, *, is_resource: bool) -> list[FieldError]:
    errors = []
    if is_resource and schema.type != "object":
        errors.append(invalid_value(f"{path}.type", schema.type, "must be object"))
    if level is _Level.ROOT:
        properties = schema.properties if set(schema.properties or ()) - {"name", "generateName"} else None
        if msgspec.structs.replace(schema, type="", default=None, properties=properties) != _NOTHING:
            detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
            errors.append(forbidden_field(path, detail))
    return errors


def _value_validation_errors(schema: JSONSchema, path: str, *, skip_any_of: bool = False) -> list[FieldError]:
    errors = []
    for at, inner in enumerate(() if skip_any_of else schema.any_of or ()):
        errors += _nested_errors(inner, f"{path}.anyOf[{at}]")
    for at, inner in enumerate(schema.all_of or ()):
        # The one other place in which the alternative of int and string may stand.
        errors += _nested_errors(inner, f"{path}.allOf[{at}]", skip_any_of=at == 0 and inner.any_of == _INT_OR_STRING)
    for at, inner in enumerate(schema.one_of or ()):
        errors += _nested_errors(inner, f"{path}.oneOf[{at}]")
    if schema.not_ is not None:
        errors += _nested_errors(schema.not_, f"{path}.not")
    if schema.pattern:
        errors += _pattern_errors(schema.pattern, f"{path}.pattern")
    return errors


def _pattern_errors(pattern: str, path: str) -> list[FieldError]:
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return [invalid_value(path, pattern, f"must be a valid regular expression, but isn't: {error}")]
    return []


def _nested_errors(schema: JSONSchema, path: str, *, skip_any_of: bool = False) -> list[FieldError]:
    errors = _value_validation_errors(schema, path, skip_any_of=skip_any_of)
    if schema.item_schema is not None:
        errors += _nested_errors(schema.item_schema, f"{path}.items")
    for name, inner in (schema.properties or {}).items():
        errors += _nested_errors(inner, f"{path}.properties[{name}]")
    for keyword, value, state in (
        ("type", schema.type, "empty"),
        ("additionalProperties", schema.additional_properties not in (None, False), "undefined"),
        ("default", schema.default is not None, "undefined"),
        ("title", schema.title, "empty"),
        ("description", schema.description, "empty"),
        ("nullable", schema.nullable, "false"),
        ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown, "false"),
        ("x-kubernetes-embedded-resource", schema.is_embedded, "false"),
        ("x-kubernetes-int-or-string", schema.is_int_or_string, "false"),
        ("x-kubernetes-list-map-keys", schema.list_map_keys, "empty"),
        ("x-kubernetes-list-type", schema.list_type is not None, "undefined"),
        ("x-kubernetes-map-type", schema.map_type is not None, "undefined"),
        ("x-kubernetes-validations", schema.rules, "empty"),
    ):
        if value:
            errors.append(forbidden_field(f"{path}.{keyword}", f"must be {state} to be structural"))
    if "metadata" in (schema.properties or {}):
        detail = "must not be specified in a nested context"
        errors.append(forbidden_field(f"{path}.properties[metadata]", detail))
    return errors


def _completeness_errors(
    validation: JSONSchema, schema: JSONSchema | None, schema_path: str, path: str
) -> list[FieldError]:
    """Whatever a junctor says something about must be declared outside of it as well."""
    errors = []
    if validation.not_ is not None:
        errors += _nested_completeness_errors(validation.not_, schema, schema_path, f"{path}.not")
    junctors = (("allOf", validation.all_of), ("anyOf", validation.any_of), ("oneOf", validation.one_of))
    for keyword, schemas in junctors:
        for at, inner in enumerate(schemas or ()):
            errors += _nested_completeness_errors(inner, schema, schema_path, f"{path}.{keyword}[{at}]")
    return errors


def _nested_completeness_errors(
    validation: JSONSchema, schema: JSONSchema | None, schema_path: str, path: str
) -> list[FieldError]:
    if schema is None:
        return [required(schema_path, f"because it is defined in {path}")]
    errors = _completeness_errors(validation, schema, schema_path, path)
    if validation.item_schema is not None:
        items = schema.item_schema
        errors += _nested_completeness_errors(validation.item_schema, items, f"{schema_path}.items", f"{path}.items")
    for name, inner in (validation.properties or {}).items():
        declared = (schema.properties or {}).get(name)
        place = f"properties[{name}]"
        errors += _nested_completeness_errors(inner, declared, f"{schema_path}.{place}", f"{path}.{place}")
    return errors
