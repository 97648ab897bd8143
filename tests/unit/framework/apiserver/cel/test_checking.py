"""What does not compile, and what is said about it."""

from typing import Any

import pytest

from framework.apiserver.cel import CelCompiler, CelError

SELF: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "untyped": {"x-kubernetes-preserve-unknown-fields": True},
        "a$b": {"type": "string"},
    },
}
PROBLEMS = {
    "self.foo": "undefined field 'foo'",
    "has(self.foo)": "undefined field 'foo'",
    "self.any.foo": "undefined field 'foo'",
    "self.untyped": "undefined field 'untyped'",
    "foo": "undeclared reference to 'foo' (in container '')",
    "foo(1)": "undeclared reference to 'foo' (in container '')",
    "self.text.foo()": "undeclared reference to 'foo' (in container '')",
    "self.text + 1": "found no matching overload for '_+_' applied to '(string, int)'",
    "self.share == 1": "found no matching overload for '_==_' applied to '(double, int)'",
    "self.text == null": "found no matching overload for '_==_' applied to '(string, null)'",
    "self.text.startsWith(1)": "found no matching overload for 'startsWith' applied to 'string.(int)'",
    "self.text && true": "expected type 'bool' but found 'string'",
    "self.text.all(x, true)": (
        "expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)"
    ),
    "self.text.x": "type 'string' does not support field selection",
    "[1, 'a']": "expected type 'int' but found 'string'",
    "has(self)": "invalid argument to has() macro",
    "[1].all(1, true)": "argument must be a simple name",
    "{'a': 1}.transformList(k, k, 1)": "duplicate variable name: k",
    "self.text.matches('(')": "invalid matches argument",
    "duration('x')": "invalid duration argument",
    "timestamp('x')": "invalid timestamp argument",
    "'%d'.format(['a'])": "error during formatting: decimal clause can only be used on integers, was given string",
    "'%s'.format(['a', 'b'])": "too many arguments supplied to string.format (expected 1, got 2)",
    "self.`text`": "unsupported syntax: '`'",
    "if": "reserved identifier: if",
    "Message{}": "undeclared reference to 'Message' (in container '')",
    "authorizer.path('/')": "undeclared reference to 'authorizer' (in container '')",
    "1 +": "Syntax error: mismatched input '<EOF>'",
}


@pytest.mark.parametrize(("text", "message"), PROBLEMS.items())
def test_the_problem_is_named_as_the_real_server_names_it(text: str, message: str) -> None:
    with pytest.raises(CelError) as refused:
        CelCompiler().compile(text, {"self": SELF})

    assert f": {message}" in str(refused.value).splitlines()[0]


def test_a_problem_is_shown_at_its_place() -> None:
    with pytest.raises(CelError) as refused:
        CelCompiler().compile("true &&\n\tself.foo == 'ä' && bar", {"self": SELF})

    assert str(refused.value) == (
        "ERROR: <input>:2:6: undefined field 'foo'\n |  self.foo == 'ä' && bar\n | .....^\n"
        "ERROR: <input>:2:21: undeclared reference to 'bar' (in container '')\n"
        " |  self.foo == 'ä' && bar\n | ..............．.....^"  # noqa: RUF001 - as wide as the letter above it
    )


def test_a_dynamic_variable_is_checked_only_when_it_is_evaluated() -> None:
    program = CelCompiler().compile("object.spec.replicas > 1", {"object": None})

    assert program.evaluate({"object": {"spec": {"replicas": 2}}}) is True
    with pytest.raises(CelError, match="no such key: spec"):
        program.evaluate({"object": {}})


def test_nesting_has_a_limit() -> None:
    with pytest.raises(CelError, match="expression recursion limit exceeded"):
        CelCompiler().compile("(" * 300 + "1" + ")" * 300, {})
