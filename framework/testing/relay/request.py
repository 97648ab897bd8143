"""What the relay remembers of a request."""

from urllib.parse import parse_qsl, urlsplit

import msgspec


class SeenRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that reached the relay in full, and what became of it."""

    number: int
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    time: float
    """On the monotonic clock."""
    status: int | None = None
    """What the client was told; None while, or if, it was told nothing."""
    upstream_status: int | None = None
    """What the server answered; None if it was not asked, or has not answered yet."""


def split_target(target: str) -> tuple[str, dict[str, str]]:
    """Path and query of a request target."""
    parts = urlsplit(target)
    return parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))
