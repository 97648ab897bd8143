"""Reading objects that may have only a part of their fields, as those in bookmarks do."""

from collections.abc import Iterable
from typing import Any

from framework.apiserver.objects import Object

NONE = "<none>"


def dig(obj: Any, *path: str) -> Any:
    """The value at *path*, None if there is nothing."""
    for name in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(name)
    return obj


def objects_at(obj: Object, *path: str) -> list[Object]:
    return dig(obj, *path) or []


def number_at(obj: Object, *path: str) -> int:
    return dig(obj, *path) or 0


def text_at(obj: Object, *path: str) -> str:
    return dig(obj, *path) or ""


def name_of(obj: Object) -> str:
    return text_at(obj, "metadata", "name")


def created(obj: Object) -> Any:
    return dig(obj, "metadata", "creationTimestamp")


def has_condition(conditions: Iterable[Object], kind: str) -> bool:
    """Whether the first condition of that type is true."""
    return next((one.get("status") == "True" for one in conditions if one.get("type") == kind), False)
