"""The set of fields that a value names, and the fields that a set names implicitly."""

from typing import Any

from framework.apiserver.managedfields.fieldset import LEAF, SELF, FieldSet
from framework.apiserver.managedfields.node import Form, ListType, MapType, Node
from framework.apiserver.managedfields.values import BadValue, item_element


def fields_of(node: Node, value: Any) -> FieldSet:
    """Every leaf, list item and map key in *value*; declared fields count through what is in them."""
    below, _ = _below(node, value)
    return below


def with_declared_fields(node: Node | None, fields: FieldSet) -> FieldSet:
    """*fields*, and every declared field that has some of them below it."""
    map_type = node.map_type if node is not None else None
    result: FieldSet = {}
    for element, below in fields.items():
        if not below:
            result[element] = below
            continue
        deeper = with_declared_fields(type_below(node, element), below)
        if SELF not in deeper and element.startswith("f:") and map_type is not None and map_type.declares(element[2:]):
            deeper = {SELF: LEAF, **deeper}
        result[element] = deeper
    return result


def type_below(node: Node | None, element: str) -> Node | None:
    if node is None:
        return None
    if element.startswith("f:"):
        return node.map_type.child(element[2:]) if node.map_type is not None else None
    if element.startswith("k:"):
        return node.list_type.element if node.list_type is not None else None
    return None


def _below(node: Node, value: Any) -> tuple[FieldSet, bool]:
    """What is in *value*, and whether it is a leaf."""
    form = node.form_of(value)
    if form is Form.MAP and node.map_type is not None:
        if node.map_type.is_atomic:
            return {}, True
        return _below_map(node.map_type, value) if isinstance(value, dict) else {}, False
    if form is Form.LIST and node.list_type is not None:
        if node.list_type.is_atomic:
            return {}, True
        return _below_list(node.list_type, value) if isinstance(value, list) else {}, False
    return {}, True


def _below_map(map_type: MapType, value: dict[str, Any]) -> FieldSet:
    result: FieldSet = {}
    for name, part in value.items():
        child = map_type.child(name)
        if child is None:
            raise BadValue("field not declared in schema", f".{name}")
        below, is_leaf = _below(child, part)
        is_named = is_leaf or part is None or part == {} or not map_type.declares(name)
        if is_named:
            result[f"f:{name}"] = {SELF: LEAF, **below} if below else LEAF
        elif below:
            result[f"f:{name}"] = below
    return result


def _below_list(list_type: ListType, items: list[Any]) -> FieldSet:
    result: FieldSet = {}
    repeated: set[str] = set()
    for item in items:
        element = item_element(list_type, item)
        if element in result:
            repeated.add(element)
            continue
        below, _ = _below(list_type.element, item)
        result[element] = {SELF: LEAF, **below} if below else LEAF
    # Items that cannot be told apart are owned as one.
    return {element: LEAF if element in repeated else below for element, below in result.items()}
