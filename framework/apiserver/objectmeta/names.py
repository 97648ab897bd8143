"""What names, label keys and label values must look like; each check returns what is wrong, nothing if all is well."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

# The second argument says that characters will still be appended, as to a generateName.
NameRule: TypeAlias = "Callable[[str, bool], Sequence[str]]"

_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_DNS_1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_LABEL_KEY})?"

_is_dns_label = re.compile(_DNS_LABEL).fullmatch
_is_dns_subdomain = re.compile(_DNS_SUBDOMAIN).fullmatch
_is_dns_1035_label = re.compile(_DNS_1035_LABEL).fullmatch
_is_label_key_name = re.compile(_LABEL_KEY).fullmatch
_is_label_value = re.compile(_LABEL_VALUE).fullmatch

_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253
_LONGEST_KEY = _SUBDOMAIN_LENGTH + 1 + _LABEL_LENGTH

_ENDS = "and must start and end with an alphanumeric character"
_NOT_A_LABEL_KEY = (
    f"must consist of alphanumeric characters, '-', '_' or '.', {_ENDS} "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_LABEL_KEY}')"
)
_OPTIONAL_PREFIX = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
_NOT_A_LABEL_VALUE = (
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', {_ENDS} "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_LABEL_VALUE}')"
)
_NOT_A_SUBDOMAIN = (
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', {_ENDS} "
    f"(e.g. 'example.com', regex used for validation is '{_DNS_SUBDOMAIN}')"
)
_NOT_A_LABEL = (
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', {_ENDS} "
    f"(e.g. 'my-name',  or '123-abc', regex used for validation is '{_DNS_LABEL}')"
)
_NOT_A_1035_LABEL = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character "
    f"(e.g. 'my-name',  or 'abc-123', regex used for validation is '{_DNS_1035_LABEL}')"
)


def label_key_problems(key: str) -> Sequence[str]:
    """The rule for label keys, annotation keys and finalizers: `[prefix/]name`."""
    # The same few keys come again and again; long ones are no keys, and not worth the memory.
    return _known_key_problems(key) if len(key) <= _LONGEST_KEY else _key_problems(key)


@lru_cache(maxsize=4096)
def _known_key_problems(key: str) -> Sequence[str]:
    return _key_problems(key)


def _key_problems(key: str) -> Sequence[str]:
    prefix, slash, name = key.partition("/")
    if not slash:
        return _key_name_problems(key)
    if "/" in name:
        return [f"a valid label key {_NOT_A_LABEL_KEY} {_OPTIONAL_PREFIX}"]
    found = _subdomain_problems(prefix, "bytes") if prefix else ["must be non-empty"]
    return [*(f"prefix part {problem}" for problem in found), *_key_name_problems(name)]


def label_value_problems(value: str) -> Sequence[str]:
    return _problems(value, _LABEL_LENGTH, "bytes", None if _is_label_value(value) else _NOT_A_LABEL_VALUE)


def dns_subdomain_problems(name: str) -> Sequence[str]:
    return _subdomain_problems(name, "characters")


def dns_label_problems(name: str) -> Sequence[str]:
    if _is_dns_label(name):
        return _problems(name, _LABEL_LENGTH, "characters", None)
    explanation = "must not contain dots" if _is_dns_subdomain(name) else _NOT_A_LABEL
    return _problems(name, _LABEL_LENGTH, "characters", explanation)


def dns_1035_label_problems(name: str) -> Sequence[str]:
    return _problems(name, _LABEL_LENGTH, "characters", None if _is_dns_1035_label(name) else _NOT_A_1035_LABEL)


def subdomain_name(name: str, is_prefix: bool) -> Sequence[str]:  # noqa: FBT001 - the shape of every name rule
    return dns_subdomain_problems(_completed(name) if is_prefix else name)


def label_name(name: str, is_prefix: bool) -> Sequence[str]:  # noqa: FBT001 - the shape of every name rule
    return dns_label_problems(_completed(name) if is_prefix else name)


def dns_1035_name(name: str, is_prefix: bool) -> Sequence[str]:  # noqa: FBT001 - the shape of every name rule
    return dns_1035_label_problems(_completed(name) if is_prefix else name)


def path_segment_name(name: str, is_prefix: bool) -> Sequence[str]:  # noqa: FBT001 - the shape of every name rule
    """The rule for names that may hold anything that fits into a URL, as those of roles do."""
    if name in (".", "..") and not is_prefix:
        return [f"may not be '{name}'"]
    return [f"may not contain '{character}'" for character in "/%" if character in name]


def _completed(prefix: str) -> str:
    # A trailing dash is fine where something follows it. Two characters go, as in the real server.
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _key_name_problems(name: str) -> Sequence[str]:
    if _is_label_key_name(name) and len(name) <= _LABEL_LENGTH:
        return ()
    problems = []
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode()) > _LABEL_LENGTH:
        problems.append(f"name part must be no more than {_LABEL_LENGTH} bytes")
    if not _is_label_key_name(name):
        problems.append(f"name part {_NOT_A_LABEL_KEY}")
    return problems


def _subdomain_problems(name: str, unit: str) -> Sequence[str]:
    return _problems(name, _SUBDOMAIN_LENGTH, unit, None if _is_dns_subdomain(name) else _NOT_A_SUBDOMAIN)


def _problems(value: str, length: int, unit: str, explanation: str | None) -> Sequence[str]:
    """*explanation* says which pattern *value* lacks. The real server counts bytes, even where it says characters."""
    if explanation is None and len(value) <= length:
        return ()
    too_long = [f"must be no more than {length} {unit}"] if len(value.encode()) > length else []
    return too_long if explanation is None else [*too_long, explanation]
