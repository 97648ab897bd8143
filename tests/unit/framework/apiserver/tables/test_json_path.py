import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.tables import JsonPathError, compile_json_path

_OBJECT = {
    "spec": {"list": ["a", "b", "c"], "map": {"x.y": 1, "z": 2}},
    "conditions": [
        {"type": "Ready", "status": "True", "n": 1},
        {"type": "Done", "status": "False", "n": 2, "reason": "r"},
    ],
}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (".spec.list", [["a", "b", "c"]]),
        ("$.spec.list[1]", ["b"]),
        (".spec.list[-1]", ["c"]),
        (".spec.list[-2]", ["b"]),
        (".spec.list[*]", ["a", "b", "c"]),
        (".spec.list[1:]", ["b", "c"]),
        (".spec.list[:-1]", ["a", "b"]),
        (".spec.list[::2]", ["a", "c"]),
        (".spec.list[0,2]", ["a", "c"]),
        (".spec.list[1:1]", []),
        (".spec.missing.deeper", []),
        (".spec.map.*", [1, 2]),
        (r".spec.map.x\.y", [1]),
        (r".spec.map['x\.y']", [1]),
        (".spec.map['z']", [2]),
        (".spec['list','map'].z", [2]),
        ('.conditions[?(@.type=="Ready")].status', ["True"]),
        (".conditions[?( @.type == 'Done' )].status", ["False"]),
        ('.conditions[?(@.type!="Ready")].n', [2]),
        (".conditions[?(@.n>1)].type", ["Done"]),
        (".conditions[?(@.n<=1)].type", ["Ready"]),
        (".conditions[?(@.reason)].type", ["Done"]),
        ('.conditions[?(@.type=="a)b")].status', []),
        ("..reason", ["r"]),
    ],
)
def test_path_finds_its_values(path: str, values: list[Any]) -> None:
    assert compile_json_path(path)([_OBJECT]) == values


@pytest.mark.parametrize(
    "path", [".spec[", ".spec[x]", ".spec[]", '.a[?(@.b=="c")', '.a[?(@.b=="c"', "....a", '"open', ".a[1.5]", "{}"]
)
def test_malformed_path_is_refused(path: str) -> None:
    with pytest.raises(JsonPathError):
        compile_json_path(path)


@pytest.mark.parametrize(
    "path", [".spec.list[7]", ".spec[0]", ".spec.list[::-1]", '.spec[?(@.a=="b")]', '.conditions[?(@.n=="1")]', "spec"]
)
def test_path_that_does_not_fit_the_object_is_refused_when_asked(path: str) -> None:
    compiled = compile_json_path(path)

    with pytest.raises(JsonPathError):
        compiled([_OBJECT])


@given(st.text(".[]?()@$*'\"\\a1-:,= {}", max_size=15))
def test_any_text_is_compiled_or_refused(text: str) -> None:
    with contextlib.suppress(JsonPathError):
        compile_json_path(text)([_OBJECT])
