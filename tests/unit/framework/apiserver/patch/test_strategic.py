from typing import Any

import pytest

from framework.apiserver.patch import StrategicMerger
from framework.errors import ApiError

_DEFINITIONS: dict[str, dict[str, Any]] = {
    "io.example.Thing": {
        "properties": {
            "metadata": {"allOf": [{"$ref": "#/components/schemas/io.example.Meta"}], "default": {}},
            "spec": {"allOf": [{"$ref": "#/components/schemas/io.example.Spec"}]},
        }
    },
    "io.example.Meta": {
        "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
        }
    },
    "io.example.Spec": {
        "properties": {
            "parts": {
                "type": "array",
                "items": {"allOf": [{"$ref": "#/components/schemas/io.example.Part"}]},
                "x-kubernetes-patch-strategy": "merge,retainKeys",
                "x-kubernetes-patch-merge-key": "name",
            },
            "keyless": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/io.example.Part"},
                "x-kubernetes-patch-strategy": "merge",
            },
            "args": {"type": "array", "items": {"type": "string"}},
            "strategy": {"$ref": "#/components/schemas/io.example.Part", "x-kubernetes-patch-strategy": "retainKeys"},
            "replaced": {"$ref": "#/components/schemas/io.example.Part", "x-kubernetes-patch-strategy": "replace"},
            "map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/io.example.Part"}},
        }
    },
    "io.example.Part": {
        "properties": {
            "name": {"type": "string"},
            "value": {"type": "string"},
            "parts": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/io.example.Part"},
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": "name",
            },
        }
    },
}
_MERGER = StrategicMerger({"$ref": "#/components/schemas/io.example.Thing"}, _DEFINITIONS)


def _merged(live: dict[str, Any], patch: dict[str, Any]) -> Any:
    return _MERGER.strategic_merge({"spec": live}, {"spec": patch})["spec"]


def _parts(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def _refusal(live: dict[str, Any], patch: dict[str, Any]) -> tuple[int, str, str]:
    with pytest.raises(ApiError) as refused:
        _merged(live, patch)
    return refused.value.status.code, refused.value.status.reason, refused.value.status.message


def test_elements_are_merged_by_key_at_every_depth() -> None:
    live = {"parts": [{"name": "a", "value": "1", "parts": [{"name": "x", "value": "1"}]}]}

    merged = _merged(live, {"parts": [{"name": "a", "parts": [{"name": "x", "value": "2"}, {"name": "y"}]}]})

    assert merged == {"parts": [{"name": "a", "value": "1", "parts": [{"name": "x", "value": "2"}, {"name": "y"}]}]}


def test_new_elements_come_before_those_that_only_the_server_has() -> None:
    assert _merged({"parts": _parts("a", "b")}, {"parts": _parts("new", "b")}) == {"parts": _parts("new", "a", "b")}


def test_lists_without_strategy_are_replaced() -> None:
    assert _merged({"args": ["a", "b"]}, {"args": ["c"]}) == {"args": ["c"]}


def test_scalars_are_merged_as_a_set() -> None:
    live = {"metadata": {"finalizers": ["a", "b"]}}

    merged = _MERGER.strategic_merge(live, {"metadata": {"finalizers": ["c", "a"]}})

    assert merged == {"metadata": {"finalizers": ["c", "a", "b"]}}


def test_scalars_are_deleted_by_their_own_list() -> None:
    live = {"metadata": {"finalizers": ["a", "b"]}}

    merged = _MERGER.strategic_merge(live, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}})

    assert merged == {"metadata": {"finalizers": ["b"]}}


def test_element_is_deleted_by_directive() -> None:
    assert _merged({"parts": _parts("a", "b")}, {"parts": [{"name": "a", "$patch": "delete"}]}) == {
        "parts": _parts("b")
    }


def test_list_is_replaced_by_directive() -> None:
    assert _merged({"parts": _parts("a", "b")}, {"parts": [*_parts("c"), {"$patch": "replace"}]}) == {
        "parts": _parts("c")
    }


