"""One cache of one resource, shared by any number of handlers and listers."""

from typing import Generic, TypeVar, cast

import msgspec
import structlog

from apis.meta import Key, KubeObject, PartialObject, ResourceType, resource_type_of
from framework.client import Client, Codec, Kind
from framework.clock import Clock
from framework.errors import WindlassError
from framework.informers.handlers import Handler, HandlerRegistration
from framework.informers.metrics import NO_MEASURE, InformerMetrics
from framework.informers.reflector import Reflector, Scope
from framework.informers.resync import Resync
from framework.informers.stream import Sink
from framework.listers import Lister
from framework.randomness import Random
from framework.runtime import Runtime, Task
from framework.store import Change, Entry, IndexFunction, Store, Transform, decode_envelope, transformed
from framework.store.store import EventType

T = TypeVar("T", bound=KubeObject)

_log = structlog.get_logger("windlass.informer")


class InformerOptions(msgspec.Struct, frozen=True):
    """What part of a resource is cached; the defaults mean all of it, in all namespaces."""

    namespaces: tuple[str, ...] = ("",)
    labels: str = ""
    fields: str = ""
    metadata_only: bool = False
    transform: Transform | None = None
    use_watch_list: bool = True


class SharedInformer(Generic[T]):
    """Guarantees and limits: see the package."""

    def __init__(
        self,
        kind: Kind[T],
        *,
        client: Client,
        clock: Clock,
        runtime: Runtime,
        random: Random,
        options: InformerOptions | None = None,
        metrics: InformerMetrics | None = None,
        name: str = "",
    ) -> None:
        self._kind = kind
        self._client = client
        self._clock = clock
        self._runtime = runtime
        self._random = random
        self._options = options or InformerOptions()
        self._metrics = metrics
        self.resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        self.name = name or self.resource_type.name
        self._store: Store[T] = Store(self._codec().decode, runtime)
        # Guards the pair (store, handlers): a handler added at any time sees
        # every object exactly once as initial, and every later change.
        self._lock = runtime.lock()
        self._handlers: list[HandlerRegistration[T]] = []
        self._resyncs: list[Resync] = []
        self._synced_scopes: set[str] = set()
        self._versions: dict[str, int] = {}
        self._reflectors: list[Reflector] = []
        self._tasks: list[Task] = []

    def _codec(self) -> Codec[T]:
        if self._options.metadata_only:
            return cast("Codec[T]", Codec(PartialObject, self.resource_type))
        return self._client.codec_of(self._kind)

    @property
    def lister(self) -> Lister[T]:
        return Lister(self._store)

    @property
    def has_synced(self) -> bool:
        """The cache holds the whole initial state of every namespace it is for."""
        return len(self._synced_scopes) == len(self._options.namespaces)

    @property
    def is_running(self) -> bool:
        return bool(self._reflectors)

    @property
    def version(self) -> int:
        """Up to which version the cache has followed the server; the least of its namespaces."""
        return min(self._versions.values(), default=0)

    @property
    def size(self) -> int:
        return len(self._store)

    @property
    def queued(self) -> int:
        return sum(handler.queued for handler in self._handlers)

    @property
    def ignored_events(self) -> int:
        return self._store.ignored_events

    @property
    def problem(self) -> str | None:
        """Why the cache is not up to date, in one line; None when it is."""
        if self.failure is not None:
            return str(self.failure)
        return None if self.has_synced else "the initial list is not complete"

    @property
    def failure(self) -> WindlassError | None:
        """What a reflector is waiting after; None while all are listing or watching."""
        return next((each.last_error for each in self._reflectors if each.last_error is not None), None)

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Possible at any time, also before the informer has started; never waits for a sync."""
        self._store.add_index(name, function)

    def add_handler(
        self, handler: Handler[T], *, name: str = "", resync_seconds: float | None = None
    ) -> HandlerRegistration[T]:
        """Tell *handler* of every object there is (`is_initial`), and from then on of every change."""
        measure = self._metrics.handler_measure(self.name, self.resource_type) if self._metrics else NO_MEASURE
        registration = HandlerRegistration(
            name or self.name, handler, runtime=self._runtime, clock=self._clock, measure=measure
        )
        with self._lock:
            known = [Change(self._store.decode, None, entry, is_initial=True) for entry in self._store.entries()]
            registration.deliver(known, completes_initial=self.has_synced)
            self._handlers.append(registration)
        registration.start()
        if resync_seconds:
            self._add_resync(registration, resync_seconds)
        return registration

    def remove_handler(self, registration: HandlerRegistration[T]) -> None:
        with self._lock:
            self._handlers.remove(registration)
        registration.stop()

    def resync(self, registration: HandlerRegistration[T]) -> None:
        """Show *registration* every object again; nothing is asked of the server."""
        with self._lock:
            registration.deliver([Change(self._store.decode, entry, entry) for entry in self._store.entries()])

    def start(self) -> None:
        """Begin, or begin again after `stop`; the cache of before is brought up to date, not dropped."""
        if self._reflectors:
            return
        self._reflectors = [self._reflector(namespace) for namespace in self._options.namespaces]
        self._tasks = [self._runtime.spawn(f"reflector-{self.name}", each.run) for each in self._reflectors]
        if self._metrics:
            self._metrics.add(self)

    def stop(self, timeout: float | None = 10.0) -> None:
        """End the watches; the cache stays readable, and handlers stay registered."""
        reflectors, self._reflectors = self._reflectors, []
        for reflector in reflectors:
            reflector.stop()
        for task in self._tasks:
            task.join(timeout)
        if reflectors and self._metrics:
            self._metrics.remove(self)
        self._synced_scopes.clear()

    def close(self, timeout: float | None = 10.0) -> None:
        """Stop for good, handlers included."""
        self.stop(timeout)
        for resync in self._resyncs:
            resync.stop()
        with self._lock:
            handlers, self._handlers = self._handlers, []
        for handler in handlers:
            handler.stop()
        for handler in handlers:
            handler.join(timeout)

    def _reflector(self, namespace: str) -> Reflector:
        options = self._options
        scope = Scope(namespace, options.labels, options.fields, options.metadata_only)
        return Reflector(
            cast("Kind[KubeObject]", self._kind),
            scope,
            _ScopedSink(self, namespace),
            client=self._client,
            read=self._read,
            clock=self._clock,
            runtime=self._runtime,
            random=self._random,
            on_failure=self._count_failure,
            known_version=self._versions.get(namespace),
            use_watch_list=options.use_watch_list,
        )

    def _read(self, raw: bytes | msgspec.Raw) -> Entry:
        transform = self._options.transform
        return decode_envelope(raw if transform is None else transformed(raw, transform))

    def _count_failure(self, reason: str) -> None:
        if self._metrics:
            self._metrics.failed(self.name, self.resource_type, reason)

    def _add_resync(self, registration: HandlerRegistration[T], seconds: float) -> None:
        resync = Resync(lambda: self.resync(registration), seconds, runtime=self._runtime, name=self.name)
        self._resyncs.append(resync)
        resync.start()

    def replace_scope(self, namespace: str, entries: dict[Key, Entry], version: int) -> None:
        with self._lock:
            is_first = namespace not in self._versions
            changes = self._store.replace(entries, namespace)
            if is_first:
                for change in changes:
                    change.is_initial = True
            self._versions[namespace] = version
            self._synced_scopes.add(namespace)
            for handler in self._handlers:
                handler.deliver(changes, completes_initial=self.has_synced)

    def apply_events(self, namespace: str, events: list[tuple[EventType, Entry]], version: int) -> None:
        with self._lock:
            changes = self._store.apply(events)
            self._versions[namespace] = version
            if changes:
                for handler in self._handlers:
                    handler.deliver(changes)

    def note_progress(self, namespace: str, version: int) -> None:
        self._versions[namespace] = version


class _ScopedSink(Sink):
    """An informer as one of its reflectors sees it."""

    def __init__(self, informer: SharedInformer[T], namespace: str) -> None:
        self._informer = informer
        self._namespace = namespace

    def replace(self, entries: dict[Key, Entry], version: int) -> None:
        self._informer.replace_scope(self._namespace, entries, version)

    def apply(self, events: list[tuple[EventType, Entry]], version: int) -> None:
        self._informer.apply_events(self._namespace, events, version)

    def progress(self, version: int) -> None:
        self._informer.note_progress(self._namespace, version)
