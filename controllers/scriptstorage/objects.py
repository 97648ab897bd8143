"""What a bucket with scripts can do."""

from collections.abc import Iterator
from typing import Protocol

import msgspec


class StoredObject(msgspec.Struct, frozen=True):
    key: str
    size: int


class ScriptObjects(Protocol):
    """Objects of the default bucket, or for reads of another one. Raises StorageError."""

    @property
    def bucket(self) -> str: ...

    def get(self, key: str, *, bucket: str = "", most_bytes: int | None = None) -> bytes | None:
        """The content; None if there is no such object. ObjectTooLarge if it has more than *most_bytes*."""

    def list(self, prefix: str, *, bucket: str = "") -> Iterator[StoredObject]:
        """Everything whose key begins with *prefix*, by key, however many pages that takes."""

    def put(self, key: str, content: bytes, *, content_type: str = "application/octet-stream") -> None: ...

    def delete_prefix(self, prefix: str) -> int:
        """Delete everything below *prefix*, which ends with `/`; how many objects that were."""

    def check(self) -> None:
        """Return if the bucket answers."""

    def close(self) -> None: ...
