from typing import Any

import pytest

from framework.apiserver.schema import StructuralSchema
from framework.errors import BadRequest
from tests.unit.framework.apiserver.schema.schemas import FREE, STRING, fields, listed, schema_of_spec

EMBEDDED = {**FREE, "x-kubernetes-embedded-resource": True}


def pruned(schema: StructuralSchema, spec: Any) -> tuple[Any, list[str]]:
    obj = {"spec": spec}
    dropped = schema.prune(obj)
    return obj["spec"], dropped


def test_unknown_fields_go_and_are_named_with_their_paths() -> None:
    schema = schema_of_spec(known=STRING, list=listed(fields({"a": STRING})))

    spec, dropped = pruned(schema, {"known": "x", "other": {"y": 1}, "list": [{"a": "1"}, {"b": 2}]})

    assert spec == {"known": "x", "list": [{"a": "1"}, {}]}
    assert dropped == ["spec.list[1].b", "spec.other"]


def test_the_fields_of_every_resource_stay_without_being_in_the_schema() -> None:
    obj = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": {}, "more": 1}

    dropped = schema_of_spec().prune(obj)

    assert obj == {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": {}}
    assert dropped == ["more"]


def test_unknown_and_empty_metadata_goes() -> None:
    obj: dict[str, Any] = {"metadata": {"name": "x", "foo": 1, "labels": {}, "creationTimestamp": None}}

    dropped = schema_of_spec().prune(obj)

    assert obj == {"metadata": {"name": "x"}}
    assert dropped == ["metadata.foo"]


def test_metadata_that_cannot_be_read_is_a_bad_request() -> None:
    with pytest.raises(
        BadRequest, match=r"cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
    ):
        schema_of_spec().prune({"kind": "A", "apiVersion": "a/v1", "metadata": {"labels": {"a": 1}}})


def test_unknown_fields_stay_where_the_schema_says_so_but_not_below_known_ones() -> None:
    schema = schema_of_spec(free={**FREE, "properties": {"known": fields({"a": STRING})}})

    spec, dropped = pruned(schema, {"free": {"x": {"y": 1}, "known": {"a": "1", "b": "2"}}})

    assert spec == {"free": {"x": {"y": 1}, "known": {"a": "1"}}}
    assert dropped == ["spec.free.known.b"]


def test_maps_of_anything_keep_scalars_only() -> None:
    schema = schema_of_spec(map={"type": "object", "additionalProperties": True})

    spec, dropped = pruned(schema, {"map": {"a": 1, "b": {"c": 1}}})

    assert spec == {"map": {"a": 1, "b": {}}}
    assert dropped == ["spec.map.b.c"]


def test_an_object_where_the_schema_has_a_scalar_is_emptied() -> None:
    spec, dropped = pruned(schema_of_spec(text=STRING), {"text": {"a": 1}})

    assert spec == {"text": {}}
    assert dropped == ["spec.text.a"]


def test_metadata_of_embedded_resources_is_pruned_and_the_rest_is_kept() -> None:
    schema = schema_of_spec(template=EMBEDDED)
    template = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "foo": 1}, "spec": {"any": 1}}

    spec, dropped = pruned(schema, {"template": template})

    assert spec["template"]["metadata"] == {"name": "a"}
    assert spec["template"]["spec"] == {"any": 1}
    assert dropped == ["spec.template.metadata.foo"]


def test_nothing_is_pruned_if_the_definition_preserves_unknown_fields() -> None:
    schema = StructuralSchema(fields({}), preserve_unknown=True)
    obj = {"spec": {"a": 1}}

    assert schema.prune(obj) == []
    assert obj == {"spec": {"a": 1}}
