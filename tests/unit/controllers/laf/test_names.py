"""Names of what is made for an Instance."""

import re

import pytest

from controllers.laf.names import base_name, salt_name

ANYWHERE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


@pytest.mark.parametrize("name", ["a", "shop", "my-shop-2", "a" * 52])
def test_a_name_that_can_be_used_anywhere_stays(name: str) -> None:
    assert base_name(name) == name


@pytest.mark.parametrize("name", ["a" * 53, "a" * 253, "my.shop", "9lives", "9", "x" * 40 + ".-." + "y" * 40, "1.-"])
def test_any_other_becomes_one_that_can(name: str) -> None:
    base = base_name(name)

    assert len(base) <= 52
    assert ANYWHERE.fullmatch(base)


def test_names_that_look_alike_are_told_apart() -> None:
    assert base_name("my.shop") == "i-my-shop-7e7c6a8d"
    assert base_name("my.shop") != base_name("my-shop.")
    assert base_name("9" + "a" * 60) != base_name("9" + "a" * 61)


def test_the_salt_is_named_after_the_base() -> None:
    assert salt_name("shop") == "shop-salt"
