"""What changed between two values of one type, as sets of paths."""

from collections.abc import Iterator
from typing import Any

import msgspec

from framework.apiserver.managedfields.elements import spelled
from framework.apiserver.managedfields.fieldset import LEAF, SELF, FieldSet, difference_with_children, union
from framework.apiserver.managedfields.node import Form, ListType, MapType, Node
from framework.apiserver.managedfields.values import BadValue, are_equal, item_element


class Comparison(msgspec.Struct, frozen=True):
    removed: FieldSet
    modified: FieldSet
    added: FieldSet

    def without(self, fields: FieldSet) -> "Comparison":
        """The same changes, but for *fields* and what is below them."""
        return Comparison(
            difference_with_children(self.removed, fields),
            difference_with_children(self.modified, fields),
            difference_with_children(self.added, fields),
        )

    @property
    def set_fields(self) -> FieldSet:
        """What the writer set."""
        return union(self.modified, self.added)


def compare(node: Node, left: Any, right: Any) -> Comparison:
    """How *left* became *right*; parts that are equal cost no more than finding that out."""
    walk = _Walk({}, {}, {})
    walk.both("", node, left, right)
    # The value itself is nobody's: only what is inside counts.
    inside = [part.get("", {}) for part in (walk.removed, walk.modified, walk.added)]
    return Comparison(*inside)


class _Walk:
    """The changes below one path. Invariant: the three sets only have elements with changes below them."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self, removed: FieldSet, modified: FieldSet, added: FieldSet) -> None:
        self.removed = removed
        self.modified = modified
        self.added = added

    def both(self, element: str, node: Node, left: Any, right: Any) -> None:
        if are_equal(left, right):
            return
        form = node.form_of(right)
        other = node.form_of(left)
        below = _Walk({}, {}, {})
        is_modified = self._as_form(below, node, form, left, right)
        if other is not form:
            # A value that turned into another kind of thing is looked at as both.
            is_modified = self._as_form(below, node, other, left, right) or is_modified
        if is_modified:
            self.modified[element] = {SELF: LEAF, **below.modified} if below.modified else LEAF
        elif below.modified:
            self.modified[element] = below.modified
        if below.removed:
            self.removed[element] = below.removed
        if below.added:
            self.added[element] = below.added

    def _as_form(self, below: "_Walk", node: Node, form: Form | None, left: Any, right: Any) -> bool:
        """Put the changes inside into *below*; return whether it changed as a whole."""
        if form is Form.MAP and node.map_type is not None:
            return below.maps(node.map_type, left, right)
        if form is Form.LIST and node.list_type is not None:
            return below.lists(node.list_type, left, right)
        return True

    def maps(self, map_type: MapType, left: Any, right: Any) -> bool:
        before: dict[str, Any] = left if isinstance(left, dict) else {}
        after: dict[str, Any] = right if isinstance(right, dict) else {}
        if map_type.is_atomic or not (before or after):
            return True
        zeros = map_type.zeros
        for name, new in after.items():
            if name in before:
                old = before[name]
                if old is not new:
                    self.both(f"f:{name}", _child(map_type, name), old, new)
            elif name in zeros and isinstance(left, dict):
                self.both(f"f:{name}", _child(map_type, name), zeros[name], new)
            else:
                self.added[f"f:{name}"] = present(_child(map_type, name), new)
        for name, old in before.items():
            if name in after:
                continue
            if name in zeros and isinstance(right, dict):
                self.both(f"f:{name}", _child(map_type, name), old, zeros[name])
            else:
                self.removed[f"f:{name}"] = present(_child(map_type, name), old)
        return False

    def lists(self, list_type: ListType, left: Any, right: Any) -> bool:
        before: list[Any] = left if isinstance(left, list) else []
        after: list[Any] = right if isinstance(right, list) else []
        if list_type.is_atomic or not (before or after):
            return True
        old_items, new_items = _items(list_type, before), _items(list_type, after)
        for element in {**old_items, **new_items}:
            self._items(element, list_type.element, old_items.get(element, []), new_items.get(element, []))
        return False

    def _items(self, element: str, node: Node, old: list[Any], new: list[Any]) -> None:
        """Items with one element are one thing if there is one of it, and an indivisible bunch if there are several."""
        if len(old) <= 1 and len(new) <= 1:
            if old and new:
                self.both(element, node, old[0], new[0])
            elif new:
                self.added[element] = present(node, new[0])
            else:
                self.removed[element] = present(node, old[0])
        elif len(old) > 1 and len(new) > 1:
            if not are_equal(old, new):
                self.modified[element] = LEAF
        elif len(old) > 1:
            if new:
                self.added[element] = present(node, new[0])
            self.removed[element] = LEAF
        else:
            if old:
                self.removed[element] = present(node, old[0])
            self.added[element] = LEAF


def present(node: Node, value: Any) -> FieldSet:
    """The node of a set that has *value* and all that is in it."""
    form = node.only or node.form_of(value)
    if form is Form.SCALAR:
        return LEAF
    if form is Form.MAP and node.map_type is not None:
        if node.map_type.is_atomic or not isinstance(value, dict) or not value:
            return LEAF
        below = {f"f:{name}": present(_child(node.map_type, name), part) for name, part in value.items()}
    elif form is Form.LIST and node.list_type is not None:
        if node.list_type.is_atomic or not isinstance(value, list) or not value:
            return LEAF
        below = dict(_present_items(node.list_type, value))
    else:
        return LEAF
    return {SELF: LEAF, **below}


def _present_items(list_type: ListType, items: list[Any]) -> Iterator[tuple[str, FieldSet]]:
    for element, same in _items(list_type, items).items():
        yield element, present(list_type.element, same[0]) if len(same) == 1 else LEAF


def _items(list_type: ListType, items: list[Any]) -> dict[str, list[Any]]:
    by_element: dict[str, list[Any]] = {}
    for index, item in enumerate(items):
        try:
            element = item_element(list_type, item)
        except BadValue as error:
            raise BadValue(f"element {index}: {error}") from None
        by_element.setdefault(element, []).append(item)
    return by_element


def _child(map_type: MapType, name: str) -> Node:
    child = map_type.child(name)
    if child is None:
        raise BadValue("field not declared in schema", spelled(f"f:{name}"))
    return child
