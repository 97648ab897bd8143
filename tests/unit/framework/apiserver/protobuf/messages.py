"""Protobuf by hand."""

import struct
from typing import NamedTuple

POD = "io.k8s.api.core.v1.Pod"
CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap"
SECRET = "io.k8s.api.core.v1.Secret"
SERVICE = "io.k8s.api.core.v1.Service"
LEASE = "io.k8s.api.coordination.v1.Lease"
DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
DEFINITION = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"


class Double(NamedTuple):
    """A floating-point number, which has a wire type of its own."""

    value: float


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def sent(number: int, *values: bytes | str | int | Double) -> bytes:
    """A field of a message, once for each of *values*."""
    data = b""
    for value in values:
        if isinstance(value, Double):
            data += varint(number << 3 | 1) + struct.pack("<d", value.value)
        elif isinstance(value, bytes | str):
            content = value.encode() if isinstance(value, str) else value
            data += varint(number << 3 | 2) + varint(len(content)) + content
        else:
            data += varint(number << 3) + varint(value)
    return data


def body(content: bytes, *, api_version: str = "v1", kind: str = "") -> bytes:
    return b"k8s\0" + sent(1, sent(1, api_version) + sent(2, kind)) + sent(2, content)
