"""How each Python type becomes a schema."""

from datetime import datetime
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, cast

import msgspec
import pytest
from msgspec import Meta

from apis.meta import (
    EMBEDDED_RESOURCE,
    LIST_SET,
    MAP_ATOMIC,
    NULLABLE,
    ApiStruct,
    Condition,
    IntOrString,
    KubeObject,
    MicroTime,
    Rule,
    Time,
    field_rules,
    kind,
    list_map,
    rules,
    server_default,
)
from apis.schema import SchemaError
from apis.schema.node import Schema
from apis.schema.version import root_schema_of


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Part(ApiStruct, frozen=True, kw_only=True):
    """A part.

    A second paragraph.
    """

    some_name: str


class Undocumented(Part, frozen=True, kw_only=True):
    other: int = 0


def schema_of_field(annotation: Any, **default: Any) -> Schema:
    schema: Schema = root_of(annotation, **default)["properties"]["value"]
    return schema


def root_of(annotation: Any, **default: Any) -> Schema:
    fields: list[Any] = [("value", annotation, msgspec.field(**default)) if default else ("value", annotation)]
    cls = cast("type[KubeObject]", msgspec.defstruct("Sample", fields, bases=(KubeObject,), kw_only=True))
    return root_schema_of(kind(group="example.com", version="v1", plural="samples")(cls))


