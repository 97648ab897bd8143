import pytest

from framework.apiserver.spelling import spelled, spelled_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a<b", '"a<b"'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        ("tab\tbell\a\x00", '"tab\\tbell\\a\\x00"'),
        ("ä\u200b", '"ä\\u200b"'),
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (3.0, "3"),
        (0.5, "0.5"),
        (100000.0, "100000"),
        (1234567.5, "1.2345675e+06"),
        (0.00001, "1e-05"),
        (2**63, "9.223372036854776e+18"),
        ({"b": 1, "a": "<"}, '{"a":"\\u003c","b":1}'),
        ([1.0, None], "[1,null]"),
    ],
)
def test_values_are_spelled_as_go_does(value: object, text: str) -> None:
    assert spelled(value) == text


def test_large_floats_in_json_have_no_exponent_below_21_digits() -> None:
    assert spelled_json(1e20) == "100000000000000000000"
    assert spelled_json(1e21) == "1e+21"
