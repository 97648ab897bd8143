"""Comparing, merging and removing, by the type of what is compared, merged and removed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.managedfields.comparison import compare
from framework.apiserver.managedfields.merging import merge
from framework.apiserver.managedfields.reconciliation import reconciled
from framework.apiserver.managedfields.removal import without_fields
from framework.apiserver.managedfields.values import are_equal
from tests.unit.framework.apiserver.managedfields.things import NODE

_NAMES = st.sampled_from(["a", "b", "c"])
_SPECS = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(0, 2),
        "set": st.lists(_NAMES, unique=True),
        "ports": st.lists(
            st.fixed_dictionaries({"port": st.integers(1, 3)}, optional={"name": _NAMES}),
            unique_by=lambda port: port["port"],
        ),
        "texts": st.dictionaries(_NAMES, _NAMES),
        "whole": st.fixed_dictionaries({}, optional={"a": _NAMES}),
        "free": st.dictionaries(_NAMES, st.one_of(_NAMES, st.lists(_NAMES), st.dictionaries(_NAMES, _NAMES))),
    },
)
_THINGS = st.fixed_dictionaries({"spec": _SPECS})


@given(_THINGS)
def test_a_value_does_not_differ_from_itself(thing: dict[str, Any]) -> None:
    changes = compare(NODE, thing, {**thing})

    assert (changes.removed, changes.modified, changes.added) == ({}, {}, {})


@given(_THINGS, _THINGS)
def test_what_one_direction_adds_the_other_removes(left: dict[str, Any], right: dict[str, Any]) -> None:
    there, back = compare(NODE, left, right), compare(NODE, right, left)

    assert there.added == back.removed
    assert there.removed == back.added
    assert there.modified == back.modified


@given(_THINGS, _THINGS)
def test_merging_the_same_again_changes_nothing(live: dict[str, Any], applied: dict[str, Any]) -> None:
    merged = merge(NODE, live, applied)

    assert are_equal(merge(NODE, merged, applied), merged)


@given(_THINGS)
def test_merging_a_value_with_itself_changes_nothing(thing: dict[str, Any]) -> None:
    assert are_equal(merge(NODE, thing, thing), thing)


@pytest.mark.parametrize(
    ("left", "right", "modified", "added"),
    [
        ({"size": 1}, {"size": True}, {"f:size": {}}, {}),
        ({"size": 1}, {"size": 1.0}, {}, {}),
        ({"free": {"a": 1}}, {"free": {"a": {"b": 1}}}, {"f:free": {"f:a": {}}}, {"f:free": {"f:a": {"f:b": {}}}}),
        ({"whole": {"a": "1"}}, {"whole": {"a": "2"}}, {"f:whole": {}}, {}),
        ({"texts": None}, {"texts": {"a": "1"}}, {}, {"f:texts": {"f:a": {}}}),
        ({}, {"texts": {"a": "1"}}, {}, {"f:texts": {".": {}, "f:a": {}}}),
        ({}, {"texts": {}}, {}, {"f:texts": {}}),
        ({"set": ["a", "a"]}, {"set": ["a", "a", "a"]}, {"f:set": {'v:"a"': {}}}, {}),
        ({"set": ["a"]}, {"set": ["a", "a"]}, {}, {"f:set": {'v:"a"': {}}}),
        ({"set": ["a", "b"]}, {"set": ["b", "a"]}, {}, {}),
        ({"list": ["a", "b"]}, {"list": ["b", "a"]}, {"f:list": {}}, {}),
    ],
)
def test_what_counts_as_a_change(left: Any, right: Any, modified: Any, added: Any) -> None:
    changes = compare(NODE, {"spec": left}, {"spec": right})

    assert changes.modified == ({"f:spec": modified} if modified else {})
    assert changes.added == ({"f:spec": added} if added else {})


@pytest.mark.parametrize(
    ("live", "applied", "merged"),
    [
        (["a", "b", "c"], ["c", "a"], ["b", "c", "a"]),
        (["a", "b", "c"], ["a", "x", "c"], ["a", "b", "x", "c"]),
        (["a"], ["x", "a"], ["x", "a"]),
        (["a", "b"], [], ["a", "b"]),
        (["a", "a", "b"], ["a"], ["a", "b"]),
        (["a", "a"], ["b"], ["a", "a", "b"]),
    ],
)
def test_a_merged_set_has_the_order_of_both(live: list[str], applied: list[str], merged: list[str]) -> None:
    assert merge(NODE, {"spec": {"set": live}}, {"spec": {"set": applied}}) == {"spec": {"set": merged}}


def test_items_of_a_list_map_are_merged_by_key_with_the_default_of_the_key() -> None:
    live = {"spec": {"ports": [{"port": 1, "protocol": "TCP", "name": "a"}, {"port": 1, "protocol": "UDP"}]}}

    merged = merge(NODE, live, {"spec": {"ports": [{"port": 1, "name": "b"}]}})

    assert merged["spec"]["ports"] == [
        {"port": 1, "protocol": "TCP", "name": "b"},
        {"port": 1, "protocol": "UDP"},
    ]


def test_a_container_that_loses_its_last_item_is_null() -> None:
    fields: dict[str, Any] = {"f:spec": {"f:set": {'v:"a"': {}}, "f:texts": {"f:a": {}}}}

    left = without_fields(NODE, {"spec": {"set": ["a"], "texts": {"a": "1", "b": "2"}}}, fields)

    assert left == {"spec": {"set": None, "texts": {"b": "2"}}}


def test_owners_of_parts_own_the_whole_once_it_is_one() -> None:
    fields: dict[str, Any] = {
        "f:spec": {"f:whole": {"f:a": {}}, "f:list": {'v:"a"': {}}, "f:free": {"f:x": {"f:y": {}}}}
    }

    assert reconciled(NODE, fields) == {"f:spec": {"f:whole": {}, "f:list": {}, "f:free": {"f:x": {"f:y": {}}}}}
