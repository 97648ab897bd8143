"""From text to syntax tree, by the parser of Google's C++ CEL and our reading of Kubernetes' additional macros."""

import re
from functools import cache
from typing import Any

from framework.apiserver.cel import syntax
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.macros import MacroReader
from framework.apiserver.cel.source import Problem, Source
from framework.apiserver.cel.wire import read_parsed_expression
from framework.loading import LOADING

_STATUS = re.compile(r"(?:[A-Z_]+: )?(.*?)(?: \[[A-Z_]+\])?", re.DOTALL)
_RECURSION = re.compile(r".*recursion (?:limit|depth).*?(\d+).*", re.DOTALL)
# What the C++ parser says, and what the Go parser of the real server says instead.
_WORDS = (
    (re.compile(r"has\(\) argument must be a field selection"), "invalid argument to has() macro"),
    (re.compile(r"(?!opt)\w+\(\) variable name must be a simple identifier"), "argument must be a simple name"),
    (re.compile(r"\w+\(\) variable name cannot be \S+"), "iteration variable overwrites accumulator variable"),
)


def parse(text: str) -> tuple[syntax.Node, Source]:
    source = Source(text)
    try:
        data = _library().compile(text, disable_check=True).serialize()
    except RuntimeError as error:
        raise CelError(_in_words_of_the_server(str(error))) from None
    reader = MacroReader(source)
    tree = reader.read(read_parsed_expression(data))
    if reader.problems:
        raise CelError(source.describe(reader.problems))
    return tree, source


@cache
def _library() -> Any:
    # 12 MB that only a server with rules should pay.
    with LOADING:
        from cel_expr_python import cel
        from cel_expr_python.ext import ext_optional

    return cel.NewEnv(variables={}, extensions=[ext_optional.ExtOptional()])


def _in_words_of_the_server(message: str) -> str:
    found = _STATUS.fullmatch(message)
    text = found[1] if found else message
    recursion = _RECURSION.fullmatch(text)
    if recursion:
        return Source("").describe([Problem(0, f"expression recursion limit exceeded: {recursion[1]}")])
    for theirs, servers in _WORDS:
        text = theirs.sub(servers, text)
    return text
