"""The syntax of names, keys and ports, and what the server says when it is broken."""

import re
from collections.abc import Sequence

from framework.apiserver.objectmeta.names import (
    dns_1035_label_problems,
    dns_label_problems,
    dns_subdomain_problems,
    label_key_problems,
    label_value_problems,
)

Problems = Sequence[str]

dns_label = dns_label_problems
dns_subdomain = dns_subdomain_problems
dns_1035_label = dns_1035_label_problems
qualified_name = label_key_problems
label_value = label_value_problems

SUBDOMAIN_LENGTH = 253
_PORT_NAME_LENGTH = 15
_MAX_PORT = 65535

_LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_FORMAT = rf"{_LABEL_FORMAT}(\.{_LABEL_FORMAT})*"
_WILDCARD_FORMAT = rf"\*\.{_SUBDOMAIN_FORMAT}"
_CONFIG_KEY_FORMAT = "[-._a-zA-Z0-9]+"
_HEADER_FORMAT = "[-A-Za-z0-9]+"
_PERCENT_FORMAT = "[0-9]+%"
_HTTP_PATH_FORMAT = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

_WILDCARD = re.compile(_WILDCARD_FORMAT)
_CONFIG_KEY = re.compile(_CONFIG_KEY_FORMAT)
_HEADER = re.compile(_HEADER_FORMAT)
_PERCENT = re.compile(_PERCENT_FORMAT)
_HTTP_PATH = re.compile(_HTTP_PATH_FORMAT)
_PORT_CHARACTERS = re.compile("[-a-z0-9]+")
_PRINTABLE_ASCII = re.compile("[ -~]+")


def explained(rule: str, pattern: str, *examples: str) -> str:
    """*rule* with examples and the regular expression that decides."""
    if not examples:
        return f"{rule} (regex used for validation is '{pattern}')"
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {listed}regex used for validation is '{pattern}')"


def too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def out_of_range(low: int, high: int) -> str:
    return f"must be between {low} and {high}, inclusive"


def wildcard_subdomain(value: str) -> Problems:
    problems = [too_long(SUBDOMAIN_LENGTH)] if len(value) > SUBDOMAIN_LENGTH else []
    if not _WILDCARD.fullmatch(value):
        rule = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist "
            "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
        )
        problems.append(explained(rule, _WILDCARD_FORMAT, "*.example.com"))
    return problems


def config_key(value: str) -> Problems:
    """A key of a ConfigMap or Secret: it becomes the name of a file."""
    problems = [too_long(SUBDOMAIN_LENGTH)] if len(value) > SUBDOMAIN_LENGTH else []
    if not _CONFIG_KEY.fullmatch(value):
        rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        problems.append(explained(rule, _CONFIG_KEY_FORMAT, "key.name", "KEY_NAME", "key-name"))
    if value in {".", ".."}:
        problems.append(f"must not be '{value}'")
    elif value.startswith(".."):
        problems.append("must not start with '..'")
    return problems


def environment_name(value: str) -> Problems:
    if _PRINTABLE_ASCII.fullmatch(value) and "=" not in value:
        return ()
    return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]


def header_name(value: str) -> Problems:
    if _HEADER.fullmatch(value):
        return ()
    rule = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [explained(rule, _HEADER_FORMAT, "X-Header-Name")]


def percent(value: str) -> Problems:
    if _PERCENT.fullmatch(value):
        return ()
    rule = "a valid percent string must be a numeric string followed by an ending '%'"
    return [explained(rule, _PERCENT_FORMAT, "1%", "93%")]


def http_path(value: str) -> Problems:
    return () if _HTTP_PATH.fullmatch(value) else [explained("Invalid path", _HTTP_PATH_FORMAT)]


def port_number(value: int) -> Problems:
    return () if 1 <= value <= _MAX_PORT else [out_of_range(1, _MAX_PORT)]


def port_name(value: str) -> Problems:
    problems = [too_long(_PORT_NAME_LENGTH)] if len(value) > _PORT_NAME_LENGTH else []
    if not _PORT_CHARACTERS.fullmatch(value):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        problems.append("must contain at least one letter (a-z)")
    if "--" in value:
        problems.append("must not contain consecutive hyphens")
    if value[:1] == "-" or value[-1:] == "-":
        problems.append("must not begin or end with a hyphen")
    return problems
