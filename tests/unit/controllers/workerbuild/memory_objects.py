"""A bucket in memory, in which a script costs nothing."""

from collections.abc import Iterator

from controllers.scriptstorage.errors import ObjectTooLarge
from controllers.scriptstorage.objects import StoredObject

BUCKET, FOREIGN_BUCKET = "scripts", "foreign-scripts"


class MemoryObjects:
    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], bytes] = {}

    @property
    def bucket(self) -> str:
        return BUCKET

    def get(self, key: str, *, bucket: str = "", most_bytes: int | None = None) -> bytes | None:
        content = self.stored.get((bucket or BUCKET, key))
        if content is not None and most_bytes is not None and len(content) > most_bytes:
            raise ObjectTooLarge(f"{key} has more than {most_bytes} bytes")
        return content

    def list(self, prefix: str, *, bucket: str = "") -> Iterator[StoredObject]:
        for (where, key), content in sorted(self.stored.items()):
            if where == (bucket or BUCKET) and key.startswith(prefix):
                yield StoredObject(key, len(content))

    def put(self, key: str, content: bytes, *, content_type: str = "") -> None:  # noqa: ARG002 - as the Protocol
        self.stored[BUCKET, key] = content

    def delete_prefix(self, prefix: str) -> int:
        keys = [entry.key for entry in self.list(prefix)]
        for key in keys:
            del self.stored[BUCKET, key]
        return len(keys)

    def check(self) -> None:
        """It always answers."""

    def close(self) -> None:
        """Nothing is open."""
