"""From a message to the object that its JSON would have given."""

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.patch import MAXIMUM_VALUES, is_too_deep, too_many_values
from framework.apiserver.protobuf.messages import JSON_SCHEMA, NUMBERS, Field, messages, zero, zero_message
from framework.apiserver.protobuf.special import SPECIAL
from framework.apiserver.protobuf.wire import Malformed, Raw, content, double, fields, number, packed, signed, text
from framework.apiserver.status import bad_request

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"
# Each level takes a few frames of Python's stack.
_DEEPEST = 64
_TYPE_META, _RAW = 1, 2
_API_VERSION, _KIND = 1, 2
_ENTRY_KEY, _ENTRY_VALUE = 1, 2
_FIRST_BEYOND_INT64 = 2**63


def decode_protobuf(body: bytes, schema: str) -> Object:
    """The object in *body*, a *schema* such as `io.k8s.api.apps.v1.Deployment`; BadRequest if there is none."""
    if len(body) <= len(_MAGIC) and body in {b"", _MAGIC}:
        raise bad_request("empty body" if body else "empty data")
    if not body.startswith(_MAGIC):
        raise bad_request("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = dict(fields(body[len(_MAGIC) :]))
        head = dict(fields(content(envelope.get(_TYPE_META, b""))))
        obj = _checked(_Reader().message(content(envelope.get(_RAW, b"")), schema, 0))
    except Malformed as error:
        raise bad_request(f"unable to decode the protobuf body: {error}") from None
    named = {"apiVersion": text(head.get(_API_VERSION, b"")), "kind": text(head.get(_KIND, b""))}
    return {name: value for name, value in named.items() if value} | obj


def _checked(obj: Object) -> Object:
    # Free-form values in it are limited in depth, but not together with what is around them.
    if is_too_deep(obj):
        raise Malformed("it is nested too deeply")
    return obj


class _Reader:
    """Reads one body. A few bytes make a message, so it counts how many values there are."""

    def __init__(self) -> None:
        self._values = 0

    def message(self, data: bytes, name: str, depth: int) -> Object:
        if depth > _DEEPEST:
            raise Malformed("it is nested too deeply")
        message = messages().get(name)
        if message is None:
            # One without fields. What a newer client has put into it is not known here.
            return {}
        obj: Object = {}
        for found, raw in fields(data):
            field = message.fields.get(found)
            if field is not None:
                self._put(obj, field, raw, depth)
        for field in message.always:
            if field.form == "inline":
                obj = zero_message(field.type) | obj
            elif field.name not in obj:
                obj[field.name] = zero(field)
        for field in message.nonzero:
            # Bytes that were sent and are none count as zero too.
            if field.name in obj and obj[field.name] in ("", zero(field)):
                del obj[field.name]
        self._count(len(obj))
        return obj

    def _put(self, obj: Object, field: Field, raw: Raw, depth: int) -> None:
        if field.form == "inline":
            obj |= self.message(content(raw), field.type, depth + 1)
        elif field.form == "map":
            self._put_entry(obj.setdefault(field.name, {}), field, raw, depth)
        elif field.form == "repeated":
            values = obj.setdefault(field.name, [])
            if field.type in NUMBERS and isinstance(raw, bytes):
                values += [self._value(field.type, one, depth) for one in packed(raw)]
            else:
                values.append(self._value(field.type, raw, depth))
            self._count(1)
        else:
            obj[field.name] = self._value(field.type, raw, depth)

    def _put_entry(self, entries: Object, field: Field, raw: Raw, depth: int) -> None:
        entry = dict(fields(content(raw)))
        value = entry.get(_ENTRY_VALUE)
        key = text(entry.get(_ENTRY_KEY, b""))
        entries[key] = zero(field._replace(form="")) if value is None else self._value(field.type, value, depth)
        self._count(1)

    def _value(self, kind: str, raw: Raw, depth: int) -> Any:
        plain = _PLAIN.get(kind)
        if plain is not None:
            return plain(raw)
        special = SPECIAL.get(kind)
        if special is not None:
            return special.read(content(raw), lambda data: self.message(data, JSON_SCHEMA, depth + 1))
        return self.message(content(raw), kind, depth + 1)

    def _count(self, more: int) -> None:
        self._values += more
        if self._values > MAXIMUM_VALUES:
            raise too_many_values()


def _json_number(raw: Raw) -> int | float:
    value = double(raw)
    if not math.isfinite(value):
        raise Malformed("a number is none")
    return int(value) if value.is_integer() and abs(value) < _FIRST_BEYOND_INT64 else value


_PLAIN: Mapping[str, Callable[[Raw], Any]] = {
    "string": text,
    "bytes": lambda raw: base64.b64encode(content(raw)).decode(),
    "bool": lambda raw: number(raw) != 0,
    "int32": lambda raw: signed(raw, 32),
    "int64": signed,
    "double": _json_number,
}
