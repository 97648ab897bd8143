from typing import Any

from framework.apiserver.managedfields import ANYTHING, schema_from_json
from framework.apiserver.managedfields.applied import fields_of
from framework.apiserver.managedfields.comparison import compare

_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_DEFINITIONS: dict[str, Any] = {
    _META: {"type": "object", "properties": {"name": {"type": "string"}}},
    "Tree": {
        "type": "object",
        "required": ["leaves"],
        "properties": {
            "left": {"$ref": "#/components/schemas/Tree"},
            "right": {"allOf": [{"$ref": "#/components/schemas/Tree"}], "x-kubernetes-map-type": "atomic"},
            "part": {"allOf": [{"$ref": "#/components/schemas/Part"}], "default": {}},
            "leaves": {
                "type": "array",
                "items": {"type": "string"},
                "x-kubernetes-patch-strategy": "merge",
            },
        },
    },
    "Part": {"type": "object", "properties": {"size": {"type": "integer"}, "text": {"type": "string", "default": ""}}},
}
_KIND = {
    "type": "object",
    "properties": {
        "metadata": {"allOf": [{"$ref": f"#/components/schemas/{_META}"}], "default": {}},
        "tree": {"$ref": "#/components/schemas/Tree"},
    },
}


def test_types_that_refer_to_themselves_are_followed_as_deep_as_values_go() -> None:
    node = schema_from_json(_KIND, _DEFINITIONS)

    fields = fields_of(node, {"tree": {"left": {"left": {"leaves": ["a"]}}}})

    assert fields == {"f:tree": {"f:left": {"f:left": {"f:leaves": {'v:"a"': {}}}}}}


def test_a_reference_can_make_its_type_atomic() -> None:
    node = schema_from_json(_KIND, _DEFINITIONS)

    assert fields_of(node, {"tree": {"right": {"leaves": ["a"]}}}) == {"f:tree": {"f:right": {}}}


def test_parts_that_a_go_struct_always_has_are_not_added_with_what_is_in_them() -> None:
    node = schema_from_json(_KIND, _DEFINITIONS)

    added = compare(node, {"tree": {}}, {"tree": {"part": {"size": 1, "text": ""}, "leaves": ["a"]}}).set_fields

    assert added == {"f:tree": {"f:part": {"f:size": {}}, "f:leaves": {'v:"a"': {}}}}


def test_custom_resources_get_the_metadata_of_all_objects() -> None:
    node = schema_from_json({"type": "object", "properties": {"metadata": {"type": "object"}}})
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}

    fields = fields_of(node, {"metadata": {"labels": {"a": "b"}, "finalizers": ["f"], "ownerReferences": [owner]}})

    assert fields == {
        "f:metadata": {
            "f:labels": {"f:a": {}},
            "f:finalizers": {'v:"f"': {}},
            "f:ownerReferences": {'k:{"uid":"u"}': {}},
        }
    }


def test_embedded_resources_get_it_too() -> None:
    template = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    node = schema_from_json({"type": "object", "properties": {"template": template}})

    fields = fields_of(node, {"template": {"kind": "Pod", "metadata": {"finalizers": ["f"]}, "other": {"a": [1]}}})

    assert fields == {
        "f:template": {
            "f:kind": {},
            "f:metadata": {"f:finalizers": {'v:"f"': {}}},
            "f:other": {".": {}, "f:a": {}},
        }
    }


def test_without_a_schema_lists_are_whole_and_objects_are_not() -> None:
    assert fields_of(ANYTHING, {"a": {"b": [1, {"c": 2}]}, "d": {}}) == {
        "f:a": {".": {}, "f:b": {}},
        "f:d": {},
    }
