"""Schemas of definitions are compiled once for each content."""

from typing import Any

from framework.apiserver.definitions.field_schemas import field_schema
from framework.apiserver.definitions.structural_schemas import structural_schema


def schema(text_type: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": {"text": {"type": text_type}}}}}


def test_the_same_content_is_compiled_once() -> None:
    assert structural_schema(schema("string"), preserve_unknown=False) is structural_schema(
        schema("string"), preserve_unknown=False
    )
    assert field_schema(schema("string")) is field_schema(schema("string"))


def test_other_content_has_another_schema() -> None:
    texts, numbers = (structural_schema(schema(each), preserve_unknown=False) for each in ("string", "integer"))

    assert texts.validate({"spec": {"text": "a"}}) == []
    assert numbers.validate({"spec": {"text": "a"}}) != []
    assert field_schema(schema("string")) is not field_schema(schema("integer"))


def test_who_preserves_unknown_fields_has_a_schema_of_its_own() -> None:
    keeping, pruning = (structural_schema(schema("string"), preserve_unknown=keeps) for keeps in (True, False))

    assert list(keeping.prune({"other": 1})) == []
    assert list(pruning.prune({"other": 1})) == ["other"]
