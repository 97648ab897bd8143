"""Carries what changed between two typed objects over to the document they were decoded from.

A Struct knows some fields of a document. Encoding the changed Struct would
lose the others; so only fields whose values differ are written, each where it
stands, and all the rest of the document stays as it is.
"""

from typing import Any

import msgspec

_UNKNOWN = object()


def carry_over(document: Any, before: Any, after: Any) -> Any:
    """*document*, of which *before* was decoded, with what makes *after* of *before*.

    A field that becomes None is removed. One that becomes equal to its
    default is written: it was set on purpose. Items of a list are recognised
    by being the same, by their `name`, or by their place.
    """
    if before == after and type(before) is type(after):
        return document
    if isinstance(after, msgspec.Struct) and type(before) is type(after) and isinstance(document, dict):
        return _struct(document, before, after)
    if isinstance(after, dict) and isinstance(before, dict) and isinstance(document, dict):
        return _mapping(document, before, after)
    if isinstance(after, list) and isinstance(before, list) and isinstance(document, list):
        return _list(document, before, after)
    return msgspec.to_builtins(after)


def _struct(document: dict[str, Any], before: msgspec.Struct, after: msgspec.Struct) -> dict[str, Any]:
    result = dict(document)
    for field in msgspec.structs.fields(type(after)):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if old == new and type(old) is type(new):
            continue
        if new is None or new is msgspec.UNSET:
            result.pop(field.encode_name, None)
        else:
            # What the document does not say is there by default: then only what differs from that is said.
            part = result.get(field.encode_name)
            is_implied = part is None and isinstance(new, msgspec.Struct | dict)
            result[field.encode_name] = carry_over({} if is_implied else part, old, new)
    return result


def _mapping(document: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {
        name: carry_over(document[name], before[name], value)
        if name in before and name in document
        else msgspec.to_builtins(value)
        for name, value in after.items()
    }


def _list(document: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    if len(document) != len(before):
        return [msgspec.to_builtins(item) for item in after]
    origins = _origins(before, after)
    return [
        carry_over(document[origins[index]], before[origins[index]], item)
        if index in origins
        else msgspec.to_builtins(item)
        for index, item in enumerate(after)
    ]


def _origins(before: list[Any], after: list[Any]) -> dict[int, int]:
    """Which item of *before* became which of *after*, by their places."""
    shift = len(before) - len(after)
    origins = {index: index for index in range(_same_at_start(before, after))}
    at_end = min(_same_at_start(before[::-1], after[::-1]), min(len(before), len(after)) - len(origins))
    origins |= {index: index + shift for index in range(len(after) - at_end, len(after))}
    free = set(range(len(before))) - set(origins.values())
    for is_origin in (_is_same, _has_same_name, _has_same_place):
        for index in sorted(set(range(len(after))) - origins.keys()):
            found = [place for place in sorted(free) if is_origin(before[place], after[index], place, index)]
            if found:
                # Of several that are the same, the one at the same place.
                origins[index] = index if index in found else found[0]
                free.discard(origins[index])
    return origins


def _same_at_start(one: list[Any], other: list[Any]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if not _is_same(left, right, index, index):
            return index
    return min(len(one), len(other))


def _is_same(old: Any, new: Any, _old_place: int, _new_place: int) -> bool:
    return bool(old == new) and type(old) is type(new)


def _has_same_name(old: Any, new: Any, _old_place: int, _new_place: int) -> bool:
    name = getattr(new, "name", _UNKNOWN)
    return name is not _UNKNOWN and getattr(old, "name", None) == name


def _has_same_place(old: Any, new: Any, old_place: int, new_place: int) -> bool:
    if hasattr(new, "name"):
        # Another name is another thing.
        return False
    return old_place == new_place and type(old) is type(new)
