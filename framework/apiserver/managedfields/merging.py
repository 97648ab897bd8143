"""The merge of an applied configuration into an object."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from framework.apiserver.managedfields.node import Form, ListType, MapType, Node
from framework.apiserver.managedfields.values import BadValue, item_element


def merge(node: Node, live: Any, applied: Any) -> Any:
    """*live* with everything that *applied* says; nothing goes. The result shares parts with both."""
    form = node.form_of(applied)
    if form is Form.MAP and node.map_type is not None:
        return _merged_map(node.map_type, live, applied)
    if form is Form.LIST and node.list_type is not None:
        return _merged_list(node.list_type, live, applied)
    return applied


def _merged_map(map_type: MapType, live: Any, applied: Any) -> Any:
    before: dict[str, Any] = live if isinstance(live, dict) else {}
    after: dict[str, Any] = applied if isinstance(applied, dict) else {}
    if map_type.is_atomic or not (before or after):
        return applied
    result = dict(before)
    for name, value in after.items():
        if name not in before:
            result[name] = value
            continue
        child = map_type.child(name)
        if child is None:
            raise BadValue("field not declared in schema", f".{name}")
        result[name] = merge(child, before[name], value)
    return result


def _merged_list(list_type: ListType, live: Any, applied: Any) -> Any:
    before: list[Any] = live if isinstance(live, list) else []
    after: list[Any] = applied if isinstance(applied, list) else []
    if list_type.is_atomic or not (before or after):
        return applied
    old_elements = [item_element(list_type, item) for item in before]
    new_elements = [item_element(list_type, item) for item in after]
    order = _merged_order(old_elements, new_elements)
    # Live items that cannot be told apart are not merged with, but replaced.
    count = Counter(old_elements)
    old = {element: item for element, item in zip(old_elements, before, strict=True) if count[element] == 1}
    new = dict(zip(new_elements, after, strict=True))
    return [
        before[position] if position is not None else _merged_item(list_type.element, old, new, element)
        for element, position in order
    ]


def _merged_item(node: Node, old: dict[str, Any], new: dict[str, Any], element: str) -> Any:
    return merge(node, old[element], new[element]) if element in old else new[element]


def _merged_order(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int | None]]:
    """The elements of the merged list, with their positions in the live one if they stay as they are there.

    Applied items keep the order of the configuration; live items in between stay behind the same neighbour, as far as
    both orders agree.
    """
    applied, live = set(new), set(old)
    shared = [element for element in new if element in live]
    wanted = shared.pop(0) if shared else None
    merged: set[str] = set()
    order: list[tuple[str, int | None]] = []
    at, to = 0, 0
    while at < len(old) or to < len(new):
        if at < len(old):
            element = old[at]
            if to < len(new):
                if element == new[to]:
                    order.append((element, None))
                    merged.add(element)
                    at, to = at + 1, to + 1
                    wanted = shared.pop(0) if shared else None
                    continue
                if element in applied and wanted is not None and wanted != element:
                    # Its turn comes where the configuration has it.
                    at += 1
                    continue
            if element not in applied:
                order.append((element, at))
                at += 1
                continue
            if element in merged:
                at += 1
        if to < len(new):
            element = new[to]
            order.append((element, None))
            merged.add(element)
            to += 1
            if element == wanted:
                wanted = shared.pop(0) if shared else None
    return order
