"""Request bodies in YAML: aliases are bounded, keys become strings, errors are worded as the real server does."""

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.scanner import ScannerError

from framework.apiserver.patch.json_body import MAXIMUM_VALUES
from framework.apiserver.patch.yaml_loader import compose, construct
from framework.apiserver.status import bad_request

# Aliases may add so many nodes to a document.
_MOST_FROM_ALIASES = MAXIMUM_VALUES
# As many as a body may have. A text that stands for many is one in memory, but not when it is written.
_MOST_CHARACTERS_FROM_ALIASES = 3 * 1024 * 1024
_FIRST_BEYOND_INT64 = 2**63
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")
_GO_NUMBERS = {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}
_CONTROL = "control characters are not allowed"
_CONVERTING = "error converting YAML to JSON: "


class _ExcessiveAliasingError(yaml.YAMLError):
    """A few bytes that would become a huge object."""


def duplicate_keys(body: bytes) -> str:
    """What strict field validation says about keys that stand twice in *body*; "" if none does."""
    node = compose(body)
    found = list(_duplicates(node)) if node is not None else []
    return "\n  ".join([f"{_CONVERTING}yaml: unmarshal errors:", *found]) if found else ""


def decode_yaml(body: bytes) -> Any:
    try:
        node = compose(body)
        if node is None:
            return None
        _refuse_bombs(node)
        return _as_json(construct(node))
    except yaml.YAMLError as error:
        raise bad_request(f"error decoding YAML: {_CONVERTING}yaml: {_reason(error, body)}") from None
    except (ValueError, RecursionError) as error:
        raise bad_request(f"error decoding YAML: {_CONVERTING}{error}") from None


def _refuse_bombs(root: yaml.Node) -> None:
    # Bounded by the limit itself: the walk stops where the document has become too large.
    seen: set[int] = set()
    nodes = characters = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            nodes += 1
            characters += len(node.value) if isinstance(node, yaml.ScalarNode) else 0
            if nodes > _MOST_FROM_ALIASES or characters > _MOST_CHARACTERS_FROM_ALIASES:
                raise _ExcessiveAliasingError("document contains excessive aliasing")
        seen.add(id(node))
        waiting.extend(_children(node))


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _duplicates(node: yaml.Node) -> Iterator[str]:
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in keys:
                yield f'line {key.start_mark.line + 1}: key "{key.value}" already set in map'
            keys.add(str(key.value))
    for child in _children(node):
        yield from _duplicates(child)


def _as_json(value: Any) -> Any:
    """A fresh value of what JSON has; nothing in it is shared, even where aliases shared it."""
    if isinstance(value, dict):
        return {_key(name): _as_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_as_json(member) for member in value]
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"json: unsupported value: {_GO_NUMBERS[str(value)]}")
        return int(value) if value.is_integer() and abs(value) < _FIRST_BEYOND_INT64 else value
    if type(value) is int and not -_FIRST_BEYOND_INT64 <= value < _FIRST_BEYOND_INT64:
        return float(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    raise ValueError(f"unsupported value of type {type(value).__name__}")


def _key(name: Any) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bool):
        return "true" if name else "false"
    if isinstance(name, int | float):
        return f"{name:g}" if isinstance(name, float) else str(name)
    raise ValueError(f"unsupported map key of type: {type(name).__name__}")


def _reason(error: yaml.YAMLError, body: bytes) -> str:
    if not isinstance(error, yaml.MarkedYAMLError):
        text = str(error).partition("\n")[0]
        return _CONTROL if text.endswith(_CONTROL) else text
    if isinstance(error, ComposerError) and error.problem_mark is not None:
        alias = _ALIAS.match(body.decode(errors="replace"), error.problem_mark.index)
        if alias is not None:
            return f"unknown anchor '{alias[1]}' referenced"
    return f"{_place(error)}{error.problem or error.context}"


def _place(error: yaml.MarkedYAMLError) -> str:
    # Go's YAML package counts lines from 0 in parser errors, and takes 0 for unknown.
    for mark in (error.context_mark, error.problem_mark):
        if mark is not None and mark.line:
            return f"line {mark.line + isinstance(error, ScannerError)}: "
    return ""
