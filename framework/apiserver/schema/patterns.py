"""Regular expressions as the API server reads them: RE2 syntax, and time linear in the text."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from framework.loading import LOADING

# Whether the pattern is found anywhere in the text.
Matcher: TypeAlias = Callable[[str], bool]

# What RE2 says, and what its cousin in the API server says instead.
_WORDS = {
    "bad character class": "invalid character class",
    "invalid character class range": "invalid character class range",
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
    "unexpected )": "unexpected )",
    "invalid UTF-8": "invalid UTF-8",
    "invalid escape sequence": "invalid escape sequence",
}


class PatternError(ValueError):
    """The pattern is not a regular expression; the text says why, as the API server does."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Matcher:
    """Raises PatternError."""
    # Not at the top: many schemas have no pattern, and this takes milliseconds.
    with LOADING:
        import re2

    options = re2.Options()
    options.log_errors = False
    # Groups cost twice the time, and nobody asks for them.
    options.never_capture = True
    try:
        search = re2.compile(pattern, options).search
    except re2.error as error:
        raise PatternError(_as_go_says(error)) from None
    # Texts are handed over as bytes: for str the binding translates every position.
    return lambda text: search(text.encode()) is not None


def _as_go_says(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode() if isinstance(said, bytes) else str(said)
    what, _, where = text.partition(": ")
    return f"error parsing regexp: {_WORDS.get(what, what)}: `{where}`"
