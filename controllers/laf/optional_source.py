"""Requests from the objects of a kind that may not be installed."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from apis.meta import PartialObject, Request, ResourceType, Unstructured
from framework.controller import Mapped
from framework.informers import HandlerRegistration, SharedInformer
from framework.workqueue import LOW_PRIORITY, WorkQueue

Mapping = Callable[[Unstructured], Iterable[Request]]
Everyone = Callable[[], Iterable[Request]]


class Kinds(Protocol):
    """Who knows which kinds are installed."""

    @property
    def definitions(self) -> SharedInformer[PartialObject]: ...

    def join(self, followed: "Followed") -> HandlerRegistration[PartialObject]: ...

    def leave(self, followed: "Followed") -> None: ...


class OptionalSource:
    def __init__(self, kinds: Kinds, resource_type: ResourceType, mapping: Mapping, everyone: Everyone) -> None:
        self._kinds = kinds
        self._resource_type = resource_type
        self._mapping = mapping
        self._everyone = everyone
        # Now, while controllers are registered: its informer is started with the others.
        self._definitions = kinds.definitions

    def attach(self, queue: WorkQueue[Request], name: str) -> "_Attachment":
        followed = Followed(self._resource_type, self._mapping, self._everyone, queue, name)
        return _Attachment(self._kinds.join(followed), followed)

    def detach(self, registration: Any) -> None:
        self._kinds.leave(registration.followed)

    def resync(self, registration: Any) -> None:
        registration.followed.resync()

    @property
    def informer(self) -> SharedInformer[PartialObject]:
        """That of definitions: the other one comes and goes."""
        return self._definitions


class Followed:
    """A kind as one source follows it. Invariant: `place` is there exactly while the kind is installed."""

    def __init__(
        self, resource_type: ResourceType, mapping: Mapping, everyone: Everyone, queue: WorkQueue[Request], name: str
    ) -> None:
        self.resource_type = resource_type
        self._mapping = mapping
        self._everyone = everyone
        self._queue = queue
        self._name = name
        self.place: _Place | None = None

    def begin(self, informer: SharedInformer[Unstructured]) -> None:
        source = Mapped(informer, self._mapping)
        self.place = _Place(source, source.attach(self._queue, self._name))

    def end(self) -> None:
        place, self.place = self.place, None
        if place is not None:
            place.source.detach(place.registration)

    def resync(self) -> None:
        place = self.place
        if place is not None:
            place.source.resync(place.registration)

    def tell_everyone(self) -> None:
        self._queue.add_many(tuple(self._everyone()), priority=LOW_PRIORITY)


class _Place(NamedTuple):
    source: Mapped[Unstructured]
    registration: HandlerRegistration[Unstructured]


class _Attachment:
    """Synced when it is known what is installed, and what is installed has been read."""

    def __init__(self, definitions: HandlerRegistration[PartialObject], followed: Followed) -> None:
        self._definitions = definitions
        self.followed = followed

    @property
    def has_synced(self) -> bool:
        place = self.followed.place
        return self._definitions.has_synced and (place is None or place.registration.has_synced)

    def wait_for_sync(self, timeout: float) -> bool:
        if not self._definitions.wait_for_sync(timeout):
            return False
        place = self.followed.place
        return place is None or place.registration.wait_for_sync(timeout)
