"""Named formats: `format.dns1123Label().validate(self.name)` gives what is wrong, as an optional list of texts."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from functools import partial

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.instants import parse_date, parse_timestamp
from framework.apiserver.cel.library.urls import parse_request_uri
from framework.apiserver.cel.values import ABSENT, Opaque, Optional
from framework.apiserver.objectmeta.names import (
    dns_1035_name,
    label_key_problems,
    label_name,
    label_value_problems,
    subdomain_name,
)

_UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")


class Format(Opaque):
    __slots__ = ("name", "problems")
    type_name = "kubernetes.NamedFormat"

    def __init__(self, name: str, problems: Callable[[str], Sequence[str]]) -> None:
        self.name = name
        self.problems = problems

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Format) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


def _uri(text: str) -> Sequence[str]:
    try:
        parse_request_uri(text)
    except CelError as error:
        return [str(error)]
    return ()


def _uuid(text: str) -> Sequence[str]:
    return () if _UUID.fullmatch(text) else ["does not match the UUID format"]


def _byte(text: str) -> Sequence[str]:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return ["invalid base64"]
    return () if text else ["invalid base64"]


def _date(text: str) -> Sequence[str]:
    try:
        parse_date(text)
    except (ValueError, CelError):
        return ["invalid date"]
    return ()


def _datetime(text: str) -> Sequence[str]:
    try:
        parse_timestamp(text)
    except (ValueError, CelError):
        return ["invalid datetime"]
    return ()


_FORMATS = {
    "dns1123Label": Format("DNS1123Label", lambda text: label_name(text, False)),  # noqa: FBT003 - is_prefix
    "dns1123Subdomain": Format("DNS1123Subdomain", lambda text: subdomain_name(text, False)),  # noqa: FBT003 - is_prefix
    "dns1035Label": Format("DNS1035Label", lambda text: dns_1035_name(text, False)),  # noqa: FBT003 - is_prefix
    "qualifiedName": Format("QualifiedName", label_key_problems),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", lambda text: label_name(text, True)),  # noqa: FBT003 - is_prefix
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", lambda text: subdomain_name(text, True)),  # noqa: FBT003 - is_prefix
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", lambda text: dns_1035_name(text, True)),  # noqa: FBT003 - is_prefix
    "labelValue": Format("LabelValue", label_value_problems),
    "uri": Format("URI", _uri),
    "uuid": Format("uuid", _uuid),
    "byte": Format("byte", _byte),
    "date": Format("date", _date),
    "datetime": Format("datetime", _datetime),
}


def _validate(format_: Format, text: str) -> Optional:
    problems = list(format_.problems(text))
    return Optional(problems) if problems else ABSENT


def _named(name: str) -> Optional:
    return Optional(_FORMATS[name]) if name in _FORMATS else ABSENT


def _constant(value: Format) -> Format:
    return value


OVERLOADS = (
    *(function(f"format.{name}() -> Format", partial(_constant, value)) for name, value in _FORMATS.items()),
    function("format.named(string) -> optional(Format)", _named),
    member("Format.validate(string) -> optional(list(string))", _validate),
)
