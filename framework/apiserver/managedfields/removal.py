"""The removal of a set of fields from a value."""

from typing import Any

from framework.apiserver.managedfields.fieldset import FieldSet, is_member
from framework.apiserver.managedfields.node import Form, ListType, MapType, Node
from framework.apiserver.managedfields.values import item_element


def without_fields(node: Node | None, value: Any, fields: FieldSet) -> Any:
    """*value* without the items and keys that *fields* names; null if nothing is left. Shares parts with *value*."""
    form = node.form_of(value) if node is not None else None
    if node is not None and form is Form.MAP and node.map_type is not None:
        return _map_without(node.map_type, value, fields)
    if node is not None and form is Form.LIST and node.list_type is not None:
        return _list_without(node.list_type, value, fields)
    return value


def _map_without(map_type: MapType, value: Any, fields: FieldSet) -> Any:
    if not isinstance(value, dict) or map_type.is_atomic:
        return None
    result: dict[str, Any] = {}
    for name, part in value.items():
        named = fields.get(f"f:{name}")
        if named is None:
            result[name] = part
        elif not is_member(named):
            result[name] = without_fields(map_type.child(name), part, named)
    return result or None


def _list_without(list_type: ListType, value: Any, fields: FieldSet) -> Any:
    if not isinstance(value, list) or list_type.is_atomic:
        return None
    result: list[Any] = []
    for item in value:
        named = fields.get(item_element(list_type, item))
        if named is None:
            result.append(item)
        elif not is_member(named):
            result.append(without_fields(list_type.element, item, named))
    return result or None