PRESERVE = {"x-kubernetes-preserve-unknown-fields": True}
PART = {
    "description": "A part.",
    "type": "object",
    "properties": {"someName": {"type": "string"}},
    "required": ["someName"],
}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer", "format": "int64"}),
        (float, {"type": "number", "format": "double"}),
        (int | float, {"type": "number", "format": "double"}),
        (bytes, {"type": "string", "format": "byte"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (Time, {"type": "string", "format": "date-time"}),
        (MicroTime, {"type": "string", "format": "date-time"}),
        (Color, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "format": "int64", "enum": [1, 2]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (
            tuple[int, int],
            {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "format": "int64"}},
        ),
        (set[str], {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
        (frozenset[str], {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
        (
            Annotated[list[str], LIST_SET],
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        ),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (dict[str, Any], {"type": "object", **PRESERVE}),
        (dict, {"type": "object", **PRESERVE}),
        (Any, PRESERVE),
        (msgspec.Raw, PRESERVE),
        (list[Any], {"type": "array", "items": PRESERVE}),
        (IntOrString, {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}),
        (Part, PART),
        (list[Part], {"type": "array", "items": PART}),
        (
            Annotated[dict[str, Any], EMBEDDED_RESOURCE],
            {"type": "object", "x-kubernetes-embedded-resource": True, **PRESERVE},
        ),
    ],
)
def test_each_type_has_its_schema(annotation: Any, schema: Schema) -> None:
    assert schema_of_field(annotation) == schema


@pytest.mark.parametrize(
    ("annotation", "limits"),
    [
        (Annotated[str, Meta(min_length=1, max_length=9)], {"minLength": 1, "maxLength": 9}),
        (Annotated[str, Meta(pattern="^a$")], {"pattern": "^a$"}),
        (Annotated[int, Meta(ge=0)], {"minimum": 0, "format": "int64"}),
        (Annotated[int, Meta(ge=0, le=65535)], {"minimum": 0, "maximum": 65535, "format": "int32"}),
        (Annotated[int, Meta(ge=0, le=2**31)], {"minimum": 0, "maximum": 2**31, "format": "int64"}),
        (Annotated[int, Meta(gt=0)], {"minimum": 0, "exclusiveMinimum": True}),
        (Annotated[float, Meta(lt=1)], {"maximum": 1, "exclusiveMaximum": True}),
        (Annotated[int, Meta(multiple_of=5)], {"multipleOf": 5}),
        (Annotated[list[str], Meta(min_length=1, max_length=9)], {"minItems": 1, "maxItems": 9}),
        (Annotated[dict[str, str], Meta(min_length=1, max_length=9)], {"minProperties": 1, "maxProperties": 9}),
        (Annotated[str, Meta(title="T", description="D")], {"title": "T", "description": "D"}),
        (Annotated[str, Meta(examples=["a", "b"])], {"example": "a"}),
        (Annotated[str, Meta(extra_json_schema={"format": "ipv4"})], {"format": "ipv4"}),
        (Annotated[Part, MAP_ATOMIC], {"x-kubernetes-map-type": "atomic"}),
        (Annotated[Part, Meta(description="The part here.")], {"description": "The part here."}),
    ],
)
def test_each_limit_is_in_the_schema(annotation: Any, limits: Schema) -> None:
    assert limits.items() <= schema_of_field(annotation).items()


def test_limits_of_bytes_count_the_characters_of_their_base64_text() -> None:
    schema = schema_of_field(Annotated[bytes, Meta(min_length=1, max_length=4)])

    assert (schema["minLength"], schema["maxLength"]) == (4, 8)


def test_a_list_map_has_its_keys() -> None:
    schema = schema_of_field(Annotated[list[Condition], list_map("type")])

    assert schema["x-kubernetes-list-type"] == "map"
    assert schema["x-kubernetes-list-map-keys"] == ["type"]


def test_only_a_field_without_default_is_required() -> None:
    assert root_of(str)["required"] == ["value"]
    assert "required" not in root_of(str, default="")
    assert "required" not in root_of(list[str], default_factory=list)
    assert "required" not in root_of(str | msgspec.UnsetType, default=msgspec.UNSET)


def test_none_as_default_makes_a_field_optional_and_not_nullable() -> None:
    assert schema_of_field(str | None, default=None) == {"type": "string"}
    assert schema_of_field(Annotated[str, Meta(max_length=3)] | None, default=None) == {
        "type": "string",
        "maxLength": 3,
    }


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (str | None, {}),
        (str | None, {"default": "a"}),
        (Annotated[str | None, NULLABLE], {"default": None}),
        (Literal["a", None], {}),  # noqa: PYI061 - this spelling is under test
    ],
)
def test_a_field_that_takes_none_beside_its_default_is_nullable(annotation: Any, default: dict[str, Any]) -> None:
    assert schema_of_field(annotation, **default)["nullable"] is True


def test_items_that_take_none_are_nullable() -> None:
    assert schema_of_field(list[str | None])["items"] == {"type": "string", "nullable": True}


@pytest.mark.parametrize(
    ("annotation", "default", "written"),
    [
        (str, {"default": "a"}, "a"),
        (int, {"default": 3}, 3),
        (bool, {"default": True}, True),
        (Color, {"default": Color.BLUE}, "blue"),
        (bytes, {"default": b"\x00"}, "AA=="),
        (list[str], {"default_factory": lambda: ["a"]}, ["a"]),
        (set[str], {"default_factory": lambda: {"c", "a", "b"}}, ["a", "b", "c"]),
        (Part, {"default": Part(some_name="a")}, {"someName": "a"}),
        (Annotated[int, server_default(0)], {"default": 5}, 0),
        (Annotated[bool, server_default(value=False)], {"default": False}, False),
        (Annotated[dict[str, str], server_default({})], {"default_factory": dict}, {}),
    ],
)
def test_a_default_that_says_something_is_filled_in_by_the_server(
    annotation: Any, default: dict[str, Any], written: Any
) -> None:
    assert schema_of_field(annotation, **default)["default"] == written


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (str, {"default": ""}),
        (int, {"default": 0}),
        (bool, {"default": False}),
        (str | None, {"default": None}),
        (list[str], {"default_factory": list}),
        (Undocumented | None, {"default": None}),
        (Annotated[str, server_default(None)], {"default": "a"}),
        (Any, {"default_factory": iter(range(1, 9)).__next__}),
    ],
)
def test_a_default_that_says_nothing_stays_in_python(annotation: Any, default: dict[str, Any]) -> None:
    assert "default" not in schema_of_field(annotation, **default)


