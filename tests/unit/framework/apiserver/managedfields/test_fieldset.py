"""Sets of fields behave as sets of paths."""

from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.managedfields.fieldset import (
    FieldSet,
    Path,
    difference,
    difference_with_children,
    field_set,
    has,
    in_order,
    intersection,
    parsed,
    paths_of,
    union,
)

_ELEMENTS = st.sampled_from(["f:a", "f:b", 'k:{"n":1}', 'v:"x"'])
_PATHS = st.lists(_ELEMENTS, min_size=1, max_size=4).map(tuple)
_SETS = st.frozensets(_PATHS, max_size=8)


def _model(fields: FieldSet) -> frozenset[Path]:
    return frozenset(paths_of(fields))


@given(_SETS)
def test_a_set_has_exactly_the_paths_it_was_made_of(paths: frozenset[Path]) -> None:
    fields = field_set(paths)

    assert _model(fields) == paths
    assert all(has(fields, path) for path in paths)
    assert not has(fields, ("f:a", "f:a", "f:a", "f:a", "f:a"))


@given(_SETS, _SETS)
def test_the_operations_are_those_of_sets(left: frozenset[Path], right: frozenset[Path]) -> None:
    a, b = field_set(left), field_set(right)

    assert _model(union(a, b)) == left | right
    assert _model(intersection(a, b)) == left & right
    assert _model(difference(a, b)) == left - right


@given(_SETS, _SETS)
def test_the_difference_with_children_takes_what_is_below_too(left: frozenset[Path], right: frozenset[Path]) -> None:
    rest = difference_with_children(field_set(left), field_set(right))

    assert _model(rest) == {path for path in left if not any(path[: len(gone)] == gone for gone in right)}


@given(_SETS, _SETS)
def test_equal_sets_are_equal_documents_whatever_made_them(left: frozenset[Path], right: frozenset[Path]) -> None:
    a, b = field_set(left), field_set(right)

    assert union(a, b) == union(b, a) == field_set(left | right)
    assert difference(a, b) == field_set(left - right)
    assert intersection(a, b) == field_set(left & right)
    assert parsed(a) == a == in_order(a)


@given(_SETS, _SETS)
def test_operands_stay_as_they_are(left: frozenset[Path], right: frozenset[Path]) -> None:
    a, b = field_set(left), field_set(right)

    union(a, b), difference(a, b), intersection(a, b), difference_with_children(a, b)

    assert a == field_set(left)
    assert b == field_set(right)


@given(_SETS)
def test_what_changes_nothing_returns_the_same_set(paths: frozenset[Path]) -> None:
    fields = field_set(paths)

    assert difference(fields, {"f:other": {}}) is fields
    assert not fields or union(fields, fields) is fields


def test_members_of_a_level_come_before_what_is_deeper() -> None:
    fields: FieldSet = {"f:b": {}, "f:a": {".": {}, "f:z": {}}, 'k:{"n":10}': {}, 'k:{"n":9}': {}}

    assert list(paths_of(fields)) == [("f:a",), ("f:b",), ('k:{"n":9}',), ('k:{"n":10}',), ("f:a", "f:z")]


def test_reading_normalises_and_skips_what_the_future_brings() -> None:
    written = {".": {}, "f:a": {".": {}}, "f:b": {"z:new": {}}, 'k:{"b":1, "a":2.0}': {"f:c": None}}

    assert parsed(written) == {"f:a": {}, "f:b": {}, 'k:{"a":2,"b":1}': {"f:c": {}}}
