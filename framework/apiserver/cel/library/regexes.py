"""Regular expressions in RE2's syntax and in its linear time: a pattern cannot hang the server."""

from functools import lru_cache
from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.loading import LOADING

_KEPT_PATTERNS = 512


@lru_cache(_KEPT_PATTERNS)
def pattern(text: str) -> Any:
    """The compiled pattern; CelError if it is none."""
    # RE2 is loaded with the first rule that has a pattern: most servers never need it.
    with LOADING:
        import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0]
        raise CelError(f"error parsing regexp: {reason.decode() if isinstance(reason, bytes) else reason}") from None


# Texts are handed over as bytes: for str the binding translates every position.


def _matches(text: str, expression: str) -> bool:
    return pattern(expression).search(text.encode()) is not None


def _find(text: str, expression: str) -> str:
    found = pattern(expression).search(text.encode())
    return "" if found is None else str(found.group(0), "utf-8")


def _find_all(text: str, expression: str, limit: int = -1) -> list[str]:
    found: list[str] = []
    for each in pattern(expression).finditer(text.encode()):
        if len(found) == limit:
            break
        found.append(str(each.group(0), "utf-8"))
    return found


OVERLOADS = (
    function("matches(string, string) -> bool", _matches),
    member("string.matches(string) -> bool", _matches),
    member("string.find(string) -> string", _find),
    member("string.findAll(string) -> list(string)", _find_all),
    member("string.findAll(string, int) -> list(string)", _find_all),
)
