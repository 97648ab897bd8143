import pytest
from hypothesis import given
from hypothesis import strategies as st

from apis.meta.quantity import parse_quantity


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("0", "0"),
        ("0.0Gi", "0"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1023", "1023"),
        ("1000Ki", "1000Ki"),
        ("0.5Ki", "512"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("12e4", "120e3"),
        ("1000000", "1M"),
        ("100k", "100k"),
        ("-1", "-1"),
        ("+2", "2"),
        (".5", "500m"),
        ("5.", "5"),
        ("0.1n", "1n"),
        ("3E", "3E"),
    ],
)
def test_amounts_are_spelled_as_the_server_spells_them(text: str, spelling: str) -> None:
    assert parse_quantity(text).spelling == spelling


@pytest.mark.parametrize("text", ["", ".", "lots", "1 Gi", "1KiB", "1K", "--1", "1e", "1.2.3"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="quantities must match the regular expression"):
        parse_quantity(text)


@given(
    st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{1,9})?", fullmatch=True),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-3"]),
)
def test_a_spelling_is_worth_the_same_and_stays_as_it_is(number: str, suffix: str) -> None:
    first = parse_quantity(number + suffix)

    again = parse_quantity(first.spelling)

    assert again == first


def test_an_absurd_exponent_costs_nothing() -> None:
    assert parse_quantity("1e999999999").nanos > 10**18
