"""Which messages there are, and what their fields are in JSON: generated data, read at first use."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from framework.apiserver.protobuf.special import SPECIAL

JSON_SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
NUMBERS = frozenset({"int32", "int64"})
_FIELDS = Path(__file__).with_name("fields.json")
_ZEROS: Mapping[str, Any] = {"string": "", "bytes": None, "bool": False, "int32": 0, "int64": 0, "double": 0}


class Field(NamedTuple):
    name: str
    type: str
    form: Literal["", "repeated", "map", "inline"]
    # `pointer`: there if it was sent. `always`: a zero is written as well. `nonzero`: a zero is left out.
    presence: Literal["pointer", "always", "nonzero"]


class Message(NamedTuple):
    fields: Mapping[int, Field]
    # What Go would write if nothing had been sent.
    always: tuple[Field, ...]
    # What Go leaves out if it is zero.
    nonzero: tuple[Field, ...]


@cache
def messages() -> Mapping[str, Message]:
    content: Mapping[str, Mapping[str, list[Any]]] = msgspec.json.decode(_FIELDS.read_bytes())
    return {
        name: _message({int(number): Field(*field) for number, field in fields.items()})
        for name, fields in content.items()
    }


def _message(fields: Mapping[int, Field]) -> Message:
    always = tuple(field for field in fields.values() if field.presence == "always")
    nonzero = tuple(field for field in fields.values() if field.presence == "nonzero" and field.form != "inline")
    return Message(fields, always, nonzero)


def zero(field: Field) -> Any:
    """What Go writes for a field that nobody has set; for a struct, the fields in it that it writes."""
    if field.form in {"repeated", "map"}:
        return None
    if field.type in _ZEROS:
        return _ZEROS[field.type]
    special = SPECIAL.get(field.type)
    return zero_message(field.type) if special is None else special.zero


def zero_message(name: str) -> dict[str, Any]:
    message = messages().get(name)
    obj: dict[str, Any] = {}
    for field in message.always if message else ():
        if field.form == "inline":
            obj |= zero_message(field.type)
        else:
            obj[field.name] = zero(field)
    return obj
