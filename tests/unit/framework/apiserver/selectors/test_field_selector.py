from collections.abc import Mapping
from typing import Any, cast

import msgspec
import pytest

from framework.apiserver.resource import ReadyRules, Resource, Strategy
from framework.apiserver.selectors import FieldSelector, parse_field_selector
from framework.errors import BadRequest
from tests.unit.framework.apiserver.resources import a_definition, builtin, custom


class Selectable:
    def __init__(self, *fields: str) -> None:
        self._fields = fields

    def is_selectable(self, field: str) -> bool:
        return field in self._fields


def of_kind(kind: str, *fields: str) -> Resource:
    """A resource that can be selected by *fields*."""
    resources = [*builtin(), *custom(a_definition(kind="Widget"))]
    found = next(one for one in resources if one.kind == kind)
    unused: Any = None
    return msgspec.structs.replace(found, rules=ReadyRules(cast("Strategy", Selectable(*fields)), unused, unused))


def matches(text: str, fields: Mapping[str, str]) -> bool:
    return parse_field_selector(text).matches(lambda field: fields.get(field, ""))


def test_every_term_must_match() -> None:
    fields = {"metadata.name": "x", "spec.job": "y"}

    assert matches("metadata.name=x,spec.job==y", fields)
    assert matches("metadata.name=x,spec.job!=z", fields)
    assert not matches("metadata.name=x,spec.job!=y", fields)


def test_a_field_that_is_not_set_is_empty() -> None:
    assert matches("spec.nodeName=", {})
    assert not matches("spec.nodeName!=", {})


def test_escaped_characters_belong_to_the_value() -> None:
    assert matches(r"a=x\,y\=z\\", {"a": "x,y=z\\"})


@pytest.mark.parametrize("text", ["", ",", "="])
def test_empty_terms_ask_for_nothing(text: str) -> None:
    assert parse_field_selector(text) == FieldSelector()
    assert parse_field_selector(text).is_everything


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("foo,metadata.name=x", "invalid selector: 'foo,metadata.name=x'; can't understand 'foo'"),
        (r"metadata.name=a\b", r"invalid field selector: invalid escape sequence: \b"),
        ("metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"),
        ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
    ],
)
def test_a_text_that_is_no_selector_is_refused_as_the_real_server_refuses_it(text: str, message: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        parse_field_selector(text)

    assert refusal.value.status.message == message


def test_a_selector_tells_the_value_that_it_requires() -> None:
    selector = parse_field_selector("metadata.name=x,spec.job!=y")

    assert selector.requires("metadata.name") == "x"
    assert selector.requires("spec.job") is None
    assert selector.requires("spec.state") is None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Widget", "field label not supported: spec.foo"),
        ("Pod", "field label not supported: spec.foo"),
        ("Job", 'field label "spec.foo" not supported for Job'),
        ("ConfigMap", '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    ],
)
def test_each_kind_refuses_unknown_fields_in_its_own_words(kind: str, message: str) -> None:
    selector = parse_field_selector("metadata.name=a,metadata.namespace=b,spec.job=c,spec.foo!=d")

    with pytest.raises(BadRequest) as refusal:
        selector.check(of_kind(kind, "spec.job"))

    assert refusal.value.status.message == message


def test_a_kind_is_selected_by_the_fields_that_it_names() -> None:
    parse_field_selector("metadata.name=a,metadata.namespace=b,spec.job=c").check(of_kind("Widget", "spec.job"))


@pytest.mark.parametrize("kind", ["Node", "Namespace"])
def test_kinds_without_namespace_cannot_be_selected_by_it(kind: str) -> None:
    with pytest.raises(BadRequest, match=r"field label not supported: metadata\.namespace"):
        parse_field_selector("metadata.namespace=a").check(of_kind(kind))
