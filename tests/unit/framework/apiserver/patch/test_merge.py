from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.patch import merge_patch
from framework.errors import ApiError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.sampled_from("abc"), _JSON, max_size=3)


def test_values_are_set_and_nulls_delete() -> None:
    live = {"a": 1, "b": {"c": 2, "d": 3}}

    assert merge_patch(live, {"a": None, "b": {"c": 4}, "e": 5}) == {"b": {"c": 4, "d": 3}, "e": 5}


def test_lists_are_replaced_as_a_whole() -> None:
    assert merge_patch({"a": [1, 2]}, {"a": [3]}) == {"a": [3]}


def test_nulls_inside_of_new_objects_are_left_out() -> None:
    assert merge_patch({}, {"a": {"b": None, "c": [{"d": None}, None]}}) == {"a": {"c": [{}, None]}}


def test_list_in_place_of_an_object_keeps_its_nulls_as_the_real_server_does() -> None:
    assert merge_patch({"a": {}}, {"a": [{"d": None}]}) == {"a": [{"d": None}]}


@given(live=_OBJECTS, patch=_OBJECTS)
def test_outcome_shares_nothing_with_the_live_object_or_the_patch(live: dict[str, Any], patch: dict[str, Any]) -> None:
    before = repr((live, patch))

    _spoil(merge_patch(live, patch))

    assert repr((live, patch)) == before


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (None, "Invalid JSON Patch"),
        (
            [1],
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ],
)
def test_what_is_not_an_object_is_a_bad_request(patch: Any, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        merge_patch({}, patch)

    assert (refused.value.status.code, refused.value.status.message) == (400, message)


def _spoil(value: Any) -> None:
    members = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    for member in members:
        _spoil(member)
    if isinstance(value, dict):
        value["spoilt"] = True
    elif isinstance(value, list):
        value.append("spoilt")
