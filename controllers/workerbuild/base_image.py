"""The image that a build stands on, and its layers where they are needed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

import msgspec

from controllers.ociregistry.documents import INDEXES, Descriptor, ImageConfig, Index, Manifest, Platform
from controllers.ociregistry.errors import ImageNotFound, RegistryRefused, RegistryUnavailable
from controllers.ociregistry.reference import ImageReference
from controllers.ociregistry.repository import RemoteRepository

_Document = TypeVar("_Document")


class BaseImage(msgspec.Struct, frozen=True):
    config: ImageConfig
    layers: Sequence[Descriptor] = ()


def scratch(platform: Platform) -> BaseImage:
    return BaseImage(ImageConfig(architecture=platform.architecture, os=platform.os))


def resolve_base(repository: RemoteRepository, reference: ImageReference, platform: Platform) -> BaseImage:
    """Of an image for several platforms, the one for *platform*."""
    found = repository.manifest(reference.name)
    if found is not None and found.media_type in INDEXES:
        chosen = _choose(_decoded(found.content, Index, reference), platform)
        found = repository.manifest(chosen) if chosen else None
    if found is None:
        raise ImageNotFound(f"base image {reference} is not there for {platform.os}/{platform.architecture}")
    manifest = _decoded(found.content, Manifest, reference)
    config = _decoded(repository.blob(manifest.config.digest), ImageConfig, reference)
    if len(config.diff_ids) != len(manifest.layers):
        raise RegistryRefused(f"base image {reference} has {len(manifest.layers)} layers, but not by its configuration")
    return BaseImage(config, manifest.layers)


def _choose(index: Index, platform: Platform) -> str:
    for entry in index.manifests:
        is_same = (entry.platform.os, entry.platform.architecture) == (platform.os, platform.architecture)
        if is_same and platform.variant in {"", entry.platform.variant}:
            return entry.digest
    return ""


def _decoded(content: bytes, kind: type[_Document], reference: ImageReference) -> _Document:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RegistryRefused(f"base image {reference} cannot be read: {error}") from None


class LayerOfBase:
    """A layer that is in another registry: it goes from there to here without touching a disk."""

    def __init__(self, source: RemoteRepository, descriptor: Descriptor) -> None:
        self._source = source
        self.descriptor = descriptor

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        stream: Any = _Stream(self._source.blob_pieces(self.descriptor.digest), self.descriptor)
        yield stream


class _Stream:
    """As much of a file as an upload needs: its length is known before, and it is read once."""

    def __init__(self, pieces: Iterator[bytes], descriptor: Descriptor) -> None:
        self._pieces = pieces
        self._descriptor = descriptor
        self._is_begun = False
        self._rest = b""

    def __len__(self) -> int:
        return self._descriptor.size

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.read, b"")

    def seek(self, _position: int) -> None:
        if self._is_begun:
            raise RegistryUnavailable(f"layer {self._descriptor.digest} would have to be sent twice")

    def read(self, size: int = -1) -> bytes:
        self._is_begun = True
        piece = self._rest or next(self._pieces, b"")
        if 0 <= size < len(piece):
            piece, self._rest = piece[:size], piece[size:]
        else:
            self._rest = b""
        return piece
