"""Functions of an expression: their signatures as text, and the Python function behind each.

`member("string.charAt(int) -> string", char_at)` declares what is called as `text.charAt(1)`, `function(...)` what is
called as `size(text)` or `sets.contains(a, b)`. A capital letter alone is a type parameter.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from framework.apiserver.cel import types
from framework.apiserver.cel.types import Type

_OPAQUE = {
    "Quantity": "kubernetes.Quantity",
    "URL": "kubernetes.URL",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
    "Format": "kubernetes.NamedFormat",
    "Semver": "kubernetes.Semver",
    "Authorizer": "kubernetes.authorization.Authorizer",
    "PathCheck": "kubernetes.authorization.PathCheck",
    "GroupCheck": "kubernetes.authorization.GroupCheck",
    "ResourceCheck": "kubernetes.authorization.ResourceCheck",
    "Decision": "kubernetes.authorization.Decision",
}
_SIMPLE = {
    each.name: each
    for each in (
        types.BOOL,
        types.INT,
        types.UINT,
        types.DOUBLE,
        types.STRING,
        types.BYTES,
        types.NULL,
        types.TIMESTAMP,
        types.DURATION,
        types.DYN,
    )
} | {short: types.opaque(name) for short, name in _OPAQUE.items()}

_MEMBER = re.compile(r"(?P<receiver>.+)\.(?P<name>[\w@]+)\((?P<arguments>.*)\) -> (?P<result>.+)")
_FUNCTION = re.compile(r"(?P<name>[^()]+)\((?P<arguments>.*)\) -> (?P<result>.+)")
_WITH_PARAMETERS = re.compile(r"(\w+)\((.*)\)")


class Overload:
    """One signature of a function and what it does; a member's first parameter is its receiver."""

    __slots__ = ("call", "is_member", "name", "parameters", "result", "type_parameters")

    def __init__(
        self, name: str, parameters: list[Type], result: Type, call: Callable[..., Any], *, member: bool
    ) -> None:
        self.name = name
        self.is_member = member
        self.parameters = parameters
        self.result = result
        self.call = call
        self.type_parameters = frozenset(_type_parameters([*parameters, result]))


def member(signature: str, call: Callable[..., Any]) -> Overload:
    found = _MEMBER.fullmatch(signature)
    assert found is not None, signature  # noqa: S101 - a typing error in our own table
    parameters = [_read(found["receiver"]), *_read_all(found["arguments"])]
    return Overload(found["name"], parameters, _read(found["result"]), call, member=True)


def function(signature: str, call: Callable[..., Any]) -> Overload:
    found = _FUNCTION.fullmatch(signature)
    assert found is not None, signature  # noqa: S101 - a typing error in our own table
    return Overload(found["name"], _read_all(found["arguments"]), _read(found["result"]), call, member=False)


def by_name(overloads: Iterable[Overload]) -> dict[str, list[Overload]]:
    grouped: dict[str, list[Overload]] = {}
    for overload in overloads:
        grouped.setdefault(overload.name, []).append(overload)
    return grouped


@cache
def _read(text: str) -> Type:
    if text in _SIMPLE:
        return _SIMPLE[text]
    if len(text) == 1:
        return types.type_parameter(text)
    found = _WITH_PARAMETERS.fullmatch(text)
    assert found is not None, text  # noqa: S101 - a typing error in our own table
    parameters = _read_all(found[2])
    match found[1]:
        case "list":
            return types.list_of(*parameters)
        case "map":
            return types.map_of(*parameters)
        case "type":
            return types.type_of(*parameters)
    return types.optional_of(*parameters)


def _read_all(text: str) -> list[Type]:
    """The types between commas that are not inside parentheses."""
    if "(" not in text:
        return [_read(part) for part in text.split(", ") if part]
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [_read(part.strip()) for part in parts if part.strip()]


def _type_parameters(declared: Iterable[Type]) -> Iterable[str]:
    for each in declared:
        if each.kind == "type_param":
            yield each.name
        yield from _type_parameters(each.parameters)
