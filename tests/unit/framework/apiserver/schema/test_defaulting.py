from typing import Any

from framework.apiserver.schema import StructuralSchema
from tests.unit.framework.apiserver.schema.schemas import INTEGER, STRING, fields, listed, schema_of_spec


def defaulted(schema: StructuralSchema, spec: Any) -> Any:
    obj = {"spec": spec}
    schema.default(obj)
    return obj["spec"]


def test_defaults_are_filled_in_below_defaults() -> None:
    schema = schema_of_spec(a=fields({"b": fields({"c": {**STRING, "default": "deep"}}, default={})}, default={}))

    assert defaulted(schema, {}) == {"a": {"b": {"c": "deep"}}}


def test_defaults_of_items_and_of_values_of_maps_are_filled_in() -> None:
    inner = fields({"mode": {**STRING, "default": "on"}})
    schema = schema_of_spec(list=listed(inner), map={"type": "object", "additionalProperties": inner})

    assert defaulted(schema, {"list": [{}, {"mode": "off"}], "map": {"x": {}}}) == {
        "list": [{"mode": "on"}, {"mode": "off"}],
        "map": {"x": {"mode": "on"}},
    }


def test_a_null_that_is_not_allowed_gives_way_to_the_default_or_goes() -> None:
    nullable = {**STRING, "nullable": True}
    schema = schema_of_spec(a={**STRING, "default": "x"}, b=STRING, c=nullable, d={**nullable, "default": "x"})

    assert defaulted(schema, {"a": None, "b": None, "c": None, "d": None}) == {"a": "x", "c": None, "d": None}


def test_null_items_stay_unless_items_have_a_default() -> None:
    schema = schema_of_spec(without=listed(STRING), given=listed({**INTEGER, "default": 3}))

    assert defaulted(schema, {"without": [None], "given": [None, 1]}) == {"without": [None], "given": [3, 1]}


def test_objects_do_not_share_a_default() -> None:
    schema = schema_of_spec(a={"type": "object", "additionalProperties": STRING, "default": {"x": "y"}})
    first, second = defaulted(schema, {}), defaulted(schema, {})

    first["a"]["x"] = "changed"

    assert second["a"] == {"x": "y"}
