"""What a schema may say beyond being structural: keywords, list types, map types and rules."""

from collections.abc import Iterator

import msgspec

from framework.apiserver.fields import (
    FieldError,
    FieldProblem,
    forbidden_field,
    invalid_value,
    unsupported,
)
from framework.apiserver.schema.definition.list_keywords import list_keyword_errors
from framework.apiserver.schema.definition.options import Options
from framework.apiserver.schema.definition.rule_keywords import compile_errors, rule_keyword_errors
from framework.apiserver.schema.json_schema import JSONSchema

TYPES = ["array", "boolean", "integer", "number", "object", "string"]
_META_FIELDS = frozenset({"metadata", "kind", "apiVersion"})
_MAP_TYPES = ["atomic", "granular"]
_MAP_TYPE_NEEDS = "must be object if x-kubernetes-map-type is specified"


class _Place(msgspec.Struct, frozen=True):
    """Where in the schema we are, and what follows from it."""

    path: str
    is_root: bool = False
    # Inside of a junctor there are no rules.
    has_rules: bool = True
    is_in_metadata: bool = False
    # Why defaults are forbidden here, if so.
    no_defaults: str = ""
    # The place above from which on old and new values cannot be matched.
    uncorrelated: str = ""

    def at(self, path: str) -> "_Place":
        return msgspec.structs.replace(self, path=path, is_root=False)

    def without_rules(self) -> "_Place":
        return msgspec.structs.replace(self, has_rules=False)


class _Found:
    """Rules are looked at only where everything else is right, from their place downwards."""

    def __init__(self) -> None:
        self.schema_errors: list[FieldError] = []
        self.rule_errors: list[FieldError] = []

    def add(self, other: "_Found") -> None:
        self.schema_errors += other.schema_errors
        self.rule_errors += other.rule_errors


def openapi_errors(schema: JSONSchema, path: str, options: Options, *, has_rules: bool) -> list[FieldError]:
    """*has_rules* says that the schema is structural, without which rules cannot be compiled."""
    found = _check(schema, _Place(path, is_root=True, has_rules=has_rules), options)
    return found.schema_errors + found.rule_errors


def _check(schema: JSONSchema, place: _Place, options: Options) -> _Found:
    found = _Found()
    found.schema_errors += _keyword_errors(schema, place, options)
    for inner, below in _children(schema, place):
        found.add(_check(inner, below, options))
    found.schema_errors += _map_type_errors(schema, place.path)
    found.schema_errors += list_keyword_errors(schema, place.path, options)
    found.schema_errors += rule_keyword_errors(schema, place.path)
    if schema.rules and not found.schema_errors and place.has_rules:
        found.rule_errors += compile_errors(
            schema, place.path, options.compile_expression, is_root=place.is_root, uncorrelated=place.uncorrelated
        )
    return found


def _children(schema: JSONSchema, place: _Place) -> Iterator[tuple[JSONSchema, _Place]]:
    if schema.value_schema is not None:
        reason = (
            "inside additionalProperties applying to object metadata" if place.is_in_metadata else place.no_defaults
        )
        below = msgspec.structs.replace(place, no_defaults=reason)
        yield schema.value_schema, below.at(f"{place.path}.additionalProperties")
    for name, inner in (schema.properties or {}).items():
        yield inner, _property_place(schema, name, place)
    nested = place.without_rules()
    if schema.not_ is not None:
        yield schema.not_, nested.at(f"{place.path}.not")
    for keyword, schemas in (("allOf", schema.all_of), ("oneOf", schema.one_of), ("anyOf", schema.any_of)):
        for at, inner in enumerate(schemas or ()):
            yield inner, nested.at(f"{place.path}.{keyword}[{at}]")
    for name, inner in (schema.definitions or {}).items():
        yield inner, nested.at(f"{place.path}.definitions[{name}]")
    yield from _item_children(schema, place)
    for name, dependency in (schema.dependencies or {}).items():
        if isinstance(dependency, JSONSchema):
            yield dependency, nested.at(f"{place.path}.dependencies[{name}]")


def _property_place(schema: JSONSchema, name: str, place: _Place) -> _Place:
    below = place.at(f"{place.path}.properties[{name}]")
    if (place.is_root or schema.is_embedded) and name in _META_FIELDS:
        reason = f"in top-level {name}" if place.is_root else below.no_defaults
        return msgspec.structs.replace(below, is_in_metadata=True, no_defaults=reason)
    return below


def _item_children(schema: JSONSchema, place: _Place) -> Iterator[tuple[JSONSchema, _Place]]:
    uncorrelated = place.uncorrelated
    if schema.list_type != "map":
        uncorrelated = uncorrelated or place.path
    below = msgspec.structs.replace(place, uncorrelated=uncorrelated)
    if isinstance(schema.items, JSONSchema):
        yield schema.items, below.at(f"{place.path}.items")
    for at, inner in enumerate(schema.items if isinstance(schema.items, list) else ()):
        yield inner, below.at(f"{place.path}.items[{at}]")


def _keyword_errors(schema: JSONSchema, place: _Place, options: Options) -> list[FieldError]:
    path = place.path
    errors = []
    if options.needs_known_types and schema.type and schema.type not in TYPES:
        errors.append(unsupported(f"{path}.type", schema.type, TYPES))
    if schema.default is not None and place.no_defaults:
        errors.append(forbidden_field(f"{path}.default", f"must not be set {place.no_defaults}"))
    errors += _unsupported_keyword_errors(schema, path)
    if schema.type == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        errors.append(forbidden_field(f"{path}.type", detail))
    if isinstance(schema.items, list) and schema.items:
        errors.append(forbidden_field(f"{path}.items", "items must be a schema object and not an array"))
    if place.is_in_metadata and schema.is_embedded:
        detail = "must not be used inside of resource meta"
        errors.append(forbidden_field(f"{path}.x-kubernetes-embedded-resource", detail))
    if schema.unique_items:
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden_field(f"{path}.uniqueItems", detail))
    if schema.properties and schema.additional_properties not in (None, True):
        detail = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden_field(f"{path}.additionalProperties", detail))
    if schema.preserve_unknown is False:
        place_of_error = f"{path}.x-kubernetes-preserve-unknown-fields"
        errors.append(invalid_value(place_of_error, value=False, detail="must be true or undefined"))
    return errors


def _unsupported_keyword_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    keywords = {
        "id": bool(schema.identifier),
        "additionalItems": schema.additional_items is not None,
        "patternProperties": bool(schema.pattern_properties),
        "definitions": bool(schema.definitions),
        "dependencies": schema.dependencies is not None,
        "$ref": schema.reference is not None,
    }
    return [forbidden_field(f"{path}.{one}", f"{one} is not supported") for one, is_set in keywords.items() if is_set]


def _map_type_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    if schema.map_type is None:
        return []
    errors = []
    if schema.type != "object":
        problem = FieldProblem.INVALID if schema.type else FieldProblem.REQUIRED
        errors.append(FieldError(problem, f"{path}.type", schema.type, _MAP_TYPE_NEEDS))
    if schema.map_type not in _MAP_TYPES:
        errors.append(unsupported(f"{path}.x-kubernetes-map-type", schema.map_type, _MAP_TYPES))
    return errors
