"""Where requests come from: changes of the primary, of what it owns, and of whatever maps to it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import structlog

from apis.meta import GroupVersionKind, Key, KubeObject, Request, resource_type_of
from framework.controller.predicates import Predicate
from framework.informers import HandlerRegistration, SharedInformer
from framework.own_writes import Echoes
from framework.store import Change
from framework.workqueue import LOW_PRIORITY, Reason, WorkQueue


class Pace(NamedTuple):
    """How urgent the requests of one change are, when the first is ready, and how long after it each other one."""

    priority: int = 0
    after_seconds: float = 0.0
    apart_seconds: float = 0.0


AT_ONCE = Pace()
T = TypeVar("T", bound=KubeObject)
Mapping = Callable[[T], Iterable[Request]]

_log = structlog.get_logger("windlass.controller")


class Attachment(Protocol):
    """A source's place at a queue; workers begin when all have synced."""

    @property
    def has_synced(self) -> bool: ...

    def wait_for_sync(self, timeout: float) -> bool: ...


class Source(Protocol):
    def attach(self, queue: WorkQueue[Request], name: str) -> Attachment:
        """Fill *queue* from now on."""

    def detach(self, registration: Any) -> None:
        """Fill no queue any more; harmless when the informer has ended meanwhile."""

    def resync(self, registration: Any) -> None:
        """Put everything there is into the queue again."""

    @property
    def informer(self) -> SharedInformer[Any] | None:
        """The cache it follows; None: none of ours."""


class _InformerSource(ABC, Generic[T]):
    """What every source that follows an informer has in common."""

    def __init__(
        self,
        informer: SharedInformer[T],
        *,
        predicates: Iterable[Predicate],
        resync_seconds: float | None = None,
        without_echoes: Echoes | None = None,
        pace: Pace = AT_ONCE,
    ) -> None:
        self._informer = informer
        self._predicates = tuple(predicates)
        self._resync_seconds = resync_seconds
        self._echoes = without_echoes
        self._pace = pace

    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[T]:
        if self._echoes is not None:
            self._echoes.listen_for(name)
        resource = self._informer.resource_type.name
        handler = _Enqueue(
            name,
            queue,
            self._requests,
            self._predicates,
            resource=resource,
            echoes=self._echoes,
            pace=self._pace,
        )
        return self._informer.add_handler(handler, name=name, resync_seconds=self._resync_seconds)

    def detach(self, registration: HandlerRegistration[T]) -> None:
        self._informer.remove_handler(registration)

    def resync(self, registration: HandlerRegistration[T]) -> None:
        self._informer.resync(registration)

    @property
    def informer(self) -> SharedInformer[T]:
        return self._informer

    @abstractmethod
    def _requests(self, change: Change[T]) -> Iterable[Request]: ...


class Primary(_InformerSource[T]):
    """Every change of the object itself, which is in the remote *cluster* if one is named."""

    def __init__(
        self,
        informer: SharedInformer[T],
        *,
        predicates: Iterable[Predicate] = (),
        resync_seconds: float | None = None,
        without_echoes: Echoes | None = None,
        cluster: str = "",
    ) -> None:
        super().__init__(informer, predicates=predicates, resync_seconds=resync_seconds, without_echoes=without_echoes)
        self._cluster = cluster

    def _requests(self, change: Change[T]) -> Iterable[Request]:
        return (Request(change.key, self._cluster),)


class Mapped(_InformerSource[T]):
    """Every change of an object for which *mapping* names requests.

    Where one object concerns many, a low *priority* lets what concerns one alone go first, and each request may be
    ready *apart_seconds* after the one before it. Where many change at once, *after_seconds* gathers them: the first
    one counts them, and those in between are one request.
    """

    def __init__(
        self,
        informer: SharedInformer[T],
        mapping: Mapping[T],
        *,
        predicates: Iterable[Predicate] = (),
        without_echoes: Echoes | None = None,
        priority: int = 0,
        after_seconds: float = 0.0,
        apart_seconds: float = 0.0,
    ) -> None:
        pace = Pace(priority, after_seconds, apart_seconds)
        super().__init__(informer, predicates=predicates, without_echoes=without_echoes, pace=pace)
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
        without_echoes: Echoes | None = None,
    ) -> None:
        super().__init__(informer, self._owners_of, predicates=predicates, without_echoes=without_echoes)
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
        *,
        resource: str,
        echoes: Echoes | None,
        pace: Pace,
    ) -> None:
        self._controller = controller
        self._queue = queue
        self._requests = requests
        self._predicates = predicates
        self._echoes = echoes
        self._resource = resource
        self._pace = pace

    def on_change(self, change: Change[T]) -> None:
        if not all(self._passes(predicate, change) for predicate in self._predicates):
            return
        # What was there before we looked can wait; what happens now cannot.
        pace = self._pace
        priority = LOW_PRIORITY if change.is_initial or change.is_resync else pace.priority
        after = pace.after_seconds
        for request in self._requests(change):
            # Asked for each request: what one reconcile did is news to all others that the object concerns.
            if self._echoes is None or not self._echoes.is_echo(change, self._controller, request):
                reason = reason_of(change, self._resource) if self._queue.keeps_reasons else None
                self._queue.add(request, priority=priority, after=after, reason=reason)
                after += pace.apart_seconds

    def _passes(self, predicate: Predicate, change: Change[T]) -> bool:
        try:
            return predicate(change)
        except Exception:  # noqa: BLE001 - a predicate is foreign code
            # One reconcile too many does no harm, a change nobody looks at does.
            _log.exception("predicate_failed", controller=self._controller, object=str(change.key))
            return True


def reason_of(change: Change[T], resource: str) -> Reason:
    """What happened to an object of *resource*, in a few words."""
    old, new = change.old_entry, change.new_entry
    if new is None:
        return Reason("deleted", resource, change.key, old.version if old else 0)
    if old is None:
        return Reason("listed" if change.is_initial else "created", resource, new.key, 0, new.version)
    return Reason("resync" if old is new else "changed", resource, new.key, old.version, new.version)
