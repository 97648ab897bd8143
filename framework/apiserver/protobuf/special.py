"""Messages that are something simpler in JSON: times, quantities, free-form values."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from framework.apiserver.patch import decode_json
from framework.apiserver.protobuf.wire import Malformed, Raw, content, fields, number, signed, text

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Go's zero time, which it writes as null.
_NO_MOMENT = datetime.min.replace(tzinfo=UTC)
_BILLION = 1_000_000_000

# From the bytes of such a message, and what reads the JSON schemas that may be in it, to its JSON.
Read = Callable[[bytes, Callable[[bytes], Any]], Any]


class Special(NamedTuple):
    read: Read
    # What a struct of Go has that nobody has set.
    zero: Any = None


def _moment(data: bytes, nanos: int) -> datetime | None:
    if not data:
        return None
    seconds = signed(dict(fields(data)).get(1, 0))
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise Malformed("a time is out of range") from None
    return None if moment == _NO_MOMENT else moment


def _time(data: bytes, _schema: Callable[[bytes], Any]) -> str | None:
    # Of the nanoseconds Go keeps none here.
    moment = _moment(data, 0)
    return moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%SZ") if moment else None


def _micro_time(data: bytes, _schema: Callable[[bytes], Any]) -> str | None:
    nanos = signed(dict(fields(data)).get(2, 0), 32)
    if not 0 <= nanos < _BILLION:
        raise Malformed("a time is out of range")
    moment = _moment(data, nanos)
    return moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%S.%fZ") if moment else None


def _quantity(data: bytes, _schema: Callable[[bytes], Any]) -> str:
    return text(dict(fields(data)).get(1, b"")) or "0"


def _int_or_string(data: bytes, _schema: Callable[[bytes], Any]) -> int | str:
    found = dict(fields(data))
    is_text = number(found.get(1, 0)) != 0
    return text(found.get(3, b"")) if is_text else signed(found.get(2, 0), 32)


def _json(data: bytes, _schema: Callable[[bytes], Any]) -> Any:
    raw = content(dict(fields(data)).get(1, b""))
    return decode_json(raw) if raw else None


def _items(data: bytes, _schema: Callable[[bytes], Any]) -> list[str]:
    return [text(raw) for raw in _all(data, 1)]


def _schema_or_bool(data: bytes, schema: Callable[[bytes], Any]) -> Any:
    schemas = _all(data, 2)
    return schema(content(schemas[-1])) if schemas else any(_all(data, 1))


def _schema_or_array(data: bytes, schema: Callable[[bytes], Any]) -> Any:
    if several := _all(data, 2):
        return [schema(content(raw)) for raw in several]
    one = _all(data, 1)
    return schema(content(one[-1])) if one else None


def _schema_or_strings(data: bytes, schema: Callable[[bytes], Any]) -> Any:
    if several := _all(data, 2):
        return [text(raw) for raw in several]
    one = _all(data, 1)
    return schema(content(one[-1])) if one else None


def _all(data: bytes, wanted: int) -> list[Raw]:
    return [raw for found, raw in fields(data) if found == wanted]


SPECIAL: Mapping[str, Special] = {
    f"{_META}.Time": Special(_time),
    f"{_META}.MicroTime": Special(_micro_time),
    f"{_META}.FieldsV1": Special(_json),
    f"{_META}.Verbs": Special(_items),
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Special(_quantity, "0"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": Special(_int_or_string, 0),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": Special(_json),
    "io.k8s.api.authentication.v1.ExtraValue": Special(_items),
    "io.k8s.api.authorization.v1.ExtraValue": Special(_items),
    f"{_EXTENSIONS}.JSON": Special(_json),
    f"{_EXTENSIONS}.JSONSchemaPropsOrBool": Special(_schema_or_bool),
    f"{_EXTENSIONS}.JSONSchemaPropsOrArray": Special(_schema_or_array),
    f"{_EXTENSIONS}.JSONSchemaPropsOrStringArray": Special(_schema_or_strings),
}
