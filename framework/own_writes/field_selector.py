"""Field selectors (`status.phase!=Running,metadata.name=a`), judged on an object's JSON as the server judges them."""

from collections.abc import Mapping
from typing import Any

import msgspec

# A field that is not in the JSON has its zero value, which the server spells by the field's type.
_ZERO = frozenset({"", "0", "false"})


class FieldRequirement(msgspec.Struct, frozen=True):
    path: tuple[str, ...]
    value: str
    wanted: bool

    def matches(self, content: Mapping[str, Any]) -> bool:
        found = _text_at(content, self.path)
        is_equal = self.value in _ZERO if found is None else found == self.value
        return is_equal == self.wanted


class FieldSelector(msgspec.Struct, frozen=True):
    requirements: tuple[FieldRequirement, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "FieldSelector":
        return cls(tuple(_requirement(part) for part in text.split(",") if part.strip()))

    def matches(self, content: Mapping[str, Any]) -> bool:
        return all(requirement.matches(content) for requirement in self.requirements)


def _requirement(text: str) -> FieldRequirement:
    for operator in ("!=", "==", "="):
        path, found, value = text.partition(operator)
        if found:
            return FieldRequirement(tuple(path.strip().split(".")), value.strip(), operator != "!=")
    raise ValueError(f"field selector {text!r} is none of: field=value, field==value, field!=value")


def _text_at(content: Any, path: tuple[str, ...]) -> str | None:
    for name in path:
        content = content.get(name) if isinstance(content, Mapping) else None
    if content is None or isinstance(content, Mapping | list):
        return None
    return str(content).lower() if isinstance(content, bool) else str(content)
