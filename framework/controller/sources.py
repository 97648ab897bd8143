"""Where requests come from: changes of the primary, of what it owns, and of whatever maps to it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

import structlog

from apis.meta import GroupVersionKind, Key, KubeObject, Request, resource_type_of
from framework.controller.predicates import Predicate
from framework.informers import HandlerRegistration, SharedInformer
from framework.store import Change
from framework.workqueue import LOW_PRIORITY, WorkQueue

T = TypeVar("T", bound=KubeObject)
Mapping = Callable[[T], Iterable[Request]]

_log = structlog.get_logger("windlass.controller")


class Source(Protocol):
    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[Any]:
        """Fill *queue* from now on."""

    def detach(self, registration: HandlerRegistration[Any]) -> None:
        """Fill no queue any more; harmless when the informer has ended meanwhile."""


class _InformerSource(ABC, Generic[T]):
    """What every source that follows an informer has in common."""

    def __init__(
        self, informer: SharedInformer[T], *, predicates: Iterable[Predicate], resync_seconds: float | None = None
    ) -> None:
        self._informer = informer
        self._predicates = tuple(predicates)
        self._resync_seconds = resync_seconds

    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[T]:
        handler = _Enqueue(name, queue, self._requests, self._predicates)
        return self._informer.add_handler(handler, name=name, resync_seconds=self._resync_seconds)

    def detach(self, registration: HandlerRegistration[T]) -> None:
        self._informer.remove_handler(registration)

    @abstractmethod
    def _requests(self, change: Change[T]) -> Iterable[Request]: ...


class Primary(_InformerSource[T]):
    """Every change of the object itself."""

    def __init__(
        self,
        informer: SharedInformer[T],
        *,
        predicates: Iterable[Predicate] = (),
        resync_seconds: float | None = None,
    ) -> None:
        super().__init__(informer, predicates=predicates, resync_seconds=resync_seconds)

    def _requests(self, change: Change[T]) -> Iterable[Request]:
        return (Request(change.key),)


class Mapped(_InformerSource[T]):
    """Every change of an object for which *mapping* names requests."""

    def __init__(
        self, informer: SharedInformer[T], mapping: Mapping[T], *, predicates: Iterable[Predicate] = ()
    ) -> None:
        super().__init__(informer, predicates=predicates)
        self._mapping = mapping

    def _requests(self, change: Change[T]) -> Iterator[Request]:
        # An object that moves from one primary to another concerns both.
        yield from self._mapped(change.key, lambda: change.old)
        if not change.is_resync:
            yield from self._mapped(change.key, lambda: change.new)

    def _mapped(self, key: Key, side: Callable[[], T | None]) -> tuple[Request, ...]:
        """The requests for one side of a change; a side that cannot be mapped must not cost us the other."""
        try:
            obj = side()
            return () if obj is None else tuple(self._mapping(obj))
        except Exception:  # noqa: BLE001 - a mapping is foreign code
            _log.exception("mapping_failed", resource=self._informer.name, object=str(key))
            return ()


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

    def _owners_of(self, obj: T) -> Iterator[Request]:
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
        controller: str,
        queue: WorkQueue[Request],
        requests: Callable[[Change[T]], Iterable[Request]],
        predicates: tuple[Predicate, ...],
    ) -> None:
        self._controller = controller
        self._queue = queue
        self._requests = requests
        self._predicates = predicates

    def on_change(self, change: Change[T]) -> None:
        if not all(self._passes(predicate, change) for predicate in self._predicates):
            return
        # What was there before we looked can wait; what happens now cannot.
        priority = LOW_PRIORITY if change.is_initial or change.is_resync else 0
        for request in self._requests(change):
            self._queue.add(request, priority=priority)

    def _passes(self, predicate: Predicate, change: Change[T]) -> bool:
        try:
            return predicate(change)
        except Exception:  # noqa: BLE001 - a predicate is foreign code
            # One reconcile too many does no harm, a change nobody looks at does.
            _log.exception("predicate_failed", controller=self._controller, object=str(change.key))
            return True
