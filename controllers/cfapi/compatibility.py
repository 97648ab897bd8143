"""Date and flags of an upload: what workerd must behave like."""

from collections.abc import Sequence
from datetime import date

from controllers.cfapi import failure
from controllers.workers.script_rules import InvalidInput, ScriptRules

_MOST_FLAGS, _LONGEST_FLAG = 64, 128


def checked_date(text: str, today: date) -> str:
    """In its one spelling; empty stays empty, and means the default of the installation."""
    try:
        return ScriptRules().compatibility_date(text, today) if text else ""
    except InvalidInput as error:
        raise failure.rejected(str(error)) from None


def checked_flags(flags: Sequence[str]) -> list[str]:
    if len(flags) > _MOST_FLAGS:
        raise failure.rejected(f"there are more than {_MOST_FLAGS} compatibility flags")
    if any(len(flag) > _LONGEST_FLAG or not flag.isprintable() for flag in flags):
        raise failure.rejected(f"a compatibility flag has at most {_LONGEST_FLAG} printable characters")
    return list(flags)
