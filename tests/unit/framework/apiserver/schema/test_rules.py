from collections.abc import Mapping
from typing import Any

import pytest

from framework.apiserver.cel import CelError
from framework.apiserver.fields import FieldError
from framework.apiserver.schema import StructuralSchema
from tests.unit.framework.apiserver.schema.schemas import INTEGER, STRING, fields, ruled


class Fixed:
    """A program with a known outcome."""

    names = frozenset({"self"})

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome
        self.result_type = "string" if isinstance(outcome, str) else "bool"

    def evaluate(self, values: Mapping[str, Any]) -> Any:  # noqa: ARG002 - the outcome is known
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


def errors_of(rule: Any, schema: Any, outcomes: dict[str, Any]) -> list[FieldError]:
    document = fields({"x": {**schema, "x-kubernetes-validations": [rule]}})
    compiled = StructuralSchema(document, compile_expression=lambda text, _: Fixed(outcomes[text]))
    return compiled.validate({"x": {} if schema["type"] == "object" else 1})


@pytest.mark.parametrize(
    ("rule", "schema", "message"),
    [
        ({"rule": "no"}, INTEGER, "x: Invalid value: 1: failed rule: no"),
        ({"rule": "no"}, fields({}), "x: Invalid value: failed rule: no"),
        ({"rule": "no", "message": " why "}, INTEGER, "x: Invalid value: 1: why"),
        ({"rule": "no", "message": "m", "messageExpression": "said"}, INTEGER, "x: Invalid value: 1: words"),
        ({"rule": "no", "message": "m", "messageExpression": "two lines"}, INTEGER, "x: Invalid value: 1: m"),
        ({"rule": "no", "message": "m", "messageExpression": "breaks"}, INTEGER, "x: Invalid value: 1: m"),
        ({"rule": "no", "reason": "FieldValueForbidden"}, INTEGER, "x: Forbidden: failed rule: no"),
        ({"rule": "no", "reason": "FieldValueRequired"}, INTEGER, "x: Required value: failed rule: no"),
        ({"rule": "no", "reason": "FieldValueDuplicate"}, INTEGER, "x: Duplicate value: 1"),
        ({"rule": "no", "fieldPath": ".a"}, fields({"a": STRING}), "x.a: Invalid value: failed rule: no"),
        ({"rule": "fails"}, INTEGER, 'x: Invalid value: "integer": no such key: y evaluating rule: fails'),
        (
            {"rule": "overload"},
            INTEGER,
            (
                "x: Invalid value: \"integer\": 'no such overload': call arguments did not match a supported operator, "
                "function or macro signature for rule: overload"
            ),
        ),
    ],
)
def test_a_broken_rule_is_reported_as_it_asks_for(rule: Any, schema: Any, message: str) -> None:
    outcomes = {
        "no": False,
        "said": " words ",
        "two lines": "a\nb",
        "breaks": CelError("x"),
        "fails": CelError("no such key: y"),
        "overload": CelError("no such overload"),
    }

    assert [str(error) for error in errors_of(rule, schema, outcomes)] == [message]


def test_rules_see_the_name_of_the_object() -> None:
    schema = StructuralSchema(ruled(fields({}), "self.metadata.name == 'good'"))

    assert schema.validate({"metadata": {"name": "good"}}) == []
    assert len(schema.validate({"metadata": {"name": "bad"}})) == 1
