"""Passwords and salts."""

import secrets
import string

_ALPHABET = string.ascii_letters + string.digits
_LENGTH = 64


def secret_text() -> str:
    """Of letters and digits, and not to be guessed: not drawn from what a seed repeats."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
