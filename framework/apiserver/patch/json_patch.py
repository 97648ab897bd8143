"""JSON patch (RFC 6902) with the semantics of the library that the real server uses.

Hand-written because the packages of the field are strict where the server is not: `replace` and `copy` of a field that
is missing succeed, negative indices count from the end, a `test` for null passes on a missing field.
"""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from framework.apiserver.objects import Object
from framework.apiserver.patch.copying import copied
from framework.apiserver.spelling import kind_of
from framework.apiserver.status import bad_request, too_large
from framework.errors import ApiError, Status, StatusDetails, api_error

_MOST_OPERATIONS = 10_000
_MOST_COPIED_BYTES = 3 * 1024 * 1024
_MEMBERS = ("op", "path", "from", "value")
_INDEX = re.compile(r"[+-]?[0-9]{1,18}")

_Container: TypeAlias = dict[str, Any] | list[Any]
_Operation: TypeAlias = dict[str, Any]


class _DoesNotApplyError(Exception):
    """The document has no such place, or a test failed."""


def json_patch(live: Object, operations: Any) -> Object:
    """What *live* becomes by *operations*; shares nothing with either, so that a retry may use both again."""
    checked = _checked(operations)
    document = _Document(copied(live))
    try:
        for operation in checked:
            document.apply(operation)
    except _DoesNotApplyError:
        raise _rejected() from None
    if not isinstance(document.root, dict):
        raise _rejected()
    return document.root


def unknown_members(operations: Any) -> list[str]:
    """The paths of what strict field validation complains about, e.g. `[0].comment`."""
    return [
        f"[{index}].{name}"
        for index, operation in enumerate(_checked(operations))
        for name in operation
        if name not in _MEMBERS
    ]


class _Document:
    def __init__(self, root: Object) -> None:
        self.root: Any = root
        self._copied_bytes = 0
        self._actions: dict[str, Callable[[_Operation], None]] = {
            "add": self._add,
            "remove": self._remove,
            "replace": self._replace,
            "move": self._move,
            "test": self._test,
            "copy": self._copy,
        }

    def apply(self, operation: _Operation) -> None:
        action = self._actions.get(operation.get("op") or "")
        if action is None:
            raise _DoesNotApplyError
        action(operation)

    def _add(self, operation: _Operation) -> None:
        container, key = self._find(operation, "path")
        _put(container, key, copied(operation.get("value")))

    def _remove(self, operation: _Operation) -> None:
        _take(*self._find(operation, "path"))

    def _replace(self, operation: _Operation) -> None:
        value = copied(operation.get("value"))
        if operation.get("path") == "":
            self.root = value
            return
        container, key = self._find(operation, "path")
        if isinstance(container, dict):
            container[key] = value
        else:
            container[_index(key, len(container))] = value

    def _move(self, operation: _Operation) -> None:
        value = _take(*self._find(operation, "from"))
        container, key = self._find(operation, "path")
        _put(container, key, value)

    def _copy(self, operation: _Operation) -> None:
        value = _look(*self._find(operation, "from"))
        container, key = self._find(operation, "path")
        encoded = msgspec.json.encode(value)
        self._copied_bytes += len(encoded)
        if self._copied_bytes > _MOST_COPIED_BYTES:
            raise _DoesNotApplyError
        _put(container, key, msgspec.json.decode(encoded))

    def _test(self, operation: _Operation) -> None:
        whole = operation.get("path") == ""
        actual = self.root if whole else _look(*self._find(operation, "path"))
        if not _is_same(actual, operation.get("value")):
            raise _DoesNotApplyError

    def _find(self, operation: _Operation, member: str) -> tuple[_Container, str]:
        """The container in which the place lies, and the key of the place in it."""
        path = operation.get(member)
        if path is None:
            raise _DoesNotApplyError
        _, *parts = path.split("/")
        if not parts:
            raise _DoesNotApplyError
        container = self.root
        for part in parts[:-1]:
            container = _look(_checked_container(container), _unescaped(part))
        return _checked_container(container), _unescaped(parts[-1])


def _checked_container(value: Any) -> _Container:
    if not isinstance(value, dict | list):
        raise _DoesNotApplyError
    return value


def _look(container: _Container, key: str) -> Any:
    if isinstance(container, dict):
        return container.get(key)
    return container[_index(key, len(container))]


def _take(container: _Container, key: str) -> Any:
    if isinstance(container, list):
        return container.pop(_index(key, len(container)))
    if key not in container:
        raise _DoesNotApplyError
    return container.pop(key)


def _put(container: _Container, key: str, value: Any) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        container.insert(_index(key, len(container) + 1), value)


def _index(key: str, length: int) -> int:
    if not _INDEX.fullmatch(key):
        raise _DoesNotApplyError
    index = int(key)
    if not -length <= index < length:
        raise _DoesNotApplyError
    return index % length


def _unescaped(part: str) -> str:
    # In this order: "~01" is "~1", not "/".
    return part.replace("~1", "/").replace("~0", "~")


def _is_same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


def _checked(operations: Any) -> list[_Operation]:
    if operations is None:
        return []
    if not isinstance(operations, list):
        raise _mistyped(operations, "Go value of type []handlers.jsonPatchOp")
    for operation in operations:
        if not isinstance(operation, dict):
            raise _mistyped(operation, "Go value of type handlers.jsonPatchOp")
        for member in ("op", "path", "from"):
            if not isinstance(operation.get(member, ""), str | None):
                raise _mistyped(operation[member], f"Go struct field jsonPatchOp.{member} of type string")
    if len(operations) > _MOST_OPERATIONS:
        limit = f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, got {len(operations)}"
        raise too_large(f"Request entity too large: {limit}")
    return operations


def _mistyped(value: Any, target: str) -> ApiError:
    return bad_request(f"error decoding patch: json: cannot unmarshal {kind_of(value)} into {target}")


def _rejected() -> ApiError:
    message = "the server rejected our request due to an error in our request"
    return api_error(Status(422, "Invalid", message, StatusDetails()))
