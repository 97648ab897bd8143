"""Values of a Secret in plain JSON."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any


def value_in(secret: Mapping[str, Any], name: str) -> bytes:
    """Empty if it is not there, or no value."""
    try:
        return base64.b64decode((secret.get("data") or {}).get(name) or "", validate=True)
    except (binascii.Error, ValueError):
        return b""


def encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()
