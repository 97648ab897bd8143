"""Makes objects smaller before they are stored."""

from collections.abc import Callable
from typing import Any

import msgspec

Transform = Callable[[dict[str, Any]], dict[str, Any]]


def transformed(raw: bytes | msgspec.Raw, transform: Transform) -> bytes:
    return msgspec.json.encode(transform(msgspec.json.decode(raw)))


def drop_managed_fields(content: dict[str, Any]) -> dict[str, Any]:
    """Saves about a quarter of the memory; server-side apply does not need the cached ones."""
    content.get("metadata", {}).pop("managedFields", None)
    return content
