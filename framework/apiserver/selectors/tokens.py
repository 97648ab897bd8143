"""The words of a label selector's text."""

import re
from typing import NamedTuple

_SYMBOLS = frozenset("=!(),><")
_BLANKS = frozenset(" \t\r\n")
_ZERO = "\0"
_WORD = re.compile("[^=!(),><\0 \t\r\n]+")
_OPERATORS = frozenset([")", ",", "!", "==", "=", ">", "<", "!=", "("])
# The end of the text; nothing else is empty.
END = ""


class Token(NamedTuple):
    """*text* is what a message shows. `in` and `notin` are identifiers too: only their place makes them operators."""

    text: str
    is_identifier: bool = False


def tokens_of(text: str) -> list[Token]:
    """All tokens of *text*; the last one is the end."""
    found: list[Token] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character in _BLANKS:
            position += 1
            continue
        # As the real server's scanner does: where a token could begin a zero is the end, after a token it is nothing.
        if character == _ZERO:
            break
        token = _symbol(text, position) if character in _SYMBOLS else _word(text, position)
        found.append(token)
        position += len(token.text)
        position += text.startswith(_ZERO, position)
    return [*found, Token(END)]


def _symbol(text: str, position: int) -> Token:
    two = text[position : position + 2]
    return Token(two if two in _OPERATORS else two[0])


def _word(text: str, position: int) -> Token:
    match = _WORD.match(text, position)
    return Token(match[0] if match else END, is_identifier=True)
