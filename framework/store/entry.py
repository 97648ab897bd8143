"""One stored object: its bytes, and of its metadata only what storing needs."""

from sys import intern
from typing import Any

import msgspec

from apis.meta import Key


class EnvelopeMeta(msgspec.Struct, rename="camel", gc=False):
    # Both required: what has neither is no stored object, but a broken line.
    name: str
    resource_version: str
    namespace: str = ""
    uid: str = ""


class Envelope(msgspec.Struct, gc=False):
    metadata: EnvelopeMeta


# Without gc the collector never walks the cache: entries hold no reference back to themselves.
class Entry(msgspec.Struct, gc=False):
    key: Key
    uid: str
    version: int
    raw: bytes
    # Filled by the first reader; two readers at once both fill in an equal object.
    decoded: Any = None


class _Partial(msgspec.Struct):
    metadata: msgspec.Raw


_decoder = msgspec.json.Decoder(Envelope)
_partial_decoder = msgspec.json.Decoder(_Partial)


def metadata_of(raw: bytes) -> bytes:
    """The object *raw* without all but its metadata, as the server sends it to who asks for no more."""
    return b'{"metadata":%b}' % bytes(_partial_decoder.decode(raw).metadata)


def decode_envelope(raw: bytes | msgspec.Raw) -> Entry:
    """An Entry with a copy of *raw*, which may be part of a larger buffer.

    Raises ValueError, of which msgspec.DecodeError is one, if it is no object.
    """
    metadata = _decoder.decode(raw).metadata
    key = Key(intern(metadata.namespace), metadata.name)
    # KEP-5504: versions of one resource compare as integers of any size.
    return Entry(key, metadata.uid, int(metadata.resource_version), bytes(raw))
