"""Strategic merge patch: a merge patch that knows which lists are maps, and how the client may say otherwise."""

from collections.abc import Mapping
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.patch import strategic_errors as errors
from framework.apiserver.patch.copying import copied
from framework.apiserver.patch.directives import (
    DELETE_FROM_PRIMITIVE_LIST,
    DIRECTIVE,
    RETAIN_KEYS,
    SET_ELEMENT_ORDER,
    field_named_by,
    without_directives,
)
from framework.apiserver.patch.json_body import not_a_map
from framework.apiserver.patch.strategic_lists import check_order, delete_scalars, merge_lists, reorder
from framework.apiserver.patch.strategic_shape import Shape
from framework.apiserver.status import bad_request


class StrategicMerger:
    """Merges by the x-kubernetes-patch-* extensions of one kind; see `Merger`."""

    def __init__(self, schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self._shape = Shape(schema, definitions)

    def strategic_merge(self, live: Object, patch: Any) -> Object:
        """What *live* becomes by *patch*; shares nothing with either, so that a retry may use both again."""
        if patch is None:
            patch = {}
        if not isinstance(patch, dict):
            raise bad_request(not_a_map(patch))
        return merge_objects(copied(live), copied(patch), self._shape)


def merge_objects(original: Object, patch: Object, shape: Shape) -> Object:
    """Merge *patch* into *original*. Both are used up."""
    if DIRECTIVE in patch:
        return _directed(patch)
    _retain_keys(original, patch)
    _set_element_orders(original, patch, shape)
    for key, value in patch.items():
        if key.startswith(DELETE_FROM_PRIMITIVE_LIST):
            _delete_from_list(original, field_named_by(key, errors.bad_primitive_list()), value)
        elif value is None:
            original.pop(key, None)
        elif key in original and type(original[key]) is type(value):
            original[key] = _merged(original[key], value, key, shape)
        else:
            _set(original, key, value)
    return original


def _directed(patch: Object) -> Object:
    directive = patch[DIRECTIVE]
    if directive == "replace":
        del patch[DIRECTIVE]
        return patch
    if directive == "delete":
        return {}
    raise errors.unknown_directive(directive, patch)


def _merged(original: Any, value: Any, key: str, shape: Shape) -> Any:
    if isinstance(value, dict):
        field = shape.field(key)
        return value if field.strategy == "replace" else merge_objects(original, value, field.shape)
    if isinstance(value, list):
        field = shape.field(key)
        return merge_lists(original, value, field, merge_objects) if field.strategy == "merge" else value
    return value


def _set(original: Object, key: str, value: Any) -> None:
    _drop_nulls(value)
    kept = without_directives(value)
    if kept is None:
        original.pop(key, None)
    else:
        original[key] = kept


def _delete_from_list(original: Object, key: str, value: Any) -> None:
    if value is None:
        original.pop(key, None)
    elif isinstance(original.get(key), list) and isinstance(value, list):
        original[key] = delete_scalars(original[key], value)


def _retain_keys(original: Object, patch: Object) -> None:
    if RETAIN_KEYS not in patch:
        return
    retained = patch.pop(RETAIN_KEYS)
    if not isinstance(retained, list):
        raise errors.bad_retain_keys()
    kept = {key for key in retained if isinstance(key, str)}
    for key, value in patch.items():
        is_parallel_list = key.startswith((DELETE_FROM_PRIMITIVE_LIST, SET_ELEMENT_ORDER))
        if value is not None and not is_parallel_list and key not in kept:
            raise errors.bad_retain_keys()
    for key in original.keys() - kept:
        del original[key]


def _set_element_orders(original: Object, patch: Object, shape: Shape) -> None:
    """Merge the lists for which the patch gives an order, and take them out of the patch."""
    for directive in [key for key in patch if key.startswith(SET_ELEMENT_ORDER)]:
        order = patch.pop(directive)
        if not isinstance(order, list):
            raise errors.wrong_type([], order)
        key = field_named_by(directive, errors.bad_element_order())
        in_original, in_patch = _list_of(original, key), _list_of(patch, key)
        field = shape.field(key)
        check_order(in_patch or [], order, field.merge_key)
        if in_original is None and in_patch is None:
            continue
        original[key] = reorder(in_original, in_patch, order, field, merge_objects)
        patch.pop(key, None)


def _list_of(owner: Object, key: str) -> list[Any] | None:
    if key not in owner:
        return None
    value = owner[key]
    if not isinstance(value, list):
        raise errors.wrong_type([], value)
    return value


def _drop_nulls(value: Any) -> None:
    if isinstance(value, dict):
        for name in [name for name, member in value.items() if member is None]:
            del value[name]
        for member in value.values():
            _drop_nulls(member)
    elif isinstance(value, list):
        for member in value:
            _drop_nulls(member)
