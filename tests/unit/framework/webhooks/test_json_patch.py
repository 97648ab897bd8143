from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.apiserver.patch import json_patch as applied
from framework.apply.sameness import is_same
from framework.webhooks.json_patch import json_patch

NAMES = st.sampled_from(["a", "b", "a/b", "~", "~1", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_the_patch_makes_the_one_of_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert is_same(applied(before, json_patch(before, after)), after)


@settings(deadline=None)
@given(DOCUMENTS)
def test_nothing_differs_from_itself(document: dict[str, Any]) -> None:
    assert json_patch(document, document) == []


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, [{"op": "replace", "path": "/b", "value": 3}]),
        ({"a": True}, {"a": 1}, [{"op": "replace", "path": "/a", "value": 1}]),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, [{"op": "remove", "path": "/a/1"}]),
        ({"a": [1, 3]}, {"a": [1, 2, 3]}, [{"op": "add", "path": "/a/1", "value": 2}]),
        ({"a": [{"b": 1, "c": 1}]}, {"a": [{"b": 2, "c": 1}]}, [{"op": "replace", "path": "/a/0/b", "value": 2}]),
        ({"x/y": {"~": 1}}, {"x/y": {}}, [{"op": "remove", "path": "/x~1y/~0"}]),
    ],
)
def test_only_what_differs_is_touched(before: Any, after: Any, operations: list[dict[str, Any]]) -> None:
    assert json_patch(before, after) == operations
