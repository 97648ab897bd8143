"""What the server would refuse is found before, in words of the types."""

from typing import Annotated, Any, cast

import msgspec
import pytest
from msgspec import Meta

from apis.meta import LIST_SET, MAP_ATOMIC, ApiStruct, KubeObject, Rule, field_rules, kind, list_map, rules
from apis.schema import SchemaError
from apis.schema.pattern import fault_of
from apis.schema.version import root_schema_of

Limited = Annotated[str, Meta(max_length=9)]


class Item(ApiStruct, frozen=True, kw_only=True):
    name: str
    note: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)


def check_field(annotation: Any) -> None:
    cls = cast(
        "type[KubeObject]", msgspec.defstruct("Sample", [("value", annotation)], bases=(KubeObject,), kw_only=True)
    )
    root_schema_of(kind(group="example.com", version="v1", plural="samples")(cls))


def a_struct(*declared: Rule, **fields: Any) -> type[msgspec.Struct]:
    cls = msgspec.defstruct("Ruled", list(fields.items()), bases=(ApiStruct,), kw_only=True)
    return rules(*declared)(cls)


def a_rule(rule: str, **parts: Any) -> Rule:
    return Rule(**({"rule": rule, "message": "value must be so"} | parts))


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        (Annotated[str, Meta(pattern="a")], "Sample.value: the pattern a matches a part of the text"),
        (Annotated[str, LIST_SET], "Sample.value: x-kubernetes-list-type is for lists"),
        (Annotated[str, MAP_ATOMIC], "Sample.value: x-kubernetes-map-type is for maps"),
        (Annotated[list[Item], list_map("id")], "Sample.value: the list-map key id is no field"),
        (Annotated[list[Item], list_map("note")], "Sample.value: the list-map key note must be required"),
        (Annotated[list[Item], list_map("labels")], "Sample.value: the list-map key labels must be a string"),
        (Annotated[list[Item], list_map()], "Sample.value: a list that is a map needs keys"),
        (set[tuple[int, ...]], "Sample.value: the items of a set must be scalars"),
        (Annotated[list[str | None], LIST_SET], "Sample.value: the items of a set cannot be null"),
    ],
)
def test_a_fault_is_named_with_its_path(annotation: Any, problem: str) -> None:
    with pytest.raises(SchemaError) as caught:
        check_field(annotation)

    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "pattern", ["^a$", "^(a|b)$", r"^[|$^]+\$$", "^(?:a|b){0,1000}$", "^(?P<n>a)$", "^(?i:a)$", "^[+]+$"]
)
def test_a_whole_text_pattern_is_accepted(pattern: str) -> None:
    assert fault_of(pattern) == ""


@pytest.mark.parametrize(
    "pattern",
    [
        "a",
        "^a",
        "a$",
        r"^a\$",
        "^a|b$",
        "^(?=a)b$",
        "^(?<!a)b$",
        r"^(a)\1$",
        "^(?P<n>a)(?P=n)$",
        "^a++$",
        "^(?>a)$",
        r"^a\Z$",
        "^a{1001}$",
        "^(a$",
    ],
)
def test_a_pattern_that_the_server_reads_otherwise_is_a_fault(pattern: str) -> None:
    assert fault_of(pattern) != ""


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (a_rule(" "), "is empty"),
        (a_rule("self.a > 0", message=""), "needs a message of one line"),
        (a_rule("self.a > 0", message="a\nb"), "needs a message of one line"),
        (a_rule("self.a > 0", reason="Wrong"), "has the reason Wrong"),
        (a_rule("self.a > 0", field_path=".b"), "has the fieldPath .b, which leads to no field"),
        (a_rule("self.a > 0", field_path="a"), "has the fieldPath a, which leads to no field"),
        (a_rule("self.a > 0", optional_old_self=True), "has optional_old_self but no oldSelf"),
    ],
)
def test_a_malformed_rule_is_quoted(rule: Rule, problem: str) -> None:
    with pytest.raises(SchemaError) as caught:
        check_field(a_struct(rule, a=int))

    assert str(caught.value).startswith(f"Sample.value: the rule {rule.rule!r} {problem}")


def test_a_field_path_may_have_an_odd_name() -> None:
    odd = msgspec.defstruct("Odd", [("a", int)], bases=(ApiStruct,), kw_only=True, rename={"a": "odd-name"})

    check_field(rules(a_rule("self.odd__dash__name > 0", field_path="['odd-name']"))(odd))


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("self.text == 'a'", "Sample.value.text"),
        ("self.texts.all(text, text != '')", "Sample.value.texts"),
        ("self.map['a'] == 'b'", "Sample.value.map"),
        ("self == oldSelf", "Sample.value.text"),
    ],
)
def test_what_a_rule_reads_needs_a_limit(rule: str, path: str) -> None:
    struct = a_struct(a_rule(rule), text=str, texts=list[Limited], map=dict[str, Limited])

    with pytest.raises(SchemaError, match=r"so it needs Meta\(max_length=…\)$") as caught:
        check_field(struct)

    assert str(caught.value).startswith(f"{path}: the rule")


@pytest.mark.parametrize(
    "rule", ["self.number > 0", "has(self.text)", "self.limited == 'self.text'", "self.time == self.time"]
)
def test_what_a_rule_does_not_read_needs_no_limit(rule: str) -> None:
    time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]

    check_field(a_struct(a_rule(rule), text=str, number=int, limited=Limited, time=time))


def test_a_list_with_rules_below_needs_a_limit() -> None:
    ruled = a_struct(a_rule("self.number > 0"), number=int)

    with pytest.raises(SchemaError, match=r"^Sample\.value: CEL rules stand below it"):
        check_field(list[ruled])  # type: ignore[valid-type]  # made at run time


def test_a_transition_rule_needs_items_with_an_identity() -> None:
    ruled = a_struct(a_rule("self.name == oldSelf.name"), name=Limited)

    check_field(Annotated[list[ruled], Meta(max_length=9), list_map("name")])  # type: ignore[valid-type]  # as above
    with pytest.raises(SchemaError, match=r"uses oldSelf, but what Sample\.value contains has no identity"):
        check_field(Annotated[list[ruled], Meta(max_length=9)])  # type: ignore[valid-type]  # as above


def test_a_field_with_a_rule_of_its_own_needs_a_limit() -> None:
    with pytest.raises(SchemaError, match=r"^Sample\.value: the rule 'self == oldSelf' reads it"):
        check_field(Annotated[str, field_rules(a_rule("self == oldSelf"))])
