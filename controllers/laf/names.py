"""Names of what is made for an Instance, or an Application of that name."""

import hashlib
import re

_AS_IT_IS = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
# Whatever is appended to a base, for example `-deployment`, must fit into the 63 characters of a label.
_LONGEST_BASE = 52
_LONGEST_CUT = 41
_HASH_CHARACTERS = 8


def base_name(name: str) -> str:
    """*name* if it can begin the name of any object; else one that tells it from all others."""
    if len(name) <= _LONGEST_BASE and _AS_IT_IS.fullmatch(name):
        return name
    cut = name.replace(".", "-")[:_LONGEST_CUT].strip("-")
    return f"i-{cut}-{hashlib.sha256(name.encode()).hexdigest()[:_HASH_CHARACTERS]}"


def salt_name(name: str) -> str:
    """Of the Secret on the hub."""
    return f"{base_name(name)}-salt"
