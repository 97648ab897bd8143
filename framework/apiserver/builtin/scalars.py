"""How Go reads the values without parts, and what it says of those that do not fit."""

import base64
import binascii
import re
from typing import Any

from apis.meta.quantity import parse_quantity
from framework.apiserver.builtin.timestamps import read_micro_time, read_time

_INT_RANGES = {"int32": 2**31, "int64": 2**63}
_OUTSIDE_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


class TypeMismatch(Exception):
    """A JSON value of another type than the field's. *place* is the Go struct and the path of fields to it."""

    def __init__(self, value: Any, go_type: str) -> None:
        super().__init__(go_type)
        self.value = value
        self.found = json_type(value)
        self.go_type = go_type
        self.place = ""

    def __str__(self) -> str:
        target = f"struct field {self.place}" if self.place else "value"
        return f"json: cannot unmarshal {self.found} into Go {target} of type {self.go_type}"


def json_type(value: Any) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return "array" if isinstance(value, list) else "object"


def as_string(value: Any, go_type: str) -> Any:
    if type(value) is not str:
        raise TypeMismatch(value, go_type)
    return value


def as_bool(value: Any, go_type: str) -> Any:
    if type(value) is not bool:
        raise TypeMismatch(value, go_type)
    return value


def as_integer(value: Any, go_type: str) -> Any:
    limit = _INT_RANGES[go_type]
    if type(value) is int and -limit <= value < limit:
        return value
    error = TypeMismatch(value, go_type)
    if error.found == "number":
        error.found = f"number {value}"
    raise error


def as_number(value: Any, go_type: str) -> Any:
    if type(value) is not int and type(value) is not float:
        raise TypeMismatch(value, go_type)
    return value


def as_anything(value: Any, _: str) -> Any:
    return value


def as_int_or_string(value: Any, _: str) -> Any:
    return value if type(value) is str else as_integer(value, "int32")


def as_time(value: Any, _: str) -> Any:
    return read_time(as_string(value, "string"))


def as_micro_time(value: Any, _: str) -> Any:
    return read_micro_time(as_string(value, "string"))


def as_quantity(value: Any, _: str) -> Any:
    if type(value) is bool or not isinstance(value, (str, int, float)):
        raise TypeMismatch(value, "string")
    return parse_quantity(str(value).strip()).spelling


def as_bytes(value: Any, go_type: str) -> Any:
    if type(value) is not str:
        raise TypeMismatch(value, go_type)
    text = value.replace("\r", "").replace("\n", "")
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError(f"illegal base64 data at input byte {_first_illegal(text)}") from None
    return text


def _first_illegal(text: str) -> int:
    found = _OUTSIDE_BASE64.search(text.rstrip("="))
    return found.start() if found else len(text) - len(text) % 4
