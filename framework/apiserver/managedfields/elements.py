"""Path elements: one step from a value to a part of it, as fieldsV1 spells it.

`f:name` is a field, `k:{"port":80}` the item of a list-map with that key, `v:"x"` the item of a set and `i:3` an
item by position. Equal elements have equal spellings, so that plain strings serve as elements everywhere.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from framework.apiserver.spelling import spelled_float, spelled_string

_FIELD, _KEY, _VALUE, _INDEX = "f:", "k:", "v:", "i:"
_PREFIX_LENGTH = 2
# Above this Go writes numbers with an exponent.
_LARGEST_PLAIN_NUMBER = 1e21
_TRUTH_RANK, _TEXT_RANK, _NUMBER_RANK = 2, 1, 0


class BadElement(Exception):
    """A spelling that no server writes."""


def key_element(key: Mapping[str, Any]) -> str:
    """The element of a list-map's item; *key* must be sorted by name."""
    return _KEY + _json({name: _plain(value) for name, value in key.items()})


def value_element(value: Any) -> str:
    return _VALUE + _json(_plain(value))


def canonical(element: str) -> str | None:
    """*element* in the one spelling that compares equal; None for kinds of elements that only others know."""
    if len(element) < _PREFIX_LENGTH:
        raise BadElement("key must be 2 characters long:")
    if element[1] != ":":
        raise BadElement(f"missing colon: {element}")
    prefix, content = element[:_PREFIX_LENGTH], element[_PREFIX_LENGTH:]
    if prefix == _FIELD:
        return element
    if prefix == _KEY:
        key = _decoded(content)
        if not isinstance(key, dict):
            raise BadElement(f"not a key: {element}")
        return key_element(dict(sorted(key.items())))
    if prefix == _VALUE:
        return value_element(_decoded(content))
    if prefix == _INDEX:
        return _INDEX + str(_position(content))
    return None


@lru_cache(maxsize=4096)
def order(element: str) -> tuple[Any, ...]:
    """The sort key that puts elements into the order of the real server."""
    prefix, content = element[:_PREFIX_LENGTH], element[_PREFIX_LENGTH:]
    if prefix == _FIELD:
        return (0, content)
    if prefix == _KEY:
        return (1, tuple((name, _value_order(value)) for name, value in _decoded(content).items()))
    if prefix == _VALUE:
        return (2, _value_order(_decoded(content)))
    if prefix == _INDEX:
        return (3, int(content))
    # The path itself, which a set spells ".", is before all that is below it.
    return (-1,)


def spelled(element: str) -> str:
    """*element* of a value as messages show it: `.name`, `[port=80,protocol="TCP"]`, `[="x"]`, `[3]`."""
    return _spelled(element, str)


def spelled_from_entry(element: str) -> str:
    """The same for an element of an entry, whose numbers the real server reads as floats."""
    return _spelled(element, spelled_float)


def _spelled(element: str, spell_integer: Callable[[int], str]) -> str:
    prefix, content = element[:_PREFIX_LENGTH], element[_PREFIX_LENGTH:]
    if prefix == _FIELD:
        return f".{content}"
    if prefix == _KEY:
        pairs = (f"{name}={_value_text(value, spell_integer)}" for name, value in _decoded(content).items())
        return f"[{','.join(pairs)}]"
    if prefix == _VALUE:
        return f"[={_value_text(_decoded(content), spell_integer)}]"
    return f"[{content}]"


def _json(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    if "<" in text or ">" in text or "&" in text:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return text


def _decoded(content: str) -> Any:
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise BadElement(str(error)) from None


def _plain(value: Any) -> Any:
    # 80 and 80.0 are one number, and must be one element.
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_PLAIN_NUMBER:
        return int(value)
    return value


def _position(content: str) -> int:
    try:
        return int(content)
    except ValueError:
        raise BadElement(f"not a position: {content}") from None


def _value_order(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (_TRUTH_RANK, value)
    if isinstance(value, int | float):
        return (_NUMBER_RANK, value)
    if isinstance(value, str):
        return (_TEXT_RANK, value)
    return (_TRUTH_RANK + 1, _json(value))


def _value_text(value: Any, spell_integer: Callable[[int], str]) -> str:
    if isinstance(value, str):
        return spelled_string(value)
    if isinstance(value, bool) or value is None:
        return _json(value)
    if isinstance(value, int):
        return spell_integer(value)
    return spelled_float(value) if isinstance(value, float) else _json(value)
