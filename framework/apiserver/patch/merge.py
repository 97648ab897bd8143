"""JSON merge patch (RFC 7386), with the few ways in which the real server departs from it."""

from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.patch.copying import copied
from framework.apiserver.patch.json_body import not_a_map
from framework.apiserver.status import bad_request


def merge_patch(live: Object, patch: Any) -> Object:
    """What *live* becomes by *patch*; shares nothing with either, so that a retry may use both again."""
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise bad_request(f"error decoding patch: {not_a_map(patch)}")
    merged: Object = copied(live)
    _merge(merged, copied(patch))
    return merged


def _merge(target: Object, patch: Object) -> None:
    for name, value in patch.items():
        current = target.get(name)
        if value is None:
            target.pop(name, None)
        elif not isinstance(current, dict):
            _drop_nulls(value)
            target[name] = value
        elif isinstance(value, dict):
            _merge(current, value)
        else:
            target[name] = value


def _drop_nulls(value: Any) -> None:
    # The RFC keeps nulls inside of lists; the real server keeps only those that are elements of a list.
    if isinstance(value, dict):
        for name in [name for name, member in value.items() if member is None]:
            del value[name]
        for member in value.values():
            _drop_nulls(member)
    elif isinstance(value, list):
        for member in value:
            _drop_nulls(member)
