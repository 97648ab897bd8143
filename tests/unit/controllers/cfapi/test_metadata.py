from hypothesis import given
from hypothesis import strategies as st

from controllers.cfapi.failure import CfError
from controllers.cfapi.metadata import annotations_of, parse_metadata


def test_what_has_no_effect_is_named_and_what_is_empty_is_not() -> None:
    parsed = parse_metadata(
        b'{"main_module":"a.js","placement":{"mode":"smart"},"limits":{},"usage_model":"x","tail_consumers":null,'
        b'"logpush":true,"migrations":null}'
    )

    assert parsed.ignored == ("placement",)
    assert parsed.settings == {"logpush": True}


def test_annotations_are_printable_and_no_others_are_taken() -> None:
    given_ones = {"workers/message": "a\nb\x1b[31m", "workers/tag": "", "other": "x"}

    assert annotations_of(given_ones) == {"workers/message": "ab[31m"}


@given(st.binary(max_size=200))
def test_nothing_but_a_refusal_comes_of_nonsense(text: bytes) -> None:
    try:
        parse_metadata(text)
    except CfError as error:
        assert error.status == 400  # noqa: PT017 - whether it is raised is not the question


def test_deeply_nested_metadata_is_refused() -> None:
    try:
        parse_metadata(b"[" * 100_000)
    except CfError as error:
        assert (error.status, error.code) == (400, 10001)  # noqa: PT017 - as above
