"""Every field that a schema declares, changed in every way that the schema suggests."""

import random  # noqa: TID251 - seeded
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from hypothesis import find, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument, NoSuchExample

_Schema = Mapping[str, Any]
_ABSENT: Any = msgspec.UNSET
_TEXTS = ("another", "a")
_LONG = 40
_LONGEST = 4096
_SETTINGS = settings(database=None, deadline=None)
_STRANGE_TEXTS = {
    "date-time": ("2027-01-01T00:00:00Z",),
    "date": ("2027-01-01",),
    "duration": ("1h0m0s",),
    "byte": ("YW5vdGhlcg==",),
    "uuid": ("00000000-0000-4000-8000-000000000000",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "uri": ("https://example.dev/another",),
}


class Edit(msgspec.Struct, frozen=True):
    """One field is another."""

    # Such as `spec.replicas`.
    path: str
    # How: `maximum`, `removed`, `item added` …
    how: str
    # The whole spec with that field changed.
    spec: Any

    def __str__(self) -> str:
        return f"{self.path} {self.how}"


def edits_of(schema: _Schema, value: Any, path: str = "spec") -> Iterator[Edit]:
    """Each declared field of *value*, also one that is not there, with each other value that the schema gives."""
    for inner_path, how, changed in _edits(schema, value, path, is_required=True):
        yield Edit(inner_path, how, changed)


def random_edit(schema: _Schema, value: Any, choose: random.Random) -> Edit | None:
    edits = list(edits_of(schema, value))
    return choose.choice(edits) if edits else None


def merge_patch(before: Any, after: Any) -> Any:
    """What to merge into *before* to get *after*."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    gone = dict.fromkeys(field for field in before if field not in after)
    changed = {
        field: merge_patch(before.get(field), value)
        for field, value in after.items()
        if field not in before or before[field] != value
    }
    return {**gone, **changed}


def _edits(schema: _Schema, value: Any, path: str, *, is_required: bool) -> Iterator[tuple[str, str, Any]]:
    for how, other in _others(schema, value):
        yield path, how, other
    if value is not _ABSENT and not is_required:
        yield path, "removed", _ABSENT
    if schema.get("type") == "object":
        yield from _of_fields(schema, {} if value is _ABSENT else value, path)
    elif schema.get("type") == "array" and isinstance(value, list):
        yield from _of_items(schema, value, path)


def _of_fields(schema: _Schema, value: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, Any]]:
    required = schema.get("required", ())
    for field, inner in schema.get("properties", {}).items():
        old = value.get(field, _ABSENT)
        if old is _ABSENT and inner.get("type") == "object" and inner.get("required"):
            # Half an object is refused: it comes whole.
            yield f"{path}.{field}", "added", {**value, field: example_of(inner)}
            continue
        for where, how, new in _edits(inner, old, f"{path}.{field}", is_required=field in required):
            rest = {name: each for name, each in value.items() if name != field}
            yield where, how, rest if new is _ABSENT else {**value, field: new}
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        yield path, "entry added", {**value, "another": example_of(more)}
        for name, old in value.items():
            yield f"{path}.{name}", "entry removed", {each: text for each, text in value.items() if each != name}
            for where, how, new in _edits(more, old, f"{path}.{name}", is_required=True):
                yield where, how, {**value, name: new}


def _of_items(schema: _Schema, value: list[Any], path: str) -> Iterator[tuple[str, str, Any]]:
    items = schema.get("items", {})
    yield path, "item added", [*value, example_of(items)]
    if len(value) > 1:
        yield path, "order turned round", value[::-1]
    for number, old in enumerate(value):
        yield f"{path}[{number}]", "item removed", [*value[:number], *value[number + 1 :]]
        for where, how, new in _edits(items, old, f"{path}[{number}]", is_required=True):
            yield where, how, [*value[:number], new, *value[number + 1 :]]


def _others(schema: _Schema, value: Any) -> Iterator[tuple[str, Any]]:
    """Values of a scalar, other than the one that it has."""
    seen = [value]
    for how, other in _values(schema):
        # True is 1 in Python, and not in JSON.
        if not any(other == each and type(other) is type(each) for each in seen):
            seen.append(other)
            yield how, other


def _values(schema: _Schema) -> Iterator[tuple[str, Any]]:
    if "enum" in schema:
        yield from ((f"is {each!r}", each) for each in schema["enum"])
        return
    if "default" in schema and schema.get("type") != "object":
        yield "is the default", schema["default"]
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        yield from (("a number", 7), ("a share", "25%"))
    elif kind == "boolean":
        yield from (("is true", True), ("is false", False))
    elif kind in {"integer", "number"}:
        yield from _numbers(schema)
    elif kind == "string":
        yield from _texts(schema)


def _numbers(schema: _Schema) -> Iterator[tuple[str, int]]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None:
        yield "at its minimum", least + (1 if schema.get("exclusiveMinimum") else 0)
    if most is not None:
        yield "at its maximum", most - (1 if schema.get("exclusiveMaximum") else 0)
    for number in (0, 1, 3):
        if (least is None or number > least) and (most is None or number < most):
            yield f"is {number}", number
    if least is None:
        yield "below nothing", -1


def _texts(schema: _Schema) -> Iterator[tuple[str, str]]:
    if schema.get("format") in _STRANGE_TEXTS:
        yield from (("another", text) for text in _STRANGE_TEXTS[schema["format"]])
        return
    pattern = schema.get("pattern")
    found = [(how, text) for how, text in _free_texts(schema) if pattern is None or re.search(pattern, text)]
    yield from found or [("another that fits the pattern", _fitting(pattern, schema.get("minLength", 0)))]


@cache
def _fitting(pattern: str, least: int) -> str:
    """The simplest text that *pattern* allows; empty, and so refused by the server, if none is found."""
    try:
        texts = st.from_regex(pattern, alphabet=st.characters(min_codepoint=33, max_codepoint=126))
        choose = random.Random(0)  # noqa: S311 - no secret
        return find(texts, lambda text: len(text) >= max(1, least), random=choose, settings=_SETTINGS)
    except (NoSuchExample, InvalidArgument, re.error):
        return ""


def _free_texts(schema: _Schema) -> Iterator[tuple[str, str]]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if least == 0:
        yield "empty", ""
    for text in _TEXTS:
        if least <= len(text) and (most is None or len(text) <= most):
            yield f"is {text!r}", text
    if least > 1:
        yield "as short as can be", "x" * least
    yield "as long as can be", "x" * max(least, _LONG if most is None or most > _LONGEST else most)


def example_of(schema: _Schema) -> Any:
    """Something that the schema allows, as small as can be."""
    if "default" in schema:
        return schema["default"]
    if schema.get("type") == "object":
        required = schema.get("required", ())
        return {field: example_of(inner) for field, inner in schema.get("properties", {}).items() if field in required}
    if schema.get("type") == "array":
        return [example_of(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    return next((value for _, value in _values(schema) if value not in ("", -1)), {})
