from typing import Any

import pytest

from framework.apiserver.patch import json_patch, unknown_members
from framework.errors import ApiError


def _op(op: str, path: str, **members: Any) -> dict[str, Any]:
    return {"op": op, "path": path, **members}


@pytest.mark.parametrize(
    ("operation", "outcome"),
    [
        (_op("add", "/c", value=1), {"a": {"b": 1}, "l": [1, 2], "c": 1}),
        (_op("add", "/l/-", value=3), {"a": {"b": 1}, "l": [1, 2, 3]}),
        (_op("add", "/l/0", value=3), {"a": {"b": 1}, "l": [3, 1, 2]}),
        (_op("add", "/l/-1", value=3), {"a": {"b": 1}, "l": [1, 2, 3]}),
        (_op("add", "/x~1y~0z", value=1), {"a": {"b": 1}, "l": [1, 2], "x/y~z": 1}),
        (_op("remove", "/a/b"), {"a": {}, "l": [1, 2]}),
        (_op("remove", "/l/-1"), {"a": {"b": 1}, "l": [1]}),
        (_op("replace", "/a", value=2), {"a": 2, "l": [1, 2]}),
        (_op("replace", "/missing", value=2), {"a": {"b": 1}, "l": [1, 2], "missing": 2}),
        (_op("replace", "", value={"whole": 1}), {"whole": 1}),
        (_op("copy", "/c", **{"from": "/a"}), {"a": {"b": 1}, "l": [1, 2], "c": {"b": 1}}),
        (_op("copy", "/c", **{"from": "/missing"}), {"a": {"b": 1}, "l": [1, 2], "c": None}),
        (_op("move", "/c", **{"from": "/a/b"}), {"a": {}, "l": [1, 2], "c": 1}),
        (_op("test", "/a", value={"b": 1}), {"a": {"b": 1}, "l": [1, 2]}),
        (_op("test", "/missing", value=None), {"a": {"b": 1}, "l": [1, 2]}),
    ],
    ids=lambda value: str(value)[:50],
)
def test_operation_is_applied(operation: dict[str, Any], outcome: dict[str, Any]) -> None:
    live = {"a": {"b": 1}, "l": [1, 2]}

    assert json_patch(live, [operation]) == outcome
    assert live == {"a": {"b": 1}, "l": [1, 2]}


@pytest.mark.parametrize(
    "operation",
    [
        _op("add", "/missing/c", value=1),
        _op("add", "", value={}),
        _op("add", "/l/3", value=1),
        _op("add", "/l/x", value=1),
        _op("add", "/a/b/c", value=1),
        _op("add", f"/l/{'9' * 5000}", value=1),
        _op("remove", "/missing"),
        _op("remove", "/l/2"),
        _op("replace", "/l/-", value=1),
        _op("replace", "", value=[1]),
        _op("move", "/c", **{"from": "/missing"}),
        _op("test", "/a/b", value=True),
        _op("test", "/l", value=[2, 1]),
        _op("increment", "/a"),
        {"op": "add"},
        {"path": "/a"},
    ],
    ids=lambda value: str(value)[:50],
)
def test_what_does_not_apply_is_invalid(operation: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({"a": {"b": 1}, "l": [1, 2]}, [operation])

    assert (refused.value.status.code, refused.value.status.reason) == (422, "Invalid")
    assert refused.value.status.message == "the server rejected our request due to an error in our request"


@pytest.mark.parametrize("operations", [{}, "x", ["x"], [{"op": 1}], [{"op": "add", "path": 1}]])
def test_malformed_operations_are_a_bad_request(operations: Any) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({}, operations)

    assert refused.value.status.code == 400
    assert refused.value.status.message.startswith("error decoding patch: json: cannot unmarshal ")


def test_more_than_10000_operations_are_too_many() -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({"a": 1}, [_op("test", "/a", value=1)] * 10_001)

    assert (refused.value.status.code, refused.value.status.reason) == (413, "RequestEntityTooLarge")


def test_copies_cannot_grow_the_object_without_bound() -> None:
    doubling = [_op("copy", f"/list/{index}", **{"from": "/list"}) for index in range(40)]

    with pytest.raises(ApiError) as refused:
        json_patch({"list": ["x" * 100]}, doubling)

    assert refused.value.status.code == 422


def test_outcome_does_not_share_the_values_of_the_patch() -> None:
    operations = [_op("add", "/a", value={"b": []}), _op("copy", "/c", **{"from": "/a"})]

    patched = json_patch({}, operations)
    patched["a"]["b"].append(1)

    assert operations[0]["value"] == {"b": []}
    assert patched["c"] == {"b": []}


def test_members_that_no_operation_has_are_told() -> None:
    assert unknown_members([_op("remove", "/a"), _op("remove", "/b", comment="x")]) == ["[1].comment"]
