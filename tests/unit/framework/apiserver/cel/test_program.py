"""What a program tells about itself, what it costs, and what it does not load."""

import subprocess
import sys

import pytest

from framework.apiserver.cel import CelCompiler, CelError, CostExceeded


def test_names_are_the_variables_that_are_referred_to() -> None:
    schema = {"type": "object", "properties": {"oldSelf": {"type": "string"}}}
    compiler = CelCompiler()
    variables = {"self": schema, "oldSelf": schema}

    assert compiler.compile("self.oldSelf == 'x'", variables).names == {"self"}
    assert compiler.compile("self == oldSelf", variables).names == {"self", "oldSelf"}
    assert compiler.compile("[1].all(oldSelf, oldSelf == 1)", variables).names == set()


@pytest.mark.parametrize(
    ("text", "result_type"),
    [
        ("true", "bool"),
        ("'a'", "string"),
        ("[1]", "list(int)"),
        ("{'a': 1.0}", "map(string, double)"),
        ("dyn(1)", "dyn"),
        ("duration('1s')", "duration"),
        ("optional.of(1)", "optional_type(int)"),
        ("quantity('1')", "kubernetes.Quantity"),
        ("type(1)", "type(int)"),
        ("null", "null"),
    ],
)
def test_the_type_of_the_result_is_known_before_it_is_evaluated(text: str, result_type: str) -> None:
    assert CelCompiler().compile(text, {}).result_type == result_type


@pytest.mark.parametrize(
    "text",
    [
        "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))",
        "lists.range(100000000).size() > 0",
        "self.map(a, self.map(b, self)).size() >= 0 && self.map(a, self.map(b, self.map(c, 1))).size() >= 0",
        "self.distinct().size() + self.map(x, self.distinct().size()).size() >= 0",
        "false || self.exists(a, self.all(b, self.exists(c, a + b + c < 0))) || true",
    ],
)
def test_an_evaluation_that_would_take_too_long_is_cancelled(text: str) -> None:
    program = CelCompiler().compile(text, {"self": {"type": "array", "items": {"type": "integer"}}})

    with pytest.raises(CostExceeded, match="operation cancelled: actual cost limit exceeded"):
        program.evaluate({"self": list(range(1000))})


def test_text_cannot_grow_without_end() -> None:
    doubled = "self"
    for _ in range(4):
        doubled = f"({doubled}).replace('a', 'aaaaaaaaaa')"
    program = CelCompiler().compile(f"[1, 2, 3].all(x, {doubled}.size() > x)", {"self": {"type": "string"}})

    with pytest.raises(CostExceeded):
        program.evaluate({"self": "a" * 1000})


def test_cost_counts_rounds_and_can_be_limited() -> None:
    program = CelCompiler().compile("self.all(x, x > 0)", {"self": {"type": "array", "items": {"type": "integer"}}})

    result, cost = program.evaluate_with_cost({"self": [1] * 100})

    assert result is True
    assert 200 <= cost <= 400
    with pytest.raises(CostExceeded):
        program.evaluate_with_cost({"self": [1] * 100}, limit=100)


def test_a_pattern_that_others_backtrack_on_takes_linear_time() -> None:
    program = CelCompiler().compile("self.matches('^(a+)+$')", {"self": {"type": "string"}})

    assert program.evaluate({"self": "a" * 5000 + "!"}) is False


def test_a_value_that_does_not_fit_its_schema_is_an_error_of_the_expression() -> None:
    program = CelCompiler().compile("self.x.y == 'a'", {"self": nested("x", nested("y", {"type": "string"}))})

    with pytest.raises(CelError):
        program.evaluate({"self": {"x": "text"}})


def nested(name: str, schema: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": {name: schema}}


def test_nothing_is_loaded_before_the_first_expression() -> None:
    question = (
        "import sys; import framework.apiserver.cel as cel; cel.CelCompiler(); "
        "print([name for name in sys.modules if 'cel_expr' in name or name == 're2' or name.endswith('cel.checker')])"
    )

    answer = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "[]"
