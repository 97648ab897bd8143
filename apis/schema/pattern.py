"""Tells whether the server reads a pattern as Python does.

The server matches with RE2 and looks for the pattern anywhere in the text; Python's dialect is larger. What both read
alike is a whole-text pattern, `^…$`, without look-around, back references, atomic groups and possessive repeats.
"""

import re

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P?.?.?|[()|]|[*+?}]\+|\{\d+,?\d*\}|.", re.DOTALL)
_FOREIGN = re.compile(r"\\[1-9AZ]|\(\?[=!>(#]|\(\?<[=!]|\(\?P=|[*+?}]\+")
_LARGEST_REPEAT = 1000


def fault_of(pattern: str) -> str:
    """What is wrong with *pattern*, or an empty text."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"is no regular expression: {error}"
    tokens = _TOKEN.findall(pattern)
    foreign = next((token for token in tokens if _FOREIGN.match(token)), None)
    if foreign is not None:
        return f"uses {foreign}, which RE2 does not have"
    if any(_repeat(token) > _LARGEST_REPEAT for token in tokens):
        return f"repeats more than {_LARGEST_REPEAT} times, which RE2 refuses"
    if not _is_anchored(tokens):
        return "matches a part of the text; write ^(…)$"
    return ""


def _repeat(token: str) -> int:
    return max(map(int, re.findall(r"\d+", token)), default=0) if token.startswith("{") else 0


def _is_anchored(tokens: list[str]) -> bool:
    return tokens[:1] == ["^"] and tokens[-1:] == ["$"] and not _has_top_level_choice(tokens)


def _has_top_level_choice(tokens: list[str]) -> bool:
    depth = 0
    for part in tokens:
        depth += part.startswith("(") - (part == ")")
        if part == "|" and depth == 0:
            return True
    return False
