"""Defaults for what an apply makes: unlike a body, it keeps nulls that are not allowed, for validation to find."""

from collections.abc import Iterator
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Strategy


def fill_defaults(strategy: Strategy, obj: Object) -> None:
    nulls = list(_nulls(obj))
    strategy.default(obj)
    for container, name in nulls:
        container.setdefault(name, None)


def _nulls(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        for name, item in value.items():
            if item is None:
                yield value, name
            else:
                yield from _nulls(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nulls(item)
