"""What can be chosen about the API."""

from pathlib import Path

import msgspec

MEBIBYTE = 1024 * 1024


class CfApiOptions(msgspec.Struct, frozen=True, kw_only=True):
    namespace: str = "default"
    listen: str = "0.0.0.0:8080"
    tls_certificate_file: Path | None = None
    tls_key_file: Path | None = None
    max_upload_bytes: int = 25 * MEBIBYTE
    max_parts: int = 1000
    # How long an upload waits for its WorkerRelease, so that what is asked next finds it.
    release_wait_seconds: float = 10.0
    # Of the controllers: the host of an account's Ingress that names none.
    ingress_host: str = ""
    # How often a write is tried again that somebody else was quicker with.
    conflict_retries: int = 5
