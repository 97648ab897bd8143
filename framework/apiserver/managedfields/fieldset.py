"""Sets of paths, in the form of fieldsV1.

A set maps path elements to what lies below them: `{}` means that the path itself is in the set and nothing below it,
`{".": {}, ...}` the path and more, `{...}` only what is below. The empty set is `{}`.

Sets are never changed: operations share with their operands whatever stays the same, and return the left operand
itself if nothing differs. Nodes are canonical: no node says only ".".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from framework.apiserver.managedfields.elements import BadElement, canonical, order

FieldSet: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str, ...]

SELF = "."
LEAF: FieldSet = {}


def is_member(node: FieldSet) -> bool:
    """Whether the path of *node* is in the set, not only something below it."""
    return not node or SELF in node


def field_set(paths: Iterable[Path]) -> FieldSet:
    result: FieldSet = {}
    for path in paths:
        single: FieldSet = LEAF
        for element in reversed(path):
            single = {element: single}
        result = union(result, single)
    return result


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    if not left:
        return right
    result: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        merged = theirs if ours is None else _union_of_nodes(ours, theirs)
        if merged is not ours:
            result = dict(left) if result is None else result
            result[element] = merged
    return left if result is None else result


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """What is in *left* and not in *right*, path by path."""
    result: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            continue
        rest = _difference_of_nodes(ours, theirs)
        if rest is not ours:
            result = _replaced(left if result is None else result, element, rest, is_own=result is not None)
    return left if result is None else result


def difference_with_children(left: FieldSet, right: FieldSet) -> FieldSet:
    """*left* without the paths of *right* and everything below them."""
    result: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            continue
        rest = None if is_member(theirs) else _node(difference_with_children(ours, theirs), ours)
        if rest is not ours:
            result = _replaced(left if result is None else result, element, rest, is_own=result is not None)
    return left if result is None else result


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    result: FieldSet = {}
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is not None and (common := _intersection_of_nodes(ours, theirs)) is not None:
            result[element] = common
    return result


def has(fields: FieldSet, path: Sequence[str]) -> bool:
    node: FieldSet | None = fields
    for element in path:
        node = node.get(element) if node else None
        if node is None:
            return False
    return bool(path) and node is not None and is_member(node)


def paths_of(fields: FieldSet, prefix: Path = ()) -> Iterator[Path]:
    """In the order of the real server: the members of a level before what lies deeper."""
    elements = sorted((element for element in fields if element != SELF), key=order)
    for element in elements:
        if is_member(fields[element]):
            yield (*prefix, element)
    for element in elements:
        yield from paths_of(fields[element], (*prefix, element))


def in_order(fields: FieldSet) -> FieldSet:
    """An equal set, written in the order of the real server."""
    return {element: in_order(below) if (below := fields[element]) else LEAF for element in sorted(fields, key=order)}


def parsed(document: Any) -> FieldSet:
    """The set that a client's fieldsV1 means; raises BadElement."""
    result, _ = _parsed_node(document)
    return result


def _parsed_node(document: Any) -> tuple[FieldSet, bool]:
    if document is None:
        return {}, True
    if not isinstance(document, Mapping):
        raise BadElement(f"not a set of fields: {document!r}")
    children: FieldSet = {}
    for spelling, below in document.items():
        if spelling == SELF or (element := canonical(spelling)) is None:
            continue
        grandchildren, is_in = _parsed_node(below)
        children[element] = {SELF: LEAF, **grandchildren} if is_in and grandchildren else grandchildren
    return children, SELF in document or not children


def _union_of_nodes(left: FieldSet, right: FieldSet) -> FieldSet:
    if not right:
        return left if is_member(left) else {SELF: LEAF, **left}
    if not left:
        return right if is_member(right) else {SELF: LEAF, **right}
    return union(left, right)


def _difference_of_nodes(left: FieldSet, right: FieldSet) -> FieldSet | None:
    if not left:
        return None if is_member(right) else left
    if right:
        return _node(difference(left, right), left)
    if SELF not in left:
        return left
    return {element: below for element, below in left.items() if element != SELF}


def _intersection_of_nodes(left: FieldSet, right: FieldSet) -> FieldSet | None:
    if not left or not right:
        return LEAF if is_member(left) and is_member(right) else None
    return _node(intersection(left, right), left)


def _node(rest: FieldSet, before: FieldSet) -> FieldSet | None:
    """*rest*, which is left over of the node *before*, as a node; None if it is nothing at all."""
    if rest is before:
        return before
    if not rest:
        return None
    return LEAF if len(rest) == 1 and SELF in rest else rest


def _replaced(fields: FieldSet, element: str, node: FieldSet | None, *, is_own: bool) -> FieldSet:
    result = fields if is_own else dict(fields)
    if node is None:
        del result[element]
    else:
        result[element] = node
    return result
