import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.patch import decode_apply_patch, decode_yaml_or_json, duplicate_yaml_keys
from framework.errors import ApiError, BadRequest


def _refusal(body: bytes) -> str:
    with pytest.raises(ApiError) as refused:
        decode_yaml_or_json(body)
    assert (refused.value.status.code, refused.value.status.reason) == (400, "BadRequest")
    return refused.value.status.message


def test_scalars_are_those_of_the_real_server() -> None:
    body = b"""
    date: 2026-01-01T00:00:00Z
    octal: 0644
    hexadecimal: 0x1f
    grouped: 1_000
    exponent: 1e3
    fraction: 0.5
    time: 1:30
    truth: [y, Yes, on, true]
    lie: [n, No, off, false]
    nothing: [~, null, ]
    text: "true"
    """

    assert decode_yaml_or_json(body) == {
        "date": "2026-01-01T00:00:00Z",
        "octal": 0o644,
        "hexadecimal": 31,
        "grouped": 1000,
        "exponent": 1000,
        "fraction": 0.5,
        "time": "1:30",
        "truth": [True] * 4,
        "lie": [False] * 4,
        "nothing": [None, None],
        "text": "true",
    }


def test_json_is_yaml() -> None:
    assert decode_yaml_or_json(b'{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}


def test_flow_mappings_that_are_not_json_are_read() -> None:
    assert decode_yaml_or_json(b"{a: b}") == {"a": "b"}


def test_keys_become_strings() -> None:
    assert decode_yaml_or_json(b"80: a\n1.5: b\nfalse: c\n") == {"80": "a", "1.5": "b", "false": "c"}


def test_only_the_first_document_counts() -> None:
    assert decode_yaml_or_json(b"a: 1\n---\nb: 2\n") == {"a": 1}


def test_aliases_give_copies() -> None:
    decoded = decode_yaml_or_json(b"a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n")

    decoded["a"]["b"] = 2

    assert decoded == {"a": {"b": 2}, "c": {"b": 1}, "d": {"b": 1}}


def test_alias_bombs_are_refused() -> None:
    lines = [b"a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [b"a%d: &a%d [%s]" % (level, level, b",".join([b"*a%d" % (level - 1)] * 10)) for level in range(1, 9)]

    assert _refusal(b"\n".join(lines)).endswith("yaml: document contains excessive aliasing")


def test_anchors_that_contain_themselves_are_refused() -> None:
    _refusal(b"a: &a [*a]")


def test_depth_is_bounded() -> None:
    assert _refusal(b"[" * 10_000).endswith("yaml: exceeded max depth")
    assert _refusal(b"- " * 10_000).endswith("yaml: exceeded max depth")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"a: b: c", "yaml: mapping values are not allowed in this context"),
        (b"a: b\n c: d", "yaml: line 2: mapping values are not allowed in this context"),
        (b"a: *nowhere", "yaml: unknown anchor 'nowhere' referenced"),
        (b"a: .nan", "json: unsupported value: NaN"),
    ],
)
def test_malformed_yaml_is_refused_in_the_words_of_go(body: bytes, reason: str) -> None:
    assert _refusal(body) == f"error decoding YAML: error converting YAML to JSON: {reason}"


@given(st.text("a:-[]{}&*!|>#'\"%@ \n\t1.~?,", max_size=30))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    with contextlib.suppress(BadRequest):
        decode_yaml_or_json(text.encode())


@pytest.mark.parametrize("body", [b"", b"null", b"# nothing"])
def test_nothing_is_applied_as_an_empty_object(body: bytes) -> None:
    assert decode_apply_patch(body) == {}


def test_lists_are_not_applied() -> None:
    with pytest.raises(ApiError, match="cannot unmarshal array into Go value of type map"):
        decode_apply_patch(b"- a")


def test_keys_that_stand_twice_are_told_with_their_lines() -> None:
    assert duplicate_yaml_keys(b"a: 1\nb:\n  c: 1\n  c: 2\n") == (
        'error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key "c" already set in map'
    )
    assert duplicate_yaml_keys(b'{"a":1}') == ""
    assert duplicate_yaml_keys(b'{"a":1,"a":2}').endswith('line 1: key "a" already set in map')
