"""How values with a schema look to an expression."""

from typing import Any

import pytest

from framework.apiserver.cel import CelCompiler, CelError, Optional

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}


def evaluate(text: str, schema: dict[str, Any], value: Any, old: Any = None) -> Any:
    return CelCompiler().compile(text, {"self": schema, "oldSelf": schema}).evaluate({"self": value, "oldSelf": old})


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"type": "number"}, 1, "self == 1.0 && type(self) == double"),
        (INTEGER, 1, "type(self) == int"),
        ({"type": "boolean"}, True, "self"),
        ({**TEXT, "format": "date-time"}, "2024-01-01T00:00:00Z", "self == timestamp('2024-01-01T01:00:00+01:00')"),
        ({**TEXT, "format": "date"}, "2024-01-01", "self.getFullYear() == 2024"),
        ({**TEXT, "format": "duration"}, "1 day", "self == duration('24h')"),
        ({**TEXT, "format": "byte"}, "YWJj", "self == b'abc'"),
        ({"x-kubernetes-int-or-string": True}, "5%", "type(self) == string && self == '5%'"),
        ({"x-kubernetes-int-or-string": True}, 5, "type(self) == int && self == 5"),
        ({"type": "object", "additionalProperties": INTEGER}, {"a-b": 1}, "self['a-b'] == 1 && 'a-b' in self"),
        ({"type": "array", "items": {"type": "number"}}, [1, 2], "self.all(x, x > 0.5) && self[0] == 1.0"),
        (an_object(x=an_object(y=TEXT)), {"x": {"y": "z"}}, "self.x.y == 'z' && type(self.x) == map"),
    ],
)
def test_the_schema_decides_the_type(schema: dict[str, Any], value: Any, text: str) -> None:
    assert evaluate(text, schema, value) is True


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("a-b", "a__dash__b"),
        ("a.b", "a__dot__b"),
        ("a/b", "a__slash__b"),
        ("a__b", "a__underscores__b"),
        ("if", "__if__"),
        ("namespace", "__namespace__"),
        ("redact__d", "redact__underscores__d"),
        ("string", "string"),
    ],
)
def test_names_that_are_no_identifiers_are_escaped(key: str, name: str) -> None:
    schema = an_object(**{key: INTEGER, "other": {**TEXT, "format": "duration"}})

    assert evaluate(f"self.{name} == 1", schema, {key: 1}) is True
    assert evaluate("self == oldSelf", schema, {key: 1, "other": "1h"}, {key: 1, "other": "60m"}) is True


def test_a_null_property_is_absent_and_a_null_element_is_null() -> None:
    schema = an_object(x={**TEXT, "nullable": True}, items={"type": "array", "items": {**TEXT, "nullable": True}})

    assert evaluate("has(self.x)", schema, {"x": None}) is False
    assert evaluate("self.items.all(i, dyn(i) == null)", schema, {"items": [None]}) is True
    with pytest.raises(CelError, match="no such key: x"):
        evaluate("self.x == ''", schema, {"x": None})


def test_null_where_none_is_allowed_is_an_error() -> None:
    with pytest.raises(CelError, match="invalid data, got null for schema with nullable=false"):
        evaluate("self[0] == 1", {"type": "array", "items": INTEGER}, [None])


def test_of_a_resource_only_type_and_name_can_be_seen() -> None:
    schema = {**an_object(spec=an_object()), "x-kubernetes-embedded-resource": True}
    resource = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "it", "labels": {}}, "spec": {}}

    assert evaluate("self.metadata.name + self.kind + self.apiVersion", schema, resource) == "itPodv1"
    with pytest.raises(CelError, match="undefined field 'labels'"):
        evaluate("self.metadata.labels", schema, resource)


def test_lists_that_are_sets_compare_and_add_as_sets() -> None:
    schema = {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}

    assert evaluate("self == oldSelf", schema, ["a", "b"], ["b", "a"]) is True
    assert evaluate("self == oldSelf", schema, ["a", "b"], ["a"]) is False
    assert evaluate("self + oldSelf", schema, ["a", "b"], ["c", "b"]) == ["a", "b", "c"]


def test_lists_that_are_maps_compare_and_add_by_key() -> None:
    schema = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": an_object(k=TEXT, v=INTEGER),
    }
    old = [{"k": "b", "v": 2}, {"k": "a", "v": 1}]

    assert evaluate("self == oldSelf", schema, [{"k": "a", "v": 1}, {"k": "b", "v": 2}], old) is True
    assert evaluate("self == oldSelf", schema, [{"k": "a", "v": 2}, {"k": "b", "v": 2}], old) is False
    assert evaluate("(self + oldSelf).map(e, e.v)", schema, [{"k": "a", "v": 7}, {"k": "c", "v": 3}], old) == [1, 3, 2]


def test_an_optional_variable_may_be_absent() -> None:
    schema = an_object(time={**TEXT, "format": "date-time"}, n=INTEGER)
    program = CelCompiler().compile(
        "oldSelf.hasValue() ? self.n > oldSelf.value().n && self.time >= oldSelf.time.value() : self.n == 0",
        {"self": schema, "oldSelf": Optional(schema)},
    )
    time = "2024-01-01T00:00:00Z"

    assert program.evaluate({"self": {"n": 0}, "oldSelf": Optional()}) is True
    assert program.evaluate({"self": {"n": 1}, "oldSelf": Optional()}) is False
    assert program.evaluate({"self": {"n": 2, "time": time}, "oldSelf": Optional({"n": 1, "time": time})}) is True


def test_booleans_are_no_numbers_even_where_everything_is_preserved() -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

    assert evaluate("self == oldSelf", schema, {"x": True}, {"x": 1}) is False
    assert evaluate("self == oldSelf", schema, {"x": 1}, {"x": 1.0}) is True
