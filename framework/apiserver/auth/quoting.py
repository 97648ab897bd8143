"""Lists of strings and of errors as Go prints them in messages; clients match on the whole message."""

from collections.abc import Iterable

from framework.apiserver.spelling import spelled_string


def quoted_list(texts: Iterable[str]) -> str:
    return f"[{' '.join(spelled_string(text) for text in texts)}]"


def joined_errors(errors: Iterable[str]) -> str:
    """Several errors as one; equal ones once."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
