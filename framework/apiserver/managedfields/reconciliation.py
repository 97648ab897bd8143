"""Sets that were written when the schema was another one."""

from framework.apiserver.managedfields.applied import type_below
from framework.apiserver.managedfields.fieldset import LEAF, SELF, FieldSet
from framework.apiserver.managedfields.node import Form, Node


def reconciled(node: Node | None, fields: FieldSet) -> FieldSet:
    """*fields* as they are owned under the schema of today: who owned parts of what is now one whole owns the whole."""
    result: FieldSet | None = None
    for element, below in fields.items():
        if element == SELF or not below:
            continue
        now = _reconciled_node(_type_of(node, element), below)
        if now is not below:
            result = dict(fields) if result is None else result
            result[element] = now
    return fields if result is None else result


def _reconciled_node(node: Node | None, below: FieldSet) -> FieldSet:
    if node is None:
        return below
    form = node.preferred
    if form is Form.MAP and node.map_type is not None:
        # Where nothing was ever declared, nothing can have changed.
        if node.map_type.is_deduced:
            return below
        return LEAF if node.map_type.is_atomic else reconciled(node, below)
    if form is Form.LIST and node.list_type is not None:
        return LEAF if node.list_type.is_atomic else reconciled(node, below)
    return below


def _type_of(node: Node | None, element: str) -> Node | None:
    if node is not None and node.preferred is Form.MAP and node.map_type is not None and not element.startswith("f:"):
        return node.map_type.element
    return type_below(node, element)
