"""Small checks that many kinds share; each gives the problems it finds."""

import ipaddress
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from framework.apiserver.builtin.validation import names
from framework.apiserver.fields import FieldError, forbidden_field, invalid_value, required, unsupported
from framework.apiserver.spelling import Spelled

Errors = Iterator[FieldError]
_HUNDRED = 100


def each(field: str, value: Any, problems: Iterable[str]) -> Errors:
    """One error for each of *problems*, which all are about *value*."""
    return (invalid_value(field, value, problem) for problem in problems)


def in_order(value: Mapping[str, Any]) -> Spelled:
    """*value* for a message that shows its fields in the given order."""
    return Spelled(msgspec.json.encode(value).decode())


def non_negative(owner: Mapping[str, Any], path: str, *fields: str) -> Errors:
    for field in fields:
        if (value := owner.get(field, 0)) < 0:
            yield invalid_value(f"{path}.{field}", value, "must be greater than or equal to 0")


def one_of(field: str, value: str, supported: Sequence[str]) -> Errors:
    """For fields with a default: what is missing was emptied on purpose."""
    if not value:
        yield required(field)
    elif value not in supported:
        yield unsupported(field, value, supported)


def immutable(field: str, new: Any, old: Any) -> Errors:
    if new != old:
        yield invalid_value(field, new, "field is immutable")


def unchanged_while_immutable(new: Mapping[str, Any], old: Mapping[str, Any], fields: Collection[str]) -> Errors:
    """The switch that ConfigMaps and Secrets have: once on, it and the contents stay as they are."""
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_field("immutable", "field is immutable when `immutable` is set")
    for field in fields:
        if new.get(field) != old.get(field):
            yield forbidden_field(field, "field is immutable when `immutable` is set")


def port_number_or_name(field: str, port: Any) -> Errors:
    problems = names.port_name(port) if isinstance(port, str) else names.port_number(port)
    return each(field, port, problems)


def count_or_percent(field: str, value: Any) -> Errors:
    if isinstance(value, str):
        yield from each(field, value, names.percent(value))
    elif value < 0:
        yield invalid_value(field, value, "must be greater than or equal to 0")


def at_most_all(field: str, value: Any) -> Errors:
    if isinstance(value, str) and not names.percent(value) and int(value[:-1]) > _HUNDRED:
        yield invalid_value(field, value, "must not be greater than 100%")


def amount_of(value: Any) -> int:
    """A count or a percentage as a number; only its being zero means anything."""
    if isinstance(value, str):
        return 0 if names.percent(value) else int(value[:-1])
    return int(value)


def ip_address(field: str, value: str) -> Errors:
    if _parsed(ipaddress.ip_address, value) is None:
        yield invalid_value(field, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")


def ip_network(field: str, value: str) -> Errors:
    if "/" not in value or _parsed(lambda text: ipaddress.ip_network(text, strict=False), value) is None:
        yield invalid_value(field, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")


def _parsed(parse: Callable[[str], Any], value: str) -> Any:
    try:
        return parse(value)
    except ValueError:
        return None
