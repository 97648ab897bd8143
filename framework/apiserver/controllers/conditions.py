"""Conditions in a status: each type once, and a time that moves only when its status does."""

from collections.abc import Iterable
from typing import Any

from framework.apiserver.objects import Object


def find_condition(conditions: Iterable[Any] | None, name: str) -> Object | None:
    return next((one for one in conditions or () if one.get("type") == name), None)


def is_true(conditions: Iterable[Any] | None, name: str) -> bool:
    condition = find_condition(conditions, name)
    return condition is not None and condition.get("status") == "True"


def set_condition(conditions: list[Object], condition: Object, now: str) -> None:
    """Put *condition* in the place of the one of its type, in *conditions* itself."""
    known = find_condition(conditions, condition["type"])
    if known is None:
        conditions.append({**condition, "lastTransitionTime": now})
        return
    if known.get("status") != condition["status"]:
        known["lastTransitionTime"] = now
    known.update(condition)
