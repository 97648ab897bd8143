"""All formats by their names."""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from framework.apiserver.schema.formats.addresses import is_cidr, is_ipv4, is_ipv6, is_mac
from framework.apiserver.schema.formats.checksums import is_credit_card, is_isbn, is_isbn10, is_isbn13
from framework.apiserver.schema.formats.durations import is_duration
from framework.apiserver.schema.formats.mail import is_email
from framework.apiserver.schema.formats.uris import is_request_uri
from framework.apiserver.schema.patterns import Matcher, compile_pattern

_LONGEST_HOSTNAME = 255
_LONGEST_LABEL = 63
_LONGEST_NAME = 253

_UUID_HEAD = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?"
_UUID_TAIL = "-?[0-9a-f]{12}"
_BASE64_FOUR = "[A-Za-z0-9+/]{4}"
_BASE64_END = f"(?:[A-Za-z0-9+/]{{2}}==|[A-Za-z0-9+/]{{3}}=|{_BASE64_FOUR})"
_COLOR_PART = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_NAME_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

_is_time_of_day = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})").fullmatch
_is_short_name = re.compile(_NAME_LABEL).fullmatch
_is_long_name = re.compile(rf"{_NAME_LABEL}(\.{_NAME_LABEL})*").fullmatch


def is_recognized(name: str, json_type: str) -> bool:
    """Whether values of *json_type* ("" for any, or several) are checked against the format *name*."""
    if json_type in ("", "string"):
        return _normal(name) in _CHECKS
    return name in _NUMBER_FORMATS.get(json_type, ())


def string_format(name: str) -> Callable[[str], bool] | None:
    """The check for strings of that format; None for formats of numbers."""
    return _CHECKS.get(_normal(name))


def _normal(name: str) -> str:
    return name.replace("-", "")


def _is_date(text: str) -> bool:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        return False
    year, month, day = map(int, text.split("-"))
    # The year 0 is a leap year that Python's calendar does not have.
    try:
        date(year or 2000, month, day)
    except ValueError:
        return False
    return True


# Nearly all times are seen again with each write of their object.
@lru_cache(4096)
def _is_date_time(text: str) -> bool:
    day, found, rest = text.lower().partition("t")
    if not found or not _is_date(day):
        return False
    # What follows a second "t" is not looked at.
    matched = _is_time_of_day(rest.partition("t")[0])
    return matched is not None and matched[1] <= "23" and matched[2] <= "59" and matched[3] <= "59"


# Letters and symbols of all languages are part of it, which the standard library cannot say.
@lru_cache(1)
def _hostname_matcher() -> Matcher:
    character = r"[a-zA-Z0-9\p{S}\p{L}]"
    single = rf"{character}((-?{character}{{0,62}})?)"
    labels = rf"({character}(([a-zA-Z0-9-\p{{S}}\p{{L}}]{{0,61}}{character})?)(\.)){{1,}}"
    return compile_pattern(rf"^({single}|{labels}([a-zA-Z\p{{L}}]){{2,63}})$")


def _is_hostname(text: str) -> bool:
    if not _hostname_matcher()(text) or len(text.encode()) > _LONGEST_HOSTNAME:
        return False
    return all(len(label.encode()) <= _LONGEST_LABEL for label in text.split("."))


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _is_short_name(text) is not None


def _is_long(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _is_long_name(text) is not None


def _matching(pattern: str) -> Callable[[str], bool]:
    fits = re.compile(pattern, re.ASCII).fullmatch
    return lambda text: fits(text) is not None


_NUMBER_FORMATS = {"integer": ("int32", "int64"), "number": ("float", "double")}

# By name without dashes, as the API server compares them.
_CHECKS: dict[str, Callable[[str], bool]] = {
    "bsonobjectid": _matching("[0-9a-fA-F]{24}"),
    "uri": is_request_uri,
    "email": is_email,
    "hostname": _is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "cidr": is_cidr,
    "mac": is_mac,
    "uuid": _matching(f"{_UUID_HEAD}[0-9a-f]{{4}}-?[0-9a-f]{{4}}{_UUID_TAIL}"),
    "uuid3": _matching(f"{_UUID_HEAD}3[0-9a-f]{{3}}-?[0-9a-f]{{4}}{_UUID_TAIL}"),
    "uuid4": _matching(f"{_UUID_HEAD}4[0-9a-f]{{3}}-?[89ab][0-9a-f]{{3}}{_UUID_TAIL}"),
    "uuid5": _matching(f"{_UUID_HEAD}5[0-9a-f]{{3}}-?[89ab][0-9a-f]{{3}}{_UUID_TAIL}"),
    "isbn": is_isbn,
    "isbn10": is_isbn10,
    "isbn13": is_isbn13,
    "creditcard": is_credit_card,
    "ssn": _matching(r"\d{3}[- ]\d{2}[- ]\d{4}"),
    "hexcolor": _matching("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matching(rf"rgb\({_COLOR_PART},{_COLOR_PART},{_COLOR_PART}\)"),
    "byte": _matching(f"(?:{_BASE64_FOUR})*{_BASE64_END}"),
    "password": lambda _: True,
    "date": _is_date,
    "duration": is_duration,
    "datetime": _is_date_time,
    "k8sshortname": _is_short,
    "k8slongname": _is_long,
}
