"""A short name for the content of a pod template."""

import hashlib
from typing import Any

import msgspec

# No vowels, so that it is never a word; as in the names that the server generates.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_LENGTH = 10
_canonical = msgspec.json.Encoder(order="deterministic").encode


def hash_of(template: Any, collisions: int = 0) -> str:
    number = int.from_bytes(hashlib.sha256(_canonical([template, collisions])).digest()[:8])
    signs = []
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_ALPHABET))
        signs.append(_ALPHABET[place])
    return "".join(signs)
