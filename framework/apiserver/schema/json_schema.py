"""A schema of a CustomResourceDefinition, as it stands in `openAPIV3Schema`."""

from collections.abc import Iterator
from typing import Any

import msgspec

from framework.apiserver.schema.formats import is_recognized


class ValidationRule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One entry of `x-kubernetes-validations`."""

    rule: str = ""
    message: str = ""
    message_expression: str = ""
    reason: str | None = None
    field_path: str = ""
    optional_old_self: bool | None = None


_NAMES = {
    "identifier": "id",
    "schema_url": "$schema",
    "reference": "$ref",
    "exclusive_maximum": "exclusiveMaximum",
    "exclusive_minimum": "exclusiveMinimum",
    "max_length": "maxLength",
    "min_length": "minLength",
    "max_items": "maxItems",
    "min_items": "minItems",
    "unique_items": "uniqueItems",
    "multiple_of": "multipleOf",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
    "all_of": "allOf",
    "one_of": "oneOf",
    "any_of": "anyOf",
    "not_": "not",
    "additional_properties": "additionalProperties",
    "pattern_properties": "patternProperties",
    "additional_items": "additionalItems",
    "external_docs": "externalDocs",
    "preserve_unknown": "x-kubernetes-preserve-unknown-fields",
    "is_embedded": "x-kubernetes-embedded-resource",
    "is_int_or_string": "x-kubernetes-int-or-string",
    "list_map_keys": "x-kubernetes-list-map-keys",
    "list_type": "x-kubernetes-list-type",
    "map_type": "x-kubernetes-map-type",
    "rules": "x-kubernetes-validations",
}


class JSONSchema(msgspec.Struct, frozen=True, rename=_NAMES, omit_defaults=True):
    """All fields that the API knows; those that a structural schema forbids are there to be refused."""

    identifier: str = ""
    schema_url: str = ""
    reference: str | None = None
    description: str = ""
    type: str = ""
    nullable: bool = False
    format: str = ""
    title: str = ""
    default: Any = None
    maximum: float | None = None
    exclusive_maximum: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    max_length: int | None = None
    min_length: int | None = None
    pattern: str = ""
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    multiple_of: float | None = None
    enum: list[Any] | None = None
    max_properties: int | None = None
    min_properties: int | None = None
    required: list[str] | None = None
    items: "JSONSchema | list[JSONSchema] | None" = None
    all_of: "list[JSONSchema] | None" = None
    one_of: "list[JSONSchema] | None" = None
    any_of: "list[JSONSchema] | None" = None
    not_: "JSONSchema | None" = None
    properties: "dict[str, JSONSchema] | None" = None
    additional_properties: "JSONSchema | bool | None" = None
    pattern_properties: "dict[str, JSONSchema] | None" = None
    dependencies: "dict[str, JSONSchema | list[str]] | None" = None
    additional_items: "JSONSchema | bool | None" = None
    definitions: "dict[str, JSONSchema] | None" = None
    external_docs: dict[str, str] | None = None
    example: Any = None
    preserve_unknown: bool | None = None
    is_embedded: bool = False
    is_int_or_string: bool = False
    list_map_keys: list[str] | None = None
    list_type: str | None = None
    map_type: str | None = None
    rules: list[ValidationRule] | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that a value may have; none means any."""
        if self.is_int_or_string:
            return ("integer", "string")
        return (self.type,) if self.type else ()

    @property
    def checked_format(self) -> str:
        """The format, if it is one that values are checked against."""
        types = self.types
        return self.format if is_recognized(self.format, types[0] if len(types) == 1 else "") else ""

    @property
    def item_schema(self) -> "JSONSchema | None":
        """The schema of all items; a list of schemas, which is never structural, counts as none."""
        return self.items if isinstance(self.items, JSONSchema) else None

    @property
    def value_schema(self) -> "JSONSchema | None":
        """What additionalProperties say about values, if they are a schema."""
        return self.additional_properties if isinstance(self.additional_properties, JSONSchema) else None

    def property_schema(self, name: str) -> "JSONSchema | None":
        """What is said about the field *name*, be it as a property or as an additional one."""
        if self.properties is not None and name in self.properties:
            return self.properties[name]
        return self.value_schema

    def walk(self) -> "Iterator[JSONSchema]":
        """This schema and all below it, those in junctors too."""
        yield self
        below = [*(self.all_of or ()), *(self.any_of or ()), *(self.one_of or ()), self.not_]
        below += [*(self.properties or {}).values(), self.item_schema, self.value_schema]
        for inner in below:
            if inner is not None:
                yield from inner.walk()


def parse_schema(document: Any) -> JSONSchema:
    """Raises msgspec.ValidationError if a field has the wrong JSON type."""
    return msgspec.convert(document, JSONSchema)
