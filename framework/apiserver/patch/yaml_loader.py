"""YAML as the real server reads it: YAML 1.1 with more spellings of numbers and truth, and no timestamps."""

import re
from typing import Any

import yaml

from framework.apiserver.patch.json_body import MAXIMUM_DEPTH, MAXIMUM_VALUES, too_many_values

# Names of fields are nodes as well.
MAXIMUM_NODES = 2 * MAXIMUM_VALUES
_TAG = "tag:yaml.org,2002:"
_TRUE = {"y", "yes", "true", "on"}
_WORDS = "y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON|n|N|no|No|NO|false|False|FALSE|off|Off|OFF"
_INT = r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*)"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_BASES = {"0x": 16, "0b": 2, "0o": 8}


class TooDeepError(yaml.YAMLError):
    """Containers are nested deeper than in any request body."""


class Loader(yaml.CSafeLoader):
    """The scalars of Go's YAML package. Composing is done by libyaml."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
Loader.add_implicit_resolver(f"{_TAG}bool", re.compile(rf"(?:{_WORDS})\Z"), list("yYnNtTfFoO"))
Loader.add_implicit_resolver(f"{_TAG}int", re.compile(rf"(?:{_INT})\Z"), list("-+0123456789"))
Loader.add_implicit_resolver(f"{_TAG}float", re.compile(rf"(?:{_FLOAT})\Z"), list("-+0123456789."))
Loader.add_implicit_resolver(f"{_TAG}merge", re.compile(r"<<\Z"), ["<"])


def _truth(_: Loader, node: yaml.ScalarNode) -> bool:
    return node.value.lower() in _TRUE


def _integer(_: Loader, node: yaml.ScalarNode) -> int:
    text = node.value.replace("_", "").lower()
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits[:2] in _BASES:
        return sign * int(digits[2:], _BASES[digits[:2]])
    return sign * int(digits, 8 if digits.startswith("0") else 10)


def _text(_: Loader, node: yaml.ScalarNode) -> str:
    return str(node.value)


Loader.add_constructor(f"{_TAG}bool", _truth)
Loader.add_constructor(f"{_TAG}int", _integer)
Loader.add_constructor(f"{_TAG}timestamp", _text)


def compose(body: bytes) -> yaml.Node | None:
    """The first document of *body* as a tree of nodes, in which an alias is the node that it stands for."""
    _refuse_large(body)
    loader = Loader(body)
    try:
        node: yaml.Node | None = loader.get_node() if loader.check_node() else None
    finally:
        loader.dispose()
    return node


def construct(node: yaml.Node) -> Any:
    loader = Loader(b"")
    try:
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_large(body: bytes) -> None:
    # libyaml composes recursively on the C stack, and each node takes half a kilobyte; events come one at a time.
    depth = values = 0
    for event in yaml.parse(body, Loader=Loader):
        if isinstance(event, yaml.NodeEvent):
            values += 1
            if values > MAXIMUM_NODES:
                raise too_many_values()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAXIMUM_DEPTH:
                raise TooDeepError("exceeded max depth")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
