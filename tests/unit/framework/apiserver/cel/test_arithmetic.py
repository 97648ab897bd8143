"""Numbers and logic behave as Python's do, within the limits of CEL."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.cel import CelCompiler, CelError

INTEGERS = st.integers(-(2**63), 2**63 - 1)
SMALL = st.integers(-50, 50)
VARIABLES = {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "boolean"}, "d": {"type": "boolean"}}
COMPILER = CelCompiler()
OPERATORS = {
    "+": COMPILER.compile("a + b", VARIABLES),
    "-": COMPILER.compile("a - b", VARIABLES),
    "*": COMPILER.compile("a * b", VARIABLES),
}
QUOTIENT = COMPILER.compile("(a / b) * b + a % b == a && (a % b == 0 || (a % b < 0) == (a < 0))", VARIABLES)
ORDER = COMPILER.compile("[a < b, a <= b, a > b, a >= b, a == b, a != b]", VARIABLES)
DYNAMIC_ORDER = COMPILER.compile("[a < b, a <= b, a > b, a >= b, a == b, a != b]", {"a": None, "b": None})
LOGIC = COMPILER.compile("[c && d, c || d, !c, c == d, c != d, c ? d : !d]", VARIABLES)
LISTS = COMPILER.compile("[x.sum(), x.min(), x.max()]", {"x": {"type": "array", "items": {"type": "integer"}}})
FOLDS = COMPILER.compile(
    "[x.all(e, e > y), x.exists(e, e > y), x.exists_one(e, e > y), y in x, x.isSorted()]",
    {"x": {"type": "array", "items": {"type": "integer"}}, "y": {"type": "integer"}},
)


@given(a=INTEGERS, b=INTEGERS, operator=st.sampled_from(sorted(OPERATORS)))
def test_integers_are_exact_or_overflow(a: int, b: int, operator: str) -> None:
    program, expected = OPERATORS[operator], {"+": a + b, "-": a - b, "*": a * b}[operator]

    if -(2**63) <= expected < 2**63:
        assert program.evaluate({"a": a, "b": b}) == expected
    else:
        with pytest.raises(CelError, match="integer overflow"):
            program.evaluate({"a": a, "b": b})


@given(a=INTEGERS, b=INTEGERS.filter(lambda number: number not in (0, -1)))
def test_the_remainder_has_the_sign_of_the_dividend(a: int, b: int) -> None:
    assert QUOTIENT.evaluate({"a": a, "b": b}) is True


@given(a=SMALL, b=SMALL)
def test_order_is_that_of_numbers(a: int, b: int) -> None:
    expected = [a < b, a <= b, a > b, a >= b, a == b, a != b]

    assert ORDER.evaluate({"a": a, "b": b}) == expected
    assert DYNAMIC_ORDER.evaluate({"a": a, "b": float(b)}) == expected


@given(c=st.booleans(), d=st.booleans())
def test_logic_is_that_of_booleans(c: bool, d: bool) -> None:  # noqa: FBT001 - two truth values are the subject
    assert LOGIC.evaluate({"c": c, "d": d}) == [c and d, c or d, not c, c == d, c != d, d if c else not d]


@given(x=st.lists(SMALL, min_size=1), y=SMALL)
def test_lists_are_folded_as_python_folds_them(x: list[int], y: int) -> None:
    above = [each for each in x if each > y]

    assert LISTS.evaluate({"x": x}) == [sum(x), min(x), max(x)]
    assert FOLDS.evaluate({"x": x, "y": y}) == [
        len(above) == len(x),
        bool(above),
        len(above) == 1,
        y in x,
        sorted(x) == x,
    ]
