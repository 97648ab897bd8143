import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.apiserver.patch import MAXIMUM_DEPTH, decode_json, duplicate_fields
from framework.errors import ApiError, BadRequest


def _refusal(body: bytes) -> str:
    with pytest.raises(ApiError) as refused:
        decode_json(body)
    assert (refused.value.status.code, refused.value.status.reason) == (400, "BadRequest")
    return refused.value.status.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "unexpected end of JSON input"),
        (b'{"a":', "unexpected end of JSON input"),
        (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        (b"[1,]", "invalid character ']' looking for beginning of value"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b'{"a":1 "b"}', "invalid character '\"' after object key:value pair"),
        (b"{} x", "invalid character 'x' after top-level value"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b"[nope]", "invalid character 'o' in literal null (expecting 'u')"),
        (b'"a\nb"', r"invalid character '\n' in string literal"),
        (b"{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
        (b"1e400", "json: cannot unmarshal number 1e400 into Go value of type float64"),
    ],
)
def test_malformed_json_is_refused_in_the_words_of_go(body: bytes, message: str) -> None:
    assert _refusal(body) == message


def test_depth_is_bounded() -> None:
    deep = MAXIMUM_DEPTH * b"[" + MAXIMUM_DEPTH * b"]"

    decode_json(deep)

    assert _refusal(b"[" + deep + b"]") == "invalid character '[' exceeded max depth"
    assert _refusal(b'{"a":' * 100_000) == "invalid character '{' exceeded max depth"


def test_wide_objects_are_not_deep() -> None:
    assert decode_json(b"[" + b",".join([b"{}"] * 1000) + b"]") == [{}] * 1000


def test_whole_numbers_are_integers_as_after_a_round_trip_through_go() -> None:
    assert repr(decode_json(b"[1.0, 2e3, 0.5, 9223372036854775807]")) == "[1, 2000, 0.5, 9223372036854775807]"


def test_integers_beyond_64_bits_are_floating_point_numbers() -> None:
    assert repr(decode_json(b'{"a":[9223372036854775808, "12345678901234567890", 1e300]}')) == (
        "{'a': [9.223372036854776e+18, '12345678901234567890', 1e+300]}"
    )


def test_what_is_not_utf8_becomes_the_replacement_character() -> None:
    assert decode_json(b'{"a":"\xff"}') == {"a": "\ufffd"}


@given(st.binary(max_size=30))
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadRequest):
        decode_json(body)


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (b'{"a":1,"b":{"c":1}}', []),
        (b'{"a":1,"a":1}', ["a"]),
        (b'{"spec":{"list":[{"x":1},{"x":1,"x":2,"x":3}]}}', ["spec.list[1].x"]),
        (b'{"a":{"x":1,"x":2},"a":{}}', ["a.x", "a"]),
    ],
)
def test_fields_that_stand_twice_are_found(body: bytes, paths: list[str]) -> None:
    assert duplicate_fields(body) == paths


def test_no_more_than_100_fields_are_told() -> None:
    body = b"{" + b",".join(b'"k%d":1' % (index % 150) for index in range(300)) + b"}"

    assert len(duplicate_fields(body)) == 100
