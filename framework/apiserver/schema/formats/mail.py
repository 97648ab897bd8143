"""Addresses of mail as Go's net/mail parses them: `someone@example.com`, also with a name in front."""

import re
from functools import cache

_CHARACTERS = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\U0010ffff"
_ATOM = f"[{_CHARACTERS}]+"
_DOT_ATOM = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\x09\x20-\x7e])*"'
_LITERAL = r"\[[^\[\]\\\s]*\]"
_ADDRESS = rf"(?:{_DOT_ATOM}|{_QUOTED})@(?:{_DOT_ATOM}|{_LITERAL})"
# Not a repetition of atoms: that would take exponential time for what does not fit.
_PHRASE = rf"(?:[{_CHARACTERS}. \t]|{_QUOTED})*"
_SPACE = r"[ \t]*"


@cache
def _mailbox() -> re.Pattern[str]:
    # Its wide ranges take longer to compile than a whole schema, and few schemas ask for it.
    return re.compile(rf"{_SPACE}(?:{_ADDRESS}|{_PHRASE}<{_SPACE}{_ADDRESS}{_SPACE}>){_SPACE}")


def is_email(text: str) -> bool:
    return _mailbox().fullmatch(text) is not None
