"""From JSON to CEL values, where they differ.

A converter is None where they do not, so that most values are used as they are and never copied.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.instants import (
    Duration,
    Timestamp,
    parse_date,
    parse_lenient_duration,
    parse_timestamp,
)
from framework.apiserver.cel.values import MapList, SetList

Converter = Callable[[Any], Any] | None


def timestamp_from_json(text: str) -> Timestamp:
    try:
        return parse_timestamp(text)
    except ValueError as error:
        raise CelError(f"Invalid date-time formatted string {text}: {error}") from None


def date_from_json(text: str) -> Timestamp:
    try:
        return parse_date(text)
    except ValueError as error:
        raise CelError(f"Invalid date formatted string {text}: {error}") from None


def duration_from_json(text: str) -> Duration:
    try:
        return parse_lenient_duration(text)
    except ValueError as error:
        raise CelError(f"Invalid duration {text}: {error}") from None


def bytes_from_json(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise CelError(f"Invalid byte formatted string {text}: {error}") from None


def nullable_converter(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


def list_converter(element: Converter, *, is_set: bool, keys: tuple[str, ...]) -> Converter:
    if is_set:
        return SetList if element is None else lambda items: SetList(map(element, items))
    if keys:
        return lambda items: MapList(items if element is None else map(element, items), keys)
    return None if element is None else lambda items: list(map(element, items))


def map_converter(value: Converter) -> Converter:
    if value is None:
        return None
    return lambda entries: {key: value(each) for key, each in entries.items()}


def object_converter(fields: Mapping[str, tuple[str, Converter]]) -> Converter:
    """Needed if a field is converted or is named otherwise in expressions; a null field is an absent one."""
    if all(name == key and convert is None for name, (key, convert) in fields.items()):
        return None
    names = {key: (name, convert) for name, (key, convert) in fields.items()}

    def convert_object(entries: dict[str, Any]) -> dict[str, Any]:
        converted = {}
        for key, value in entries.items():
            name, convert = names.get(key, (key, None))
            if value is not None:
                converted[name] = value if convert is None else convert(value)
        return converted

    return convert_object
