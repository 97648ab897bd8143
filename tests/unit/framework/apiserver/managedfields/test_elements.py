import pytest

from framework.apiserver.managedfields.elements import (
    BadElement,
    canonical,
    key_element,
    order,
    spelled,
    spelled_from_entry,
    value_element,
)


def test_equal_numbers_are_one_element() -> None:
    assert value_element(80.0) == value_element(80) == "v:80"


def test_keys_are_written_as_the_real_server_escapes_them() -> None:
    assert key_element({"name": "<a&b>"}) == 'k:{"name":"\\u003ca\\u0026b\\u003e"}'


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("f:a:b", "f:a:b"),
        ('k:{"b": 2.0, "a":"x"}', 'k:{"a":"x","b":2}'),
        ('v: "x"', 'v:"x"'),
        ("i:07", "i:7"),
        ("z:from the future", None),
    ],
)
def test_what_clients_write_is_normalised(written: str, expected: str | None) -> None:
    assert canonical(written) == expected


@pytest.mark.parametrize("written", ["", "f", "field", "k:[1]", "k:{", "v:{", "i:x"])
def test_nonsense_is_refused(written: str) -> None:
    with pytest.raises(BadElement):
        canonical(written)


def test_fields_come_before_keys_values_and_positions_and_numbers_count_as_numbers() -> None:
    elements = ["i:10", "i:9", "v:true", 'v:"a"', "v:10", "v:9", 'k:{"p":10}', 'k:{"p":9}', "f:b", "f:a", "."]

    assert sorted(elements, key=order) == [*reversed(elements)]


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("f:spec", ".spec"),
        ('k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'),
        ('v:"a\\"\\n\\u0001"', '[="a\\"\\n\\x01"]'),
        ("v:true", "[=true]"),
        ("v:1.5", "[=1.5]"),
        ("i:3", "[3]"),
    ],
)
def test_messages_show_elements_as_people_read_them(element: str, expected: str) -> None:
    assert spelled(element) == spelled_from_entry(element) == expected


def test_numbers_that_the_server_read_as_floats_look_like_floats() -> None:
    assert spelled("v:12345678") == "[=12345678]"
    assert spelled_from_entry("v:12345678") == "[=1.2345678e+07]"
    assert spelled_from_entry("v:-0.00001") == "[=-1e-05]"
