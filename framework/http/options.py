"""The limits of the front end."""

import msgspec

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


class HttpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes and times are those of the real server where it has one."""

    max_head_bytes: int = MEBIBYTE
    max_headers: int = 1_000
    max_body_bytes: int = 3 * MEBIBYTE
    # Of all requests that are arriving, waiting or being handled together.
    max_bodies_bytes: int = 256 * MEBIBYTE
    # So many of each are free, so that large bodies cannot keep out small ones.
    free_body_bytes: int = 64 * KIBIBYTE
    max_connections: int = 1_000
    # After so many it is closed in an orderly way, so that its client comes back, perhaps to another replica.
    max_requests_each: int | None = None
    # Requests that may block, and the compression of large answers, at the same time; more wait for their turn.
    max_workers: int = 32
    head_seconds: float = 32.0
    body_seconds: float = 60.0
    idle_seconds: float = 90.0
    # How long a client may take to make room for more: it must read some 64 KiB in this time.
    unread_seconds: float = 30.0
    # How long the rest of a refused request is read and thrown away, so that the client gets to see the refusal.
    linger_seconds: float = 1.0
    # Answers with longer bodies are compressed for clients that accept it.
    gzip_above_bytes: int = 128 * KIBIBYTE
    # Watches that begin with the whole state are compressed too, as from Kubernetes 1.37 on.
    gzip_watch_lists: bool = False
    # The least time between two rounds of sending events: under load, one write then carries several events.
    event_round_seconds: float = 0.002
