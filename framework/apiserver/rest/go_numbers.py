"""Numbers in requests, as Go parses them: neither spaces nor underscores nor other digits, and only so large."""

import re

from framework.apiserver.status import bad_request

_SIGNED, _UNSIGNED = re.compile(r"[+-]?[0-9]+"), re.compile(r"[0-9]+")
_INT64, _UINT64 = range(-(2**63), 2**63), range(2**64)
# No number with more digits is in range, and Python refuses to read those with thousands.
_MOST_DIGITS = 400


class NotNumericError(ValueError):
    """What strconv says about a text."""


def uint64(text: str) -> int:
    """Raises NotNumericError if *text* is no number of 64 bits."""
    return _parsed(text, "ParseUint", _UNSIGNED, _UINT64)


def query_int64(text: str) -> int:
    """BadRequest if *text* is no number of 64 bits."""
    try:
        return _parsed(text, "ParseInt", _SIGNED, _INT64)
    except NotNumericError as error:
        raise bad_request(str(error)) from None


def _parsed(text: str, function: str, pattern: re.Pattern[str], legal: range) -> int:
    if not pattern.fullmatch(text):
        raise NotNumericError(f'strconv.{function}: parsing "{text}": invalid syntax')
    number = int(text) if len(text) < _MOST_DIGITS else legal.stop
    if number not in legal:
        raise NotNumericError(f'strconv.{function}: parsing "{text}": value out of range')
    return number
