"""What the walks over values share: equality, and the elements of a list's items."""

from typing import Any

import msgspec

from framework.apiserver.managedfields.elements import key_element, value_element
from framework.apiserver.managedfields.node import ListType

_encode = msgspec.json.encode


class BadValue(Exception):
    """The value does not fit its schema; *path* is where, as messages spell it."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.message = message
        self.path = path

    def below(self, prefix: str) -> "BadValue":
        return BadValue(self.message, prefix + self.path)


def are_equal(left: Any, right: Any) -> bool:
    """Equality of JSON values. Python's own takes true for 1, which are different values here."""
    if left is right:
        return True
    if left != right:
        return False
    if isinstance(left, dict | list):
        # Values that only differ in the order of keys, or as 1 and 1.0 do, are rare: only they are walked.
        return _encode(left) == _encode(right) or _are_equal_inside(left, right)
    return isinstance(left, bool) == isinstance(right, bool)


def _are_equal_inside(left: Any, right: Any) -> bool:
    # Both are known to be equal as Python sees it: of the same form and length.
    if isinstance(left, dict):
        return all(are_equal(value, right[name]) for name, value in left.items())
    return all(map(are_equal, left, right))


def item_element(list_type: ListType, item: Any) -> str:
    """The element that tells *item* from the others of its list."""
    if not list_type.keys:
        return _set_element(item)
    if item is None:
        raise BadValue("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise BadValue("associative list with keys may not have non-map elements")
    key: dict[str, Any] = {}
    for name in list_type.sorted_keys:
        if name in item:
            key[name] = item[name]
        elif (default := _default_of(list_type, name)) is not None:
            key[name] = default
    if not key:
        names = " ".join(f'"{name}"' for name in list_type.keys)
        raise BadValue(
            f"associative list with keys has an element that omits all key fields [{names}]"
            " (and doesn't have default values for any key fields)"
        )
    return key_element(key)


def _set_element(item: Any) -> str:
    if isinstance(item, dict):
        raise BadValue("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise BadValue("not supported: associative list with lists as elements")
    if item is None:
        raise BadValue("associative list without keys has an element that's an explicit null")
    return value_element(item)


def _default_of(list_type: ListType, name: str) -> Any:
    map_type = list_type.element.map_type
    if map_type is None:
        raise BadValue(f"couldn't find default value for {name}: associative list may not have non-map types")
    return map_type.defaults.get(name)
