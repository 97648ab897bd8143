"""Steps through values that are still JSON.

As in the real server, a property of an object that is null is absent, and null in a list or map is allowed only where
the schema says nullable.
"""

from typing import Any

from framework.apiserver.cel.closures import Run
from framework.apiserver.cel.costs import Frame
from framework.apiserver.cel.errors import CelError


def required(json: Run) -> Run:
    def run(frame: Frame) -> Any:
        value = json(frame)
        if value is None:
            raise CelError("invalid data, got null for schema with nullable=false")
        return value

    return run


def property_of(operand: Run, key: str, name: str) -> Run:
    def run(frame: Frame) -> Any:
        value = operand(frame).get(key)
        if value is None:
            raise CelError(f"no such key: {name}")
        return value

    return run


def item_of_map(operand: Run, key: Run) -> Run:
    def run(frame: Frame) -> Any:
        entries, name = operand(frame), key(frame)
        if name not in entries:
            raise CelError(f"no such key: {name}")
        return entries[name]

    return run


def item_of_list(operand: Run, index: Run) -> Run:
    def run(frame: Frame) -> Any:
        items, number = operand(frame), index(frame)
        if not 0 <= number < len(items):
            raise CelError(f"index out of bounds: {number}")
        return items[number]

    return run
