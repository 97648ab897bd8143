"""One cache of one resource, shared by any number of handlers and listers."""

from functools import partial
from typing import Generic, TypeVar, cast

from apis.meta import Key, KubeObject, PartialObject, ResourceType, resource_type_of
from framework.client import Client, Codec, Kind
from framework.clock import Clock
from framework.errors import NotFound, WindlassError
from framework.informers.absence import is_gone
from framework.informers.handlers import Handler, HandlerRegistration
from framework.informers.metrics import NO_MEASURE, InformerMetrics
from framework.informers.options import InformerOptions, default_name
from framework.informers.reading import Reading
from framework.informers.reflector import Reflector, ReflectorOptions
from framework.informers.resync import Resync
from framework.informers.scope import Scope
from framework.informers.stream import Sink
from framework.listers import Lister, NotedLister
from framework.own_writes import CacheScope, Overlay, OwnWrites
from framework.randomness import Random
from framework.runtime import Runtime, Task
from framework.store import Change, Entry, EventType, IndexFunction, Store

T = TypeVar("T", bound=KubeObject)


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
        own_writes: OwnWrites | None = None,
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
        # Tells the logs more than the kind does; the default tells the metrics alone.
        self._given_name = name
        self.name = name or default_name(self.resource_type, self._options)
        self._namespaces = tuple(dict.fromkeys(self._options.namespaces))
        self._reading = Reading(self.resource_type, self._options, self._codec().decode)
        self._store: Store[T] = Store(self._reading.decode, runtime)
        self._own_writes = own_writes
        self._overlay = self._new_overlay()
        # Guards the pair (store, handlers): a handler added at any time sees
        # every object exactly once as initial, and every later change.
        self._lock = runtime.lock()
        self._handlers: list[HandlerRegistration[T]] = []
        self._resyncs: dict[HandlerRegistration[T], Resync] = {}
        self._synced_scopes: set[str] = set()
        self._versions: dict[str, int] = {}
        # Scopes whose initial state was delivered at some time, from whichever server.
        self._known_scopes: set[str] = set()
        self._is_started_over = False
        # As _versions, but not moved by bookmarks.
        self._changed_versions: dict[str, int] = {}
        self._reflectors: list[Reflector] = []
        self._sinks: list[_ScopedSink[T]] = []
        self._tasks: list[Task] = []

    def _codec(self) -> Codec[T]:
        if self._options.metadata_only:
            return cast("Codec[T]", Codec(PartialObject, self.resource_type))
        return self._client.codec_of(self._kind)

    @property
    def kind(self) -> Kind[T]:
        return self._kind

    @property
    def options(self) -> InformerOptions:
        return self._options

    @property
    def lister(self) -> Lister[T]:
        return NotedLister(self.resource_type.name, self._store, self._overlay, is_whole=self._reading.is_whole)

    @property
    def has_synced(self) -> bool:
        """The cache holds the whole initial state of every namespace it is for."""
        return len(self._synced_scopes) == len(self._namespaces)

    @property
    def is_running(self) -> bool:
        return bool(self._reflectors)

    @property
    def version(self) -> int:
        """Up to which version the cache has followed the server; the least of its namespaces."""
        return min(self._versions.get(namespace, 0) for namespace in self._namespaces)

    @property
    def changed_version(self) -> int:
        """The version of the newest change or list in the cache; the greatest of its namespaces.

        Who has the same version has seen the same. Bookmarks do not move it:
        they come to each watch at another time and mean that nothing changed.
        """
        return max(self._changed_versions.values(), default=0)

    @property
    def size(self) -> int:
        return len(self._store)

    @property
    def pending_own_writes(self) -> int:
        """Objects that this process has written and the cache has not seen yet."""
        return len(self._overlay.pending)

    @property
    def queued(self) -> int:
        return sum(handler.queued for handler in self._handlers)

    @property
    def ignored_events(self) -> int:
        return self._store.ignored_events

    @property
    def problem(self) -> str | None:
        """Why the cache is not up to date, in one line; None when it is."""
        failure = self.failure
        if isinstance(failure, NotFound):
            version = self.resource_type.gvk.version
            return f"{self.resource_type} is not served in version {version}; is its definition installed? ({failure})"
        if failure is not None:
            return str(failure)
        if not self._reflectors:
            return "the informer is not running"
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
        """*registration* hears no more; what it has not handled yet is dropped."""
        with self._lock:
            if registration in self._handlers:
                self._handlers.remove(registration)
            resync = self._resyncs.pop(registration, None)
        if resync is not None:
            resync.stop()
        registration.stop()

    def resync(self, registration: HandlerRegistration[T]) -> None:
        """Show *registration* every object again; nothing is asked of the server."""
        with self._lock:
            registration.deliver([Change(self._store.decode, entry, entry) for entry in self._store.entries()])

    def start(self) -> None:
        """Begin, or begin again after `stop`; the cache of before is brought up to date, not dropped."""
        if self._reflectors:
            return
        self._sinks = [_ScopedSink(self, namespace) for namespace in self._namespaces]
        self._reflectors = [self._reflector(sink) for sink in self._sinks]
        self._tasks = [self._runtime.spawn(f"reflector-{self.name}", each.run) for each in self._reflectors]
        if self._metrics:
            self._metrics.add(self)

    def refresh(self) -> None:
        """List again, consistently; `is_refreshed` is true when that has been done."""
        for reflector in self._reflectors:
            reflector.refresh()

    @property
    def is_refreshed(self) -> bool:
        """The cache has been listed since the last `refresh`."""
        return self.is_running and all(reflector.is_refreshed for reflector in self._reflectors)

    def stop(self, timeout: float | None = 10.0) -> None:
        """End the watches; the cache stays readable, and handlers stay registered."""
        reflectors, self._reflectors = self._reflectors, []
        for reflector in reflectors:
            reflector.stop()
        # One that is stuck in a request may end long after its successor has begun.
        with self._lock:
            for sink in self._sinks:
                sink.is_attached = False
            self._synced_scopes.clear()
        for task in self._tasks:
            task.join(timeout)
        if reflectors and self._metrics:
            self._metrics.remove(self)

    def start_over(self) -> None:
        """The client leads to another server now, perhaps: read everything anew, and compare no versions.

        Handlers hear of the differences. Until then the cache holds what it
        held, and has not synced.
        """
        is_running = self.is_running
        # Not waited for: who hangs in a request to the old server is detached.
        self.stop(timeout=0.0)
        with self._lock:
            self._versions.clear()
            self._changed_versions.clear()
            self._overlay.start_over()
            self._is_started_over = True
        if is_running:
            self.start()

    def retry_now(self) -> None:
        """Whatever waits after a failure is tried again at once."""
        for reflector in self._reflectors:
            reflector.retry_now()

    def close(self, timeout: float | None = 10.0) -> None:
        """Stop for good, handlers included."""
        self.stop(timeout)
        handlers = list(self._handlers)
        for handler in handlers:
            self.remove_handler(handler)
        for handler in handlers:
            handler.join(timeout)
        if self._own_writes is not None:
            self._own_writes.remove(self.resource_type, self._overlay)

    def _new_overlay(self) -> Overlay[T]:
        options = self._options
        scope = CacheScope(self._namespaces, options.labels, options.fields)
        overlay = Overlay(
            self._store, scope, self._reading.kept_of, clock=self._clock, runtime=self._runtime, name=self.name
        )
        if self._own_writes is not None:
            self._own_writes.add(self.resource_type, overlay)
        return overlay

    def _reflector(self, sink: "_ScopedSink[T]") -> Reflector:
        options, namespace = self._options, sink.namespace
        return Reflector(
            cast("Kind[KubeObject]", self._kind),
            Scope(namespace, options.labels, options.fields, options.metadata_only),
            sink,
            client=self._client,
            read=self._reading.read,
            clock=self._clock,
            runtime=self._runtime,
            random=self._random,
            on_failure=self._count_failure,
            on_not_found=partial(self._empty_if_gone, sink),
            known_version=self._versions.get(namespace),
            options=ReflectorOptions(
                options.use_watch_list,
                options.silence_seconds,
                options.page_size,
                is_consistent=self._is_started_over and namespace not in self._versions,
            ),
            name=self._given_name,
        )

    def _count_failure(self, reason: str) -> None:
        if self._metrics:
            self._metrics.failed(self.name, self.resource_type, reason)

    def _add_resync(self, registration: HandlerRegistration[T], seconds: float) -> None:
        resync = Resync(lambda: self.resync(registration), seconds, runtime=self._runtime, name=self.name)
        with self._lock:
            self._resyncs[registration] = resync
        resync.start()

    def replace_scope(self, sink: "_ScopedSink[T]", entries: dict[Key, Entry], version: int) -> None:
        namespace = sink.namespace
        with self._lock:
            if not sink.is_attached:
                return
            is_first = namespace not in self._known_scopes
            self._known_scopes.add(namespace)
            changes = self._overlay.replace(entries, namespace, version)
            for change in changes:
                change.is_initial, change.is_listed = is_first, True
            self._versions[namespace] = self._changed_versions[namespace] = version
            self._synced_scopes.add(namespace)
            for handler in self._handlers:
                handler.deliver(changes, completes_initial=self.has_synced)

    def _empty_if_gone(self, sink: "_ScopedSink[T]") -> None:
        """Deletions that nobody told of: the definition of the kind was deleted while no watch was open."""
        if not self.size or not is_gone(self._kind, self.resource_type, self._client):
            return
        with self._lock:
            if not sink.is_attached:
                return
            changes = self._overlay.empty(sink.namespace)
            for handler in self._handlers:
                handler.deliver(changes)

    def apply_events(self, sink: "_ScopedSink[T]", events: list[tuple[EventType, Entry]], version: int) -> None:
        with self._lock:
            if not sink.is_attached:
                return
            changes = self._overlay.apply(events, sink.namespace, version)
            self._versions[sink.namespace] = self._changed_versions[sink.namespace] = version
            if changes:
                for handler in self._handlers:
                    handler.deliver(changes)

    def note_progress(self, sink: "_ScopedSink[T]", version: int) -> None:
        with self._lock:
            if sink.is_attached:
                self._overlay.progress(sink.namespace, version)
                self._versions[sink.namespace] = version


class _ScopedSink(Sink, Generic[T]):
    """An informer as one of its reflectors sees it, until it is detached."""

    def __init__(self, informer: SharedInformer[T], namespace: str) -> None:
        self._informer = informer
        self.namespace = namespace
        self.is_attached = True

    def replace(self, entries: dict[Key, Entry], version: int) -> None:
        self._informer.replace_scope(self, entries, version)

    def apply(self, events: list[tuple[EventType, Entry]], version: int) -> None:
        self._informer.apply_events(self, events, version)

    def progress(self, version: int) -> None:
        self._informer.note_progress(self, version)
