"""Where objects are read from: a cache, or, without a manager, the server itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from apis.meta import Key, KubeObject, ResourceType, Unstructured
from framework.client import Client, Kind
from framework.errors import NotFound

T = TypeVar("T", bound=KubeObject)
T_co = TypeVar("T_co", bound=KubeObject, covariant=True)


class Listing(Protocol[T_co]):
    def get(self, key: Key) -> T_co | None: ...

    def list(self) -> Sequence[T_co]: ...

    def as_sent(self, key: Key) -> bytes | None:
        """The whole object."""


class Indexed(Listing[T_co], Protocol[T_co]):
    def by_index(self, name: str, value: str) -> Sequence[T_co]: ...


class Scanned(Generic[T]):
    """Finds by looking at all."""

    def __init__(self, listing: Listing[T], indexes: Mapping[str, Callable[[T], Iterable[str]]]) -> None:
        self._listing = listing
        self._indexes = indexes
        self.get = listing.get
        self.list = listing.list
        self.as_sent = listing.as_sent

    def by_index(self, name: str, value: str) -> Sequence[T]:
        index = self._indexes[name]
        return [each for each in self._listing.list() if value in index(each)]


class LiveListing(Generic[T]):
    """Each look is a request."""

    def __init__(self, client: Client, kind: Kind[T], whole: ResourceType, namespace: str = "") -> None:
        self._client = client
        self._kind = kind
        self._whole = whole
        self._namespace = namespace

    def get(self, key: Key) -> T | None:
        try:
            return self._client.get(self._kind, key)
        except NotFound:
            return None

    def list(self) -> Sequence[T]:
        return self._client.list(self._kind, self._namespace)

    def as_sent(self, key: Key) -> bytes | None:
        try:
            found: KubeObject = self._client.get(self._whole, key)
        except NotFound:
            return None
        return msgspec.json.encode(found.content) if isinstance(found, Unstructured) else None
