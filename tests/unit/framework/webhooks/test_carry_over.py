"""What a typed mutation does to the document that it does not know all of."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.webhooks.carry_over import carry_over
from tests.unit.framework.webhooks.widgets import Part, Widget, WidgetSpec


def mutated(document: dict[str, Any], **changes: Any) -> Any:
    """The spec of *document* after a change of some fields of the typed one."""
    before = msgspec.convert(document, Widget)
    after = msgspec.structs.replace(before, spec=msgspec.structs.replace(before.spec, **changes))
    return carry_over(document, before, after)["spec"]


@pytest.mark.parametrize(
    ("spec", "changes", "expected"),
    [
        ({"size": 2, "secretSauce": 1}, {"size": 3}, {"size": 3, "secretSauce": 1}),
        # Equal to the default, and set on purpose all the same.
        ({"size": 2}, {"size": 1}, {"size": 1}),
        ({"colour": "red", "x": 1}, {"colour": None}, {"x": 1}),
        ({}, {"colour": "red"}, {"colour": "red"}),
        ({"texts": {"a": "1", "b": "2"}}, {"texts": {"b": "2", "c": "3"}}, {"texts": {"b": "2", "c": "3"}}),
        ({"numbers": [1, 2, 3]}, {"numbers": [3, 1]}, {"numbers": [3, 1]}),
        ({"mainPart": {"name": "a", "x": 1}}, {"main_part": Part(name="b")}, {"mainPart": {"name": "b", "x": 1}}),
        ({}, {"main_part": Part(name="b")}, {"mainPart": {"name": "b"}}),
        # An item is recognised when it is the same, moved or not,
        (
            {"parts": [{"name": "a", "x": 1}, {"name": "b", "x": 2}]},
            {"parts": [Part(name="new"), Part(name="b"), Part(name="a")]},
            {"parts": [{"name": "new"}, {"name": "b", "x": 2}, {"name": "a", "x": 1}]},
        ),
        # and by its name when it is not the same.
        (
            {"parts": [{"name": "a", "x": 1}, {"name": "b", "x": 2}]},
            {"parts": [Part(name="new"), Part(name="a", size=5)]},
            {"parts": [{"name": "new"}, {"name": "a", "size": 5, "x": 1}]},
        ),
        ({"parts": [{"name": "a", "x": 1}]}, {"parts": []}, {"parts": []}),
    ],
)
def test_only_what_was_changed_is_written(spec: Any, changes: Any, expected: Any) -> None:
    assert mutated({"metadata": {"name": "w"}, "spec": spec}, **changes) == expected


def test_a_part_that_was_there_by_default_gets_only_what_differs() -> None:
    document = {"metadata": {"name": "w"}}
    before = msgspec.convert(document, Widget)
    after = msgspec.structs.replace(before, spec=WidgetSpec(colour="red"))

    assert carry_over(document, before, after) == {"metadata": {"name": "w"}, "spec": {"colour": "red"}}


def test_metadata_that_the_type_does_not_know_stays() -> None:
    document = {"metadata": {"name": "w", "managedFields": [1], "labels": {"a": "b"}}, "spec": {}}
    before = msgspec.convert(document, Widget)
    metadata = msgspec.structs.replace(before.metadata, labels={"a": "b", "c": "d"})

    result = carry_over(document, before, msgspec.structs.replace(before, metadata=metadata))

    assert result["metadata"] == {"name": "w", "managedFields": [1], "labels": {"a": "b", "c": "d"}}


def test_the_document_itself_is_left_alone() -> None:
    document = {"metadata": {"name": "w"}, "spec": {"parts": [{"name": "a"}]}}

    mutated(document, parts=[Part(name="a", size=2)])

    assert document == {"metadata": {"name": "w"}, "spec": {"parts": [{"name": "a"}]}}


PARTS = st.lists(
    st.builds(Part, name=st.sampled_from("abcdef"), size=st.integers(1, 3)),
    max_size=5,
    unique_by=lambda part: part.name,
)
SPECS = st.builds(
    WidgetSpec,
    size=st.integers(1, 3),
    colour=st.none() | st.sampled_from(["red", "blue"]),
    main_part=st.none() | st.builds(Part, name=st.sampled_from("ab"), size=st.integers(1, 3)),
    parts=PARTS,
    texts=st.dictionaries(st.sampled_from("xyz"), st.sampled_from("12")),
    numbers=st.lists(st.integers(0, 2), max_size=4),
)


@settings(max_examples=300, deadline=None)
@given(SPECS, SPECS)
def test_whatever_is_changed_arrives_and_nothing_unknown_is_lost(old: WidgetSpec, new: WidgetSpec) -> None:
    document = msgspec.to_builtins(Widget(spec=old))
    spec = document.setdefault("spec", {})
    spec["unknown"] = "spec"
    for part in spec.get("parts", []):
        part["unknown"] = part["name"]
    before = msgspec.convert(document, Widget)

    result = carry_over(document, before, msgspec.structs.replace(before, spec=new))

    assert msgspec.convert(result, Widget).spec == new
    assert result["spec"]["unknown"] == "spec"
    known = {part.name for part in old.parts}
    for part in result["spec"].get("parts", []):
        assert part.get("unknown") == (part["name"] if part["name"] in known else None)
