from typing import Any

import msgspec
import pytest

from framework.apiserver.openapi import OpenApiDocuments
from tests.unit.framework.apiserver.resources import a_definition, builtin, custom

OBJECT_META = {
    "description": "Standard object's metadata. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}],
}
KIND = {"x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Widget", "version": "v1"}]}
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def in_v3(schema: Any, **version: Any) -> Any:
    definition = a_definition(schema={"openAPIV3Schema": schema} if schema else None, **version)
    document = OpenApiDocuments(custom(definition), [definition]).v3("apis/example.com/v1")
    assert document is not None
    return msgspec.json.decode(document.body)["components"]["schemas"]["com.example.v1.Widget"]


def in_v2(schema: Any) -> Any:
    definition = a_definition(schema={"openAPIV3Schema": schema})
    document = OpenApiDocuments([*builtin(), *custom(definition)], [definition]).v2
    return msgspec.json.decode(document.body)["definitions"]["com.example.v1.Widget"]


def spec_in_v3(schema: Any) -> Any:
    return in_v3({"type": "object", "properties": {"spec": schema}})["properties"]["spec"]


def spec_in_v2(schema: Any) -> Any:
    return in_v2({"type": "object", "properties": {"spec": schema}})["properties"]["spec"]


def test_every_kind_has_the_fields_of_all_objects() -> None:
    schema = in_v3({"type": "object", "properties": {"metadata": {"type": "object"}}})

    assert schema["properties"]["metadata"] == OBJECT_META
    assert schema["properties"]["kind"]["type"] == "string"
    assert schema["properties"]["apiVersion"]["description"].startswith("APIVersion defines")


def test_a_kind_without_schema_says_nothing_about_fields() -> None:
    assert in_v3(None) == {"type": "object", **KIND}


def test_selectable_fields_are_told() -> None:
    schema = in_v3({"type": "object"}, selectableFields=[{"jsonPath": ".spec.job"}])

    assert schema["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.job"}]


def test_rules_and_extensions_stay() -> None:
    schema = {
        "type": "array",
        "items": {"type": "object", "properties": {"name": {"type": "string", "default": ""}}},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-validations": [{"rule": "self.size() > 0"}],
    }

    assert spec_in_v3(schema) == schema


def test_what_says_nothing_is_left_out() -> None:
    schema = {"type": "object", "nullable": False, "description": "", "required": [], "minProperties": 0}

    assert spec_in_v3(schema) == {"type": "object", "minProperties": 0}


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ({}, {"anyOf": INT_OR_STRING}),
        ({"anyOf": INT_OR_STRING}, {"anyOf": INT_OR_STRING}),
        ({"allOf": [{"anyOf": INT_OR_STRING}]}, {"allOf": [{"anyOf": INT_OR_STRING}]}),
        ({"anyOf": [{"minimum": 1}]}, {"anyOf": [{"minimum": 1}], "allOf": [{"anyOf": INT_OR_STRING}]}),
    ],
)
def test_an_int_or_string_names_its_two_types(given: dict[str, Any], published: dict[str, Any]) -> None:
    extension = {"x-kubernetes-int-or-string": True}

    assert spec_in_v3({**extension, **given}) == {**extension, **published}


def test_an_embedded_resource_has_the_fields_of_all_objects() -> None:
    schema = spec_in_v3({"type": "object", "x-kubernetes-embedded-resource": True})

    assert schema["properties"]["metadata"] == OBJECT_META
    assert schema["required"] == ["kind", "apiVersion"]


def test_version_two_has_references_instead_of_clauses() -> None:
    schema = in_v2({"type": "object"})

    assert schema["properties"]["metadata"]["$ref"] == "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    assert "allOf" not in schema["properties"]["metadata"]


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ({"type": "string", "nullable": True, "maxLength": 3}, {"maxLength": 3}),
        ({"type": "string", "default": "x", "anyOf": [{"pattern": "a"}]}, {"type": "string"}),
        ({"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": {"type": "string"}}, None),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {}}}, None),
        (
            {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {}}},
        ),
    ],
)
def test_version_two_lacks_what_its_readers_do_not_understand(
    given: dict[str, Any], published: dict[str, Any] | None
) -> None:
    assert spec_in_v2(given) == (published or {"x-kubernetes-preserve-unknown-fields": True})


def test_version_two_says_nothing_about_the_fields_of_a_kind_that_keeps_unknown_ones() -> None:
    schema = in_v2({"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {}}})

    assert schema == {"type": "object", **KIND}
