from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from framework.apiserver.schema import StructuralSchema
from framework.apiserver.schema.json_schema import parse_schema
from framework.apiserver.schema.quick import compile_check
from framework.apiserver.schema.values import value_errors
from tests.unit.framework.apiserver.schema.schemas import (
    FREE,
    INTEGER,
    STRING,
    fields,
    keyed,
    listed,
    ruled,
    schema_of_spec,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats(-3, 12) | st.sampled_from(["", "a", "aa", "b", "1h"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
LEAVES: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "string", "minLength": 1, "maxLength": 1},
    {"type": "string", "pattern": "^a", "nullable": True},
    {"type": "string", "enum": ["a", "b"], "nullable": True},
    {"type": "string", "format": "duration"},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "maximum": 5, "exclusiveMaximum": True, "multipleOf": 2},
    {"type": "integer", "enum": [1, 2], "minimum": 2},
    {"type": "integer", "minimum": 0.5},
    {"type": "number", "minimum": 0.5},
    {"type": "number", "enum": [1, 2.5]},
    {"type": "boolean"},
    {"x-kubernetes-int-or-string": True, "pattern": "^a"},
    {"x-kubernetes-preserve-unknown-fields": True},
    {"x-kubernetes-preserve-unknown-fields": True, "required": ["a"]},
    {"type": "object", "minProperties": 1, "maxProperties": 1},
    {"type": "object", "additionalProperties": False},
]
SCHEMAS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        st.builds(lambda items: {"type": "array", "items": items, "maxItems": 2}, inner)
        | st.builds(lambda value: {"type": "object", "additionalProperties": value}, inner)
        | st.builds(lambda a, b: fields({"a": a, "b": b}, required=["a"]), inner, inner)
        | st.builds(
            lambda one, junctor: {**one, **junctor},
            inner,
            st.sampled_from(
                [
                    {"anyOf": [{"maxLength": 0}, {"minimum": 3}]},
                    {"oneOf": [{"pattern": "a"}, {"minLength": 2}]},
                    {"allOf": [{"maximum": 4}, {"maxItems": 1}]},
                    {"not": {"required": ["b"]}},
                ]
            ),
        )
    ),
    max_leaves=4,
)


@given(SCHEMAS, JSON)
@example({"allOf": [{"maxItems": 1}]}, [None, None])
@example({"allOf": [{"minProperties": 1}]}, {})
@settings(max_examples=500, deadline=None)
def test_what_is_quickly_found_valid_has_no_errors(document: Any, value: Any) -> None:
    schema = parse_schema(document)

    is_quickly_valid = compile_check(schema)(value)

    assert not (is_quickly_valid and value_errors(schema, value))


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (INTEGER, "string", 'spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'),
        (STRING, None, 'spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'),
        (
            {**STRING, "enum": ["A", "B"]},
            "X",
            'spec.x: Unsupported value: "X": supported values: "A", "B"',
        ),
        ({**STRING, "pattern": "^a$"}, "abc", "spec.x: Invalid value: \"abc\": spec.x in body should match '^a$'"),
        ({**STRING, "maxLength": 5}, "abcdef", "spec.x: Too long: may not be more than 5 bytes"),
        ({**STRING, "minLength": 2}, "a", 'spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long'),
        ({**STRING, "format": "date"}, "a", 'spec.x: Invalid value: "a": spec.x in body must be of type date: "a"'),
        ({**INTEGER, "maximum": 5}, 6, "spec.x: Invalid value: 6: spec.x in body should be less than or equal to 5"),
        (
            {**INTEGER, "minimum": 5, "exclusiveMinimum": True},
            5,
            "spec.x: Invalid value: 5: spec.x in body should be greater than 5",
        ),
        ({**INTEGER, "multipleOf": 2}, 3, "spec.x: Invalid value: 3: spec.x in body should be a multiple of 2"),
        (
            {**INTEGER, "format": "int32"},
            2**31,
            '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x',
        ),
        (listed(STRING, maxItems=1), ["a", "b"], "spec.x: Too many: 2: must have at most 1 item"),
        (listed(STRING, minItems=1), [], "spec.x: Invalid value: 0: spec.x in body should have at least 1 items"),
        (fields({"a": STRING}, required=["a"]), {}, "spec.x.a: Required value"),
        (
            {**STRING, "not": {"enum": ["a"]}},
            "a",
            '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)',
        ),
        (listed(STRING, **{"x-kubernetes-list-type": "set"}), ["a", "a"], 'spec.x[1]: Duplicate value: "a"'),
        (
            keyed(fields({"a": STRING, "b": INTEGER}), "a", "b"),
            [{"b": 1, "a": "x"}, {"a": "x", "b": 1}],
            'spec.x[1]: Duplicate value: {"a":"x","b":1}',
        ),
        ({**FREE, "x-kubernetes-embedded-resource": True}, {"kind": "Pod"}, "spec.x.apiVersion: Required value"),
    ],
)
def test_errors_have_the_words_of_the_real_server(schema: Any, value: Any, message: str) -> None:
    errors = schema_of_spec(x=schema).validate({"spec": {"x": value}})

    assert [str(error) for error in errors] == [message]


def test_the_alternative_that_fits_best_explains_what_is_wrong() -> None:
    choice = {"anyOf": [{"required": ["b"]}, {"required": ["a"], "properties": {"a": {"maxLength": 1}}}]}
    schema = schema_of_spec(x=fields({"a": STRING, "b": STRING}, **choice))

    errors = schema.validate({"spec": {"x": {"a": "long"}}})

    assert [str(error) for error in errors] == [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        "spec.x.a: Too long: may not be more than 1 byte",
    ]


def test_rules_wait_until_the_schema_is_obeyed() -> None:
    schema = schema_of_spec(x=ruled(INTEGER, "self > 5"), y=INTEGER)

    errors = schema.validate({"spec": {"x": 1, "y": "wrong"}})

    assert [error.field for error in errors] == ["spec.y", "<nil>"]
    assert "some validation rules were not checked" in errors[1].detail


def test_a_schema_without_a_word_about_status_takes_any() -> None:
    schema = StructuralSchema(fields({"spec": FREE}))

    assert schema.validate_status_update({"status": {"a": 1}}, {}) == []
