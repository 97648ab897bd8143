"""The JSON patch (RFC 6902) that makes one document of another."""

from typing import Any

from framework.apply.sameness import is_same

Operation = dict[str, Any]


def json_patch(before: Any, after: Any) -> list[Operation]:
    """Operations that touch only what differs; none if nothing does."""
    return _difference("", before, after)


def _difference(path: str, before: Any, after: Any) -> list[Operation]:
    if is_same(before, after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_objects(path, before, after)
    if isinstance(before, list) and isinstance(after, list):
        return _of_lists(path, before, after)
    return [{"op": "replace", "path": path, "value": after}]


def _of_objects(path: str, before: dict[str, Any], after: dict[str, Any]) -> list[Operation]:
    operations: list[Operation] = [
        {"op": "remove", "path": f"{path}/{_escaped(name)}"} for name in before if name not in after
    ]
    for name, value in after.items():
        place = f"{path}/{_escaped(name)}"
        if name in before:
            operations += _difference(place, before[name], value)
        else:
            operations.append({"op": "add", "path": place, "value": value})
    return operations


def _of_lists(path: str, before: list[Any], after: list[Any]) -> list[Operation]:
    start = _common_start(before, after)
    end = _common_start(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    shared = min(len(old), len(new))
    operations = [
        operation
        for index in range(shared)
        for operation in _difference(f"{path}/{start + index}", old[index], new[index])
    ]
    # From the last to the first: each removal moves those behind it.
    operations += [{"op": "remove", "path": f"{path}/{start + index}"} for index in range(len(old) - 1, shared - 1, -1)]
    operations += [
        {"op": "add", "path": f"{path}/{start + index}", "value": new[index]} for index in range(shared, len(new))
    ]
    return operations


def _common_start(one: list[Any], other: list[Any]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if not is_same(left, right):
            return index
    return min(len(one), len(other))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
