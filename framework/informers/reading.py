"""From the bytes of an object to what a cache keeps of it, and from that to what a reader gets."""

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from apis.meta import KubeObject, ResourceType
from framework.informers.options import InformerOptions
from framework.informers.secret_values import is_secret, withholding, without_values
from framework.store import Entry, Transform, decode_envelope, metadata_of, transformed

T = TypeVar("T", bound=KubeObject)


class Reading(Generic[T]):
    """What the options of an informer mean for each object."""

    def __init__(self, resource_type: ResourceType, options: InformerOptions, decode: Callable[[bytes], T]) -> None:
        withholds = is_secret(resource_type) and not options.keeps_secret_values
        self.decode = withholding(decode) if withholds else decode
        # The values go first: whatever a transform of the user does, it never has them.
        given: tuple[Transform | None, ...] = (without_values if withholds else None, options.transform)
        self._transforms = tuple(each for each in given if each is not None)
        self._metadata_only = options.metadata_only

    @property
    def is_whole(self) -> bool:
        """Objects are kept as the server sent them."""
        return not self._metadata_only and not self._transforms

    def read(self, raw: bytes | msgspec.Raw) -> Entry:
        """An object of a list or a watch."""
        return decode_envelope(transformed(raw, *self._transforms) if self._transforms else raw)

    def kept_of(self, raw: bytes) -> bytes:
        """What will be kept of *raw*, with which a write was answered, when it comes by the watch."""
        if self._metadata_only:
            raw = metadata_of(raw)
        return transformed(raw, *self._transforms) if self._transforms else raw
