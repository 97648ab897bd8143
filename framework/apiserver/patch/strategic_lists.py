"""Lists in strategic merge patches: merged by key, or as sets of scalars, in an order that respects both sides."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

from framework.apiserver.go_text import go_text
from framework.apiserver.objects import Object
from framework.apiserver.patch import strategic_errors as errors
from framework.apiserver.patch.directives import DIRECTIVE, SET_ELEMENT_ORDER, without_directives
from framework.apiserver.patch.strategic_shape import Field, Shape
from framework.errors import ApiError

_List: TypeAlias = list[Any]
MergeObjects: TypeAlias = Callable[[Object, Object, Shape], Object]


def merge_lists(original: _List, patch: _List, field: Field, merge_objects: MergeObjects) -> _List:
    """The union, elements of *patch* first where *original* does not say otherwise. The elements are used up."""
    if not original and not patch:
        return original
    if _element_type([original, patch]) is not dict:
        return _ordered(list(dict.fromkeys(original + patch)), patch, original, "")
    if not field.merge_key:
        raise errors.unexpected("cannot merge lists without merge key for struct")
    original, patch = _without_special_elements(original, patch, field.merge_key)
    merged = _merge_by_key(original, patch, field, merge_objects)
    return _ordered(merged, patch, original, field.merge_key)


def reorder(
    original: _List | None, patch: _List | None, order: _List, field: Field, merge_objects: MergeObjects
) -> _List:
    """The merged list, sorted by what `$setElementOrder` says; at least one of the lists is there."""
    if patch is None:
        merged = original or []
    elif original is None:
        merged = without_directives(patch)
    else:
        merged = merge_lists(original, patch, field, merge_objects) if field.strategy == "merge" else patch
    _element_type([original or [], patch or []], may_be_empty=False)
    return _ordered(merged, order, original or [], field.merge_key)


def check_order(patch: _List, order: _List, merge_key: str) -> None:
    """Refuse an order that has not all elements of *patch*, in the order in which they stand there."""
    if not patch or not order:
        return
    wanted = [element for element in patch if not (merge_key and _is_deletion(element))]
    remaining = iter(order)
    for element in wanted:
        if isinstance(element, dict) and DIRECTIVE in element:
            continue
        key = _key_of(element, merge_key)
        if not any(_key_of(other, merge_key) == key for other in remaining):
            raise _misordered(patch, order)


def _misordered(patch: _List, order: _List) -> ApiError:
    lists = f"{go_text(patch)}\n doesn't match {SET_ELEMENT_ORDER} list:\n{go_text(order)}\n"
    return errors.unexpected(f"The order in patch list:\n{lists}")


def delete_scalars(original: _List, unwanted: _List) -> _List:
    if not original and not unwanted:
        return original
    if _element_type([original, unwanted]) is dict:
        raise errors.unexpected("cannot merge lists without merge key for struct")
    gone = set(unwanted)
    return [element for element in original if element not in gone]


def _without_special_elements(original: _List, patch: _List, merge_key: str) -> tuple[_List, _List]:
    plain: _List = []
    replaces = False
    for element in patch:
        directive = element.get(DIRECTIVE)
        if DIRECTIVE not in element:
            plain.append(element)
        elif directive == "delete":
            key = _key_of(element, merge_key)
            original = [one for one in original if merge_key not in one or _key_of(one, merge_key) != key]
        elif directive == "replace":
            replaces = True
        elif directive == "merge":
            raise errors.unexpected("merging lists cannot yet be specified in the patch")
        else:
            raise errors.unknown_directive(directive, element)
    return (plain, []) if replaces else (original, plain)


def _merge_by_key(original: _List, patch: _List, field: Field, merge_objects: MergeObjects) -> _List:
    merged = list(original)
    places: dict[Hashable, int] = {}
    for index, element in enumerate(merged):
        if field.merge_key in element:
            places.setdefault(_key_of(element, field.merge_key), index)
    for element in patch:
        place = places.setdefault(_key_of(element, field.merge_key), len(merged))
        if place == len(merged):
            merged.append(element)
        else:
            merged[place] = merge_objects(merged[place], element, field.shape)
    return merged


def _ordered(merged: _List, wanted_order: _List, server_order: _List, merge_key: str) -> _List:
    """The elements of *wanted_order* in that order, and each other one before what follows it in *server_order*."""
    wanted = _places(wanted_order, merge_key)
    server = _places(server_order, merge_key)
    keyed = [(_key_of(element, merge_key), element) for element in merged]
    ours = sorted((pair for pair in keyed if pair[0] in wanted), key=lambda pair: wanted[pair[0]])
    others = sorted((pair for pair in keyed if pair[0] not in wanted), key=lambda pair: server.get(pair[0], 0))
    result: _List = []
    waiting = iter(others)
    other = next(waiting, None)
    for key, element in ours:
        place = server.get(key)
        while other is not None and place is not None and server.get(other[0], place) < place:
            result.append(other[1])
            other = next(waiting, None)
        result.append(element)
    if other is not None:
        result.append(other[1])
    return result + [element for _, element in waiting]


def _places(order: _List, merge_key: str) -> dict[Hashable, int]:
    places: dict[Hashable, int] = {}
    for index, element in enumerate(order):
        places.setdefault(_key_of(element, merge_key), index)
    return places


def _key_of(element: Any, merge_key: str) -> Hashable:
    # With the type, since True and 1 are equal in Python.
    value = element
    if merge_key:
        if not isinstance(element, dict):
            raise errors.wrong_type({}, element)
        if merge_key not in element:
            raise errors.no_merge_key(element, merge_key)
        value = element[merge_key]
    if isinstance(value, dict | list):
        raise errors.unexpected(f"runtime error: comparing uncomparable type {type(value).__name__}")
    return type(value), value


def _is_deletion(element: Any) -> bool:
    if not isinstance(element, dict):
        raise errors.wrong_type({}, element)
    return element.get(DIRECTIVE) == "delete"


def _element_type(lists: Iterable[_List], *, may_be_empty: bool = True) -> type:
    types = {type(element) for elements in lists for element in elements}
    if list in types:
        raise errors.lists_of_lists()
    if len(types) > 1:
        raise errors.unexpected(f"list element types are not identical: {go_text(list(lists))}")
    if not types and not may_be_empty:
        raise errors.unexpected("no elements in any of the given slices")
    return types.pop() if types else dict
