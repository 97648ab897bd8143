"""Copies of JSON values."""

from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def copied(value: Any) -> Any:
    """*value* with nothing shared that can be changed. A round trip through JSON beats a walk in Python."""
    return _decode(_encode(value)) if isinstance(value, dict | list) else value