def test_the_first_paragraph_of_a_docstring_is_the_description() -> None:
    assert schema_of_field(Part)["description"] == "A part."


def test_an_inherited_docstring_describes_nothing() -> None:
    assert "description" not in schema_of_field(Undocumented)


def test_rules_stand_at_the_place_of_their_struct() -> None:
    @rules(Rule(rule="self.size > 0", message="size is positive", field_path=".size", reason="FieldValueInvalid"))
    class Sized(ApiStruct, frozen=True, kw_only=True):
        size: int

    schema = schema_of_field(Sized)

    assert schema["x-kubernetes-validations"] == [
        {"rule": "self.size > 0", "message": "size is positive", "reason": "FieldValueInvalid", "fieldPath": ".size"}
    ]


def test_a_subclass_keeps_the_rules_of_its_base() -> None:
    @rules(Rule(rule="self.a > 0", message="a is positive"))
    class Base(ApiStruct, frozen=True, kw_only=True):
        a: int

    @rules(Rule(rule="self.b > 0", message="b is positive"))
    class Derived(Base, frozen=True, kw_only=True):
        b: int

    written = schema_of_field(Derived)["x-kubernetes-validations"]

    assert [rule["rule"] for rule in written] == ["self.a > 0", "self.b > 0"]


def test_rules_of_a_field_stand_at_the_field() -> None:
    immutable = Rule(rule="self == oldSelf", message="value is immutable", optional_old_self=True)

    schema = schema_of_field(Annotated[str, Meta(max_length=3), field_rules(immutable)])

    assert schema["x-kubernetes-validations"] == [
        {"rule": "self == oldSelf", "message": "value is immutable", "optionalOldSelf": True}
    ]


def test_the_root_has_metadata_as_a_bare_object() -> None:
    properties = root_of(str)["properties"]

    assert list(properties) == ["apiVersion", "kind", "metadata", "value"]
    assert properties["metadata"] == {"type": "object"}
    assert properties["kind"]["type"] == properties["apiVersion"]["type"] == "string"


class Node(ApiStruct, frozen=True, kw_only=True):
    next: "list[Node]" = msgspec.field(default_factory=list)


class Tagged(ApiStruct, frozen=True, kw_only=True, tag=True):
    pass


class Misdeclared(ApiStruct, frozen=True, kw_only=True):
    count: Annotated[int, Meta(max_length=3)]


class Row(ApiStruct, frozen=True, kw_only=True, array_like=True):
    pass


@pytest.mark.parametrize(
    ("annotation", "problem"),
    [
        (complex, "Sample.value: a schema cannot express the type complex"),
        (str | bool, "Sample.value: a field has one type"),
        (tuple[int, str], "Sample.value: the items of a list all have one type"),
        (dict[int, str], "Sample.value: the keys of a map are plain str"),
        (dict[Annotated[str, Meta(max_length=3)], str], "Sample.value: the keys of a map are plain str"),
        (Literal["a", 1], "Sample.value: the values"),
        (Annotated[datetime, Meta(tz=False)], "Sample.value: a time without a zone"),
        (Annotated[str, Meta(extra_json_schema={"$ref": "#/x"})], "Sample.value: a CRD's schema has no $ref"),
        (Node, "Node.next: Node contains itself"),
        (Tagged, "Tagged: a Struct in a kind can be neither"),
        (Row, "Row: a Struct in a kind can be neither"),
        (Misdeclared, "Misdeclared.count: Can only set `max_length`"),
        (KubeObject, "Sample.value: a whole object inside another"),
    ],
)
def test_a_type_that_no_schema_can_express_is_named_with_its_field(annotation: Any, problem: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema_of_field(annotation)

    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_a_default_that_its_own_type_refuses_is_named_with_its_field() -> None:
    with pytest.raises(SchemaError, match=r"^Sample\.value: the default 'c' is not valid for its own type"):
        schema_of_field(Literal["a", "b"], default="c")
