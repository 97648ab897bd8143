"""values.yaml as a tree: each value with the words above it."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

_DESCRIPTION, _HINT = re.compile(r"^# (?:-- )?"), re.compile(r"^@(\S+) ?(.*)$")


class Value(msgspec.Struct, frozen=True):
    name: str
    default: Any
    description: str
    # What may be put there, beyond the type of the default.
    hints: dict[str, str]
    children: "tuple[Value, ...]"

    def walk(self, path: str = "") -> "Iterator[tuple[str, Value]]":
        """It and all below it, by their paths."""
        own = f"{path}.{self.name}" if path else self.name
        yield own, self
        for child in self.children:
            yield from child.walk(own)


def read_values(text: str) -> tuple[Value, ...]:
    lines = text.splitlines()
    node = yaml.compose(text)
    if not isinstance(node, yaml.MappingNode):
        raise ValueError("values.yaml is no mapping")  # noqa: TRY004 - of a file
    return _children(node, lines)


def _children(node: yaml.MappingNode, lines: list[str]) -> tuple[Value, ...]:
    return tuple(_value(key, value, lines) for key, value in node.value)


def _value(key: yaml.Node, value: yaml.Node, lines: list[str]) -> Value:
    description, hints = _words_above(lines, key.start_mark.line)
    children = _children(value, lines) if isinstance(value, yaml.MappingNode) else ()
    default = yaml.safe_load(yaml.serialize(value))
    return Value(str(key.value), default, description, hints, children)


def _words_above(lines: list[str], line: int) -> tuple[str, dict[str, str]]:
    above: list[str] = []
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
        above.insert(0, _DESCRIPTION.sub("", lines[line].strip()))
    found = [_HINT.match(each) for each in above]
    hints = {match[1]: match[2] for match in found if match}
    return " ".join(each for each, match in zip(above, found, strict=True) if not match), hints
