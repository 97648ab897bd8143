"""The documents of the image that is pushed."""

from collections.abc import Sequence
from typing import Any

import msgspec

from controllers.ociregistry.blob import BytesBlob
from controllers.ociregistry.documents import OCI_CONFIG, OCI_MANIFEST, Descriptor
from controllers.workerbuild.base_image import BaseImage
from controllers.workerbuild.context import WORKER_FOLDER
from controllers.workerbuild.dockerfile import COMMAND, ENTRYPOINT, USER
from controllers.workerbuild.layer import Layer

# The beginning of time: when it was built is no part of what it is.
_CREATED = "1970-01-01T00:00:00Z"
_AUTHOR = "windlass -mode=worker-build"


def image_config(base: BaseImage, layers: Sequence[Layer], ports: Sequence[int]) -> BytesBlob:
    document = {
        "created": _CREATED,
        "architecture": base.config.architecture,
        "os": base.config.os,
        "config": {
            **(base.config.config or {}),
            "User": USER,
            "ExposedPorts": {f"{port}/tcp": {} for port in sorted(ports)},
            "Entrypoint": list(ENTRYPOINT),
            "Cmd": list(COMMAND),
            "WorkingDir": f"/{WORKER_FOLDER}",
        },
        "rootfs": {"type": "layers", "diff_ids": [*base.config.diff_ids, *(layer.diff_id for layer in layers)]},
        "history": [*base.config.history, *({"created": _CREATED, "created_by": _AUTHOR} for _ in layers)],
    }
    return BytesBlob(_encoded(document), OCI_CONFIG)


def image_manifest(config: Descriptor, base: BaseImage, layers: Sequence[Layer]) -> bytes:
    descriptors = [*(layer.as_oci() for layer in base.layers), *(layer.blob.descriptor for layer in layers)]
    return _encoded(
        {
            "schemaVersion": 2,
            "mediaType": OCI_MANIFEST,
            "config": _document(config),
            "layers": [_document(descriptor) for descriptor in descriptors],
        }
    )


def _document(descriptor: Descriptor) -> dict[str, Any]:
    return {"mediaType": descriptor.media_type, "digest": descriptor.digest, "size": descriptor.size}


def _encoded(document: dict[str, Any]) -> bytes:
    return msgspec.json.encode(document, order="deterministic")