def test_object_is_replaced_or_emptied_by_directive() -> None:
    live = {"metadata": {"labels": {"a": "1"}}, "spec": {"args": ["a"]}}

    merged = _MERGER.strategic_merge(
        live, {"metadata": {"labels": {"$patch": "replace", "b": "2"}}, "spec": {"$patch": "delete"}}
    )

    assert merged == {"metadata": {"labels": {"b": "2"}}, "spec": {}}


def test_field_with_replace_strategy_is_replaced() -> None:
    assert _merged({"replaced": {"name": "a", "value": "1"}}, {"replaced": {"name": "b"}}) == {
        "replaced": {"name": "b"}
    }


def test_order_of_elements_can_be_set() -> None:
    patch = {"$setElementOrder/parts": _parts("c", "b", "a"), "parts": [{"name": "c"}]}

    assert _merged({"parts": _parts("a", "b", "server")}, patch) == {"parts": _parts("c", "b", "a", "server")}


def test_only_retained_keys_stay() -> None:
    patch = {"strategy": {"$retainKeys": ["name"], "name": "b"}}

    assert _merged({"strategy": {"name": "a", "value": "1"}}, patch) == {"strategy": {"name": "b"}}


def test_directives_are_left_out_of_what_is_new() -> None:
    patch = {"strategy": {"name": "a", "value": None}, "args": ["x"], "parts": [{"name": "a", "$patch": "delete"}]}

    assert _merged({}, patch) == {"strategy": {"name": "a"}, "args": ["x"], "parts": []}


def test_live_object_and_patch_stay_as_they_are() -> None:
    live = {"spec": {"parts": _parts("a")}}
    patch = {"spec": {"$setElementOrder/parts": _parts("b", "a"), "parts": [{"name": "b", "parts": _parts("x")}]}}

    merged = _MERGER.strategic_merge(live, patch)
    merged["spec"]["parts"][0]["parts"].clear()

    assert live == {"spec": {"parts": _parts("a")}}
    assert patch["spec"]["parts"] == [{"name": "b", "parts": _parts("x")}]


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        ({"strategy": {"$retainKeys": "x"}}, 400, "invalid patch format of retainKeys"),
        ({"strategy": {"$retainKeys": [], "name": "b"}}, 400, "invalid patch format of retainKeys"),
        ({"$deleteFromPrimitiveList": []}, 400, "invalid patch format of primitive list"),
        ({"$setElementOrder": []}, 400, "invalid patch format of setElementOrder list"),
        ({"strategy": {"$patch": "merge"}}, 500, "unknown patch type: merge in map: map[$patch:merge]"),
        ({"parts": [{"value": "1"}]}, 500, "map: map[value:1] does not contain declared merge key: name"),
        ({"keyless": [{"value": "1"}]}, 500, "cannot merge lists without merge key for struct"),
        ({"$setElementOrder/boats": []}, 500, 'unable to find api field in struct Spec for the json field "boats"'),
        ({"map": {"a": {"name": "b"}}}, 500, "merging an object in json but data type is not struct, instead is: map"),
    ],
)  # fmt: skip
def test_patch_that_cannot_be_applied_is_refused_as_the_real_server_does(
    patch: dict[str, Any], code: int, message: str
) -> None:
    live = {"strategy": {"name": "a"}, "parts": _parts("a"), "keyless": _parts("a"), "map": {"a": {"name": "a"}}}

    refusal = _refusal(live, patch)

    assert refusal == (code, "BadRequest" if code == 400 else "", message)


def test_lists_of_lists_are_invalid() -> None:
    assert _refusal({"parts": [[]]}, {"parts": [[]]})[:2] == (422, "Invalid")


def test_patch_that_is_no_object_is_a_bad_request() -> None:
    with pytest.raises(ApiError) as refused:
        _MERGER.strategic_merge({}, [1])

    assert refused.value.status.code == 400
