"""The documents of an image: manifest, index and configuration, as far as a build needs them."""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from apis.meta import ApiStruct

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
OCI_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
_DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
INDEXES = frozenset({OCI_INDEX, DOCKER_INDEX})
MANIFESTS = (OCI_MANIFEST, DOCKER_MANIFEST, OCI_INDEX, DOCKER_INDEX)


class Descriptor(ApiStruct, frozen=True, kw_only=True):
    media_type: str
    digest: str
    size: int

    def as_oci(self) -> "Descriptor":
        """A layer of Docker's is one of OCI's by another name; a manifest holds those of one family only."""
        return msgspec.structs.replace(self, media_type=OCI_LAYER) if self.media_type == _DOCKER_LAYER else self


class Platform(ApiStruct, frozen=True, kw_only=True):
    os: str = ""
    architecture: str = ""
    variant: str = ""


class IndexEntry(Descriptor, frozen=True, kw_only=True):
    platform: Platform = Platform()


class Index(ApiStruct, frozen=True, kw_only=True):
    manifests: Sequence[IndexEntry]


class Manifest(ApiStruct, frozen=True, kw_only=True):
    schema_version: int = 2
    media_type: str = OCI_MANIFEST
    config: Descriptor
    layers: Sequence[Descriptor] = ()


class ImageConfig(ApiStruct, frozen=True, kw_only=True):
    """Of a base image: what is taken over from it."""

    architecture: str = ""
    os: str = ""
    config: dict[str, Any] | None = None
    rootfs: dict[str, Any] = msgspec.field(default_factory=dict)
    history: Sequence[dict[str, Any]] = ()

    @property
    def diff_ids(self) -> list[str]:
        return list(self.rootfs.get("diff_ids", ()))


class FoundManifest(msgspec.Struct, frozen=True):
    media_type: str
    digest: str
    content: bytes


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
