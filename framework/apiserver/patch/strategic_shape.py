"""The merge keys and strategies of a kind, found in its OpenAPI schema once and kept."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from framework.apiserver.patch.strategic_errors import unexpected

_REFERENCE = "#/components/schemas/"


class Field(NamedTuple):
    """How one field is merged; *shape* is that of its value, or of its elements if it is a list."""

    shape: "Shape"
    strategy: str
    merge_key: str


class Shape:
    """The fields of one type. Types refer to themselves, so fields are looked up when they are asked for first."""

    __slots__ = ("_definitions", "_fields", "_name", "_properties")

    def __init__(self, schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> None:
        name, resolved = _resolved(schema, definitions)
        self._definitions = definitions
        self._name = name
        self._properties: Mapping[str, Any] | None = resolved.get("properties")
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field:
        found = self._fields.get(name)
        if found is None:
            found = self._fields[name] = self._look_up(name)
        return found

    def _look_up(self, name: str) -> Field:
        if self._properties is None:
            raise unexpected("merging an object in json but data type is not struct, instead is: map")
        schema = self._properties.get(name)
        if schema is None:
            raise unexpected(f'unable to find api field in struct {self._name} for the json field "{name}"')
        # retainKeys needs no schema: the patch itself says which keys stay.
        strategies = [one for one in schema.get("x-kubernetes-patch-strategy", "").split(",") if one != "retainKeys"]
        return Field(
            shape=Shape(schema.get("items", schema), self._definitions),
            strategy=strategies[0] if strategies else "",
            merge_key=schema.get("x-kubernetes-patch-merge-key", ""),
        )


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> tuple[str, Mapping[str, Any]]:
    name = ""
    while reference := _reference(schema):
        name = reference.removeprefix(_REFERENCE)
        schema = definitions[name]
    return name.rpartition(".")[2], schema


def _reference(schema: Mapping[str, Any]) -> str:
    # A field with a description of its own wraps the reference.
    wrapped = schema.get("allOf") or [schema]
    reference: str = wrapped[0].get("$ref", "")
    return reference
