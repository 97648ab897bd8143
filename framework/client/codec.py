"""JSON to Structs and back; the only place that knows what bytes look like."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

import msgspec

from apis.meta import KubeObject, ListMeta, PartialObject, ResourceType, Unstructured, resource_type_of
from framework.errors import Status, TerminalError, TransportError

T = TypeVar("T", bound=KubeObject)


class ObjectList(msgspec.Struct, frozen=True):
    """A list answer whose items are still bytes of the page; copy them out before the page is dropped."""

    metadata: ListMeta = ListMeta()
    items: list[msgspec.Raw] | None = None


class Codec(Generic[T]):
    """Decodes and encodes objects of one kind."""

    def __init__(self, cls: type[T], resource_type: ResourceType) -> None:
        self.resource_type = resource_type
        self._is_unstructured = cls is Unstructured
        self._metadata_decoder = msgspec.json.Decoder(PartialObject)
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(cls)

    def decode_answer(self, raw: bytes | msgspec.Raw) -> T:
        """As `decode`, in the framework's errors: what is not JSON was not said by an API server."""
        try:
            return self.decode(raw)
        except msgspec.ValidationError as error:
            raise TerminalError(f"an object of {self.resource_type} does not fit its type: {error}") from error
        except msgspec.DecodeError as error:
            raise TransportError(f"unreadable answer for {self.resource_type}: {error}") from error

    def decode(self, raw: bytes | msgspec.Raw) -> T:
        if not self._is_unstructured:
            return self._decoder.decode(raw)
        content = msgspec.json.decode(raw)
        # The items of a list carry neither apiVersion nor kind.
        content.setdefault("apiVersion", self.resource_type.gvk.api_version)
        content.setdefault("kind", self.resource_type.gvk.kind)
        metadata = self._metadata_decoder.decode(raw).metadata
        return cast("T", Unstructured(metadata=metadata, content=content))

    def encode(self, obj: T | Mapping[str, Any]) -> bytes:
        return msgspec.json.encode(self.manifest(obj))

    def manifest(self, obj: T | Mapping[str, Any]) -> dict[str, Any]:
        """The object as a dict, with apiVersion and kind."""
        if isinstance(obj, Unstructured):
            content: Mapping[str, Any] = obj.content
        elif isinstance(obj, KubeObject):
            content = msgspec.to_builtins(obj)
        else:
            content = obj
        gvk = self.resource_type.gvk
        return {"apiVersion": gvk.api_version, "kind": gvk.kind, **content}


class Codecs:
    """One Codec per kind, made on first use."""

    def __init__(self) -> None:
        self._by_kind: dict[type[KubeObject] | ResourceType, Codec[Any]] = {}

    def of(self, kind: type[T] | ResourceType) -> Codec[T]:
        codec = self._by_kind.get(kind)
        if codec is None:
            # Two tasks may both make one; the second is as good as the first.
            codec = self._by_kind[kind] = _codec(kind)
        return codec


def _codec(kind: type[T] | ResourceType) -> Codec[Any]:
    if isinstance(kind, ResourceType):
        return Codec(Unstructured, kind)
    return Codec(kind, resource_type_of(kind))


_status_decoder = msgspec.json.Decoder(Status)
_list_decoder = msgspec.json.Decoder(ObjectList)


def decode_list(body: bytes) -> ObjectList:
    try:
        return _list_decoder.decode(body)
    except msgspec.DecodeError as error:
        raise TransportError(f"unreadable list: {error}") from error


def decode_status(code: int, body: bytes) -> Status:
    """The Status of an error answer, also when a proxy in between wrote HTML or nothing."""
    try:
        status = _status_decoder.decode(body)
    except msgspec.DecodeError:
        text = " ".join(body[:200].decode("utf-8", "replace").split())
        return Status(code=code, message=f"HTTP {code}: {text}" if text else f"HTTP {code} with an empty body")
    return status if status.code else Status(code, status.reason, status.message or f"HTTP {code}", status.details)
