"""Names that the server makes."""

import re
from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import GROUP, config_maps, widgets

pytestmark = pytest.mark.behaviour("B7")
UNCHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def _generated(base: str, **more: Any) -> Any:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"generateName": base, **more}}


def test_it_is_the_base_and_five_random_characters(api: Api, namespace: str) -> None:
    metadata = api.create(widgets(namespace), _generated("base-")).ok["metadata"]

    assert re.fullmatch(r"base-[bcdfghjklmnpqrstvwxz2456789]{5}", metadata["name"])
    assert metadata["generateName"] == "base-"


def test_equal_bases_give_different_names(api: Api, namespace: str) -> None:
    names = {api.create(widgets(namespace), _generated("base-")).ok["metadata"]["name"] for _ in range(20)}

    assert len(names) == 20


def test_a_long_base_is_cut_so_that_the_name_fits_a_label(api: Api, namespace: str) -> None:
    name = api.create(widgets(namespace), _generated("b" * 70)).ok["metadata"]["name"]

    assert len(name) == 63
    assert name.startswith("b" * 58)


def test_a_name_wins(api: Api, namespace: str) -> None:
    metadata = api.create(widgets(namespace), _generated("base-", name="mine")).ok["metadata"]

    assert (metadata["name"], metadata["generateName"]) == ("mine", "base-")


def test_a_custom_resource_needs_one_of_both(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), {"apiVersion": f"{GROUP}/v1", "kind": "Widget"})

    problem = "metadata.name: Required value: name or generateName is required"
    unchecked = f"<nil>: Invalid value: null: {UNCHECKED}"
    assert reply.error == (
        422,
        "Invalid",
        f'Widget.conformance.windlass.dev "" is invalid: [{problem}, {unchecked}]',
    )
    assert [cause["reason"] for cause in reply.causes] == ["FieldValueRequired", "FieldValueInvalid"]


def test_a_built_in_kind_needs_one_of_both(api: Api, namespace: str) -> None:
    reply = api.create(config_maps(namespace), {"metadata": {}})

    problem = "metadata.name: Required value: name or generateName is required"
    assert reply.error == (422, "Invalid", f'ConfigMap "" is invalid: {problem}')


def test_a_name_that_is_taken_exists_already(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), _generated("", name="mine"))

    reply = api.create(widgets(namespace), _generated("", name="mine"))

    assert reply.error == (409, "AlreadyExists", 'widgets.conformance.windlass.dev "mine" already exists')


def test_a_bad_base_is_invalid(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), _generated("Base_"))

    assert reply.status == 422
    assert reply.causes[0]["field"] == "metadata.generateName"
