"""Where the bucket is, and who asks."""

from pathlib import Path

import msgspec

from framework.errors import ConfigurationError

_CONNECT_SECONDS, _READ_SECONDS = 5.0, 60.0


class StorageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Empty fields are left to what AWS's own clients would find: files, variables, the role of the machine."""

    bucket: str
    # Beside the bucket itself: where else scripts may be read from.
    allowed_buckets: tuple[str, ...] = ()
    endpoint: str = ""
    region: str = ""
    credentials_file: Path | None = None
    config_file: Path | None = None
    access_key_id: str = ""
    secret_access_key: str = ""
    connect_seconds: float = _CONNECT_SECONDS
    read_seconds: float = _READ_SECONDS
    # Of one page of a list; S3 gives no more than this.
    page_keys: int = 1000

    def __repr__(self) -> str:
        # A key must not come into a log by way of its settings.
        return f"StorageSettings(bucket={self.bucket!r}, endpoint={self.endpoint!r}, region={self.region!r})"

    def check(self) -> None:
        """Raise ConfigurationError with the flag that is missing."""
        if not self.bucket:
            raise ConfigurationError("-s3-bucket is missing: the bucket that holds the scripts")
        if bool(self.access_key_id) != bool(self.secret_access_key):
            raise ConfigurationError("an access key of S3 has two parts, an id and a secret; one is missing")

    def may_read(self, bucket: str) -> bool:
        return bucket == self.bucket or bucket in self.allowed_buckets
