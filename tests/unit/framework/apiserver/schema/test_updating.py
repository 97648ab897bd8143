from typing import Any

from framework.apiserver.schema import StructuralSchema
from tests.unit.framework.apiserver.schema.schemas import INTEGER, STRING, fields, keyed, listed, ruled, schema_of_spec

SMALL = {"type": "integer", "maximum": 10}
ITEM = fields({"name": STRING, "size": SMALL})


def fields_with_errors(schema: StructuralSchema, new: Any, old: Any) -> list[str]:
    return [error.field for error in schema.validate_update({"spec": new}, {"spec": old})]


def test_what_has_not_changed_may_stay_invalid() -> None:
    schema = schema_of_spec(a=SMALL, b=SMALL)

    assert fields_with_errors(schema, {"a": 11, "b": 12}, {"a": 11, "b": 1}) == ["spec.b"]


def test_items_of_map_lists_are_found_by_their_key() -> None:
    schema = schema_of_spec(x=keyed(ITEM, "name"))
    old = [{"name": "a", "size": 11}, {"name": "b", "size": 1}]

    assert fields_with_errors(schema, {"x": [{"name": "b", "size": 12}, old[0]]}, {"x": old}) == ["spec.x[0].size"]


def test_items_of_other_lists_are_not_told_apart() -> None:
    schema = schema_of_spec(x=listed(ITEM))
    old = [{"name": "a", "size": 11}]

    assert fields_with_errors(schema, {"x": old}, {"x": old}) == []
    assert fields_with_errors(schema, {"x": [*old, {"name": "b"}]}, {"x": old}) == ["spec.x[0].size"]


def test_a_list_that_had_duplicates_may_have_more() -> None:
    schema = schema_of_spec(x=listed(STRING, **{"x-kubernetes-list-type": "set"}))

    assert fields_with_errors(schema, {"x": ["a", "a"]}, {"x": ["a"]}) == ["spec.x[1]"]
    assert fields_with_errors(schema, {"x": ["a", "a", "b", "b"]}, {"x": ["a", "a"]}) == []


def test_rules_forgive_what_has_not_changed() -> None:
    schema = schema_of_spec(x=ruled(fields({"low": INTEGER, "high": INTEGER}), "self.low <= self.high"), y=STRING)
    bad = {"low": 2, "high": 1}

    assert fields_with_errors(schema, {"x": bad, "y": "new"}, {"x": bad, "y": "old"}) == []
    assert fields_with_errors(schema, {"x": {"low": 3, "high": 1}}, {"x": bad}) == ["spec.x"]


def test_rules_about_changes_see_the_old_value_through_map_lists() -> None:
    item = ruled(fields({"name": STRING, "size": INTEGER}), "self.size >= oldSelf.size", message="shrinks")
    schema = schema_of_spec(x=keyed(item, "name"))
    old = [{"name": "a", "size": 1}, {"name": "b", "size": 5}]
    new = [{"name": "b", "size": 4}, {"name": "a", "size": 2}, {"name": "c", "size": 0}]

    errors = schema.validate_update({"spec": {"x": new}}, {"spec": {"x": old}})

    assert [str(error) for error in errors] == ["spec.x[0]: Invalid value: shrinks"]


def test_a_rule_with_an_optional_old_value_is_evaluated_on_creation() -> None:
    rule = ruled(INTEGER, "self >= oldSelf.orValue(5)", optionalOldSelf=True)
    schema = schema_of_spec(x=rule)

    assert [error.field for error in schema.validate({"spec": {"x": 4}})] == ["spec.x"]
    assert fields_with_errors(schema, {"x": 2}, {"x": 1}) == []


def test_status_is_named_from_its_own_root_in_a_write_to_status() -> None:
    schema = StructuralSchema(fields({"status": fields({"count": SMALL})}))

    errors = schema.validate_status_update({"status": {"count": 11}}, {"status": {"count": 1}})

    assert [str(error) for error in errors] == [
        "status.count: Invalid value: 11: count in body should be less than or equal to 10"
    ]
