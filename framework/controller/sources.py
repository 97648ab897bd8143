"""Where requests come from: changes of the primary, of what it owns, and of whatever maps to it."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from apis.meta import GroupVersionKind, Key, KubeObject, Request, resource_type_of
from framework.controller.predicates import Predicate
from framework.informers import HandlerRegistration, SharedInformer
from framework.store import Change
from framework.workqueue import LOW_PRIORITY, WorkQueue

T = TypeVar("T", bound=KubeObject)
Mapping = Callable[[T], Iterable[Request]]


class Source(Protocol):
    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[Any]:
        """Fill *queue* from now on."""


class Primary(Generic[T]):
    """Every change of the object itself."""

    def __init__(
        self,
        informer: SharedInformer[T],
        *,
        predicates: Iterable[Predicate] = (),
        resync_seconds: float | None = None,
    ) -> None:
        self._informer = informer
        self._predicates = tuple(predicates)
        self._resync_seconds = resync_seconds

    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[T]:
        handler = _Enqueue[T](queue, lambda change: (Request(change.key),), self._predicates)
        return self._informer.add_handler(handler, name=name, resync_seconds=self._resync_seconds)


class Mapped(Generic[T]):
    """Every change of an object for which *mapping* names requests."""

    def __init__(
        self, informer: SharedInformer[T], mapping: Mapping[T], *, predicates: Iterable[Predicate] = ()
    ) -> None:
        self._informer = informer
        self._mapping = mapping
        self._predicates = tuple(predicates)

    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[T]:
        return self._informer.add_handler(_Enqueue(queue, self._requests, self._predicates), name=name)

    def _requests(self, change: Change[T]) -> Iterable[Request]:
        # An object that moves from one primary to another concerns both.
        for obj in (change.old, change.new):
            if obj is not None:
                yield from self._mapping(obj)


class Owned(Mapped[T]):
    """Every change of an object that an *owner* controls, or with *any_owner* merely owns."""

    def __init__(
        self,
        informer: SharedInformer[T],
        owner: type[KubeObject],
        *,
        any_owner: bool = False,
        predicates: Iterable[Predicate] = (),
    ) -> None:
        super().__init__(informer, self._owners_of, predicates=predicates)
        self._owner = resource_type_of(owner)
        self._any_owner = any_owner

    def _owners_of(self, obj: T) -> Iterable[Request]:
        for reference in obj.metadata.owner_references:
            gvk = GroupVersionKind.parse(reference.api_version, reference.kind)
            # Not the version: a reference written by an older one is still ours.
            is_ours = (gvk.group, gvk.kind) == (self._owner.gvk.group, self._owner.gvk.kind)
            if is_ours and (reference.controller or self._any_owner):
                namespace = obj.metadata.namespace if self._owner.is_namespaced else ""
                yield Request(Key(namespace, reference.name))


class _Enqueue(Generic[T]):
    def __init__(
        self,
        queue: WorkQueue[Request],
        requests: Callable[[Change[T]], Iterable[Request]],
        predicates: tuple[Predicate, ...],
    ) -> None:
        self._queue = queue
        self._requests = requests
        self._predicates = predicates

    def on_change(self, change: Change[T]) -> None:
        if not all(predicate(change) for predicate in self._predicates):
            return
        # What was there before we looked can wait; what happens now cannot.
        priority = LOW_PRIORITY if change.is_initial or change.is_resync else 0
        for request in self._requests(change):
            self._queue.add(request, priority=priority)
