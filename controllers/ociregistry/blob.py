"""A part of an image that is to be in a repository."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol

import msgspec

from controllers.ociregistry.documents import Descriptor, digest_of


class Blob(Protocol):
    @property
    def descriptor(self) -> Descriptor: ...

    def open(self) -> AbstractContextManager[IO[bytes]]: ...


class BytesBlob(msgspec.Struct, frozen=True):
    content: bytes
    media_type: str

    @property
    def descriptor(self) -> Descriptor:
        return Descriptor(media_type=self.media_type, digest=digest_of(self.content), size=len(self.content))

    def open(self) -> IO[bytes]:
        return BytesIO(self.content)


class FileBlob(msgspec.Struct, frozen=True):
    path: Path
    descriptor: Descriptor

    def open(self) -> IO[bytes]:
        return self.path.open("rb")


def in_file(pieces: Iterator[bytes], path: Path) -> int:
    """Write *pieces* to *path*; how many bytes they were."""
    size = 0
    with path.open("wb") as file:
        for piece in pieces:
            size += file.write(piece)
    return size
