"""One cache of one resource, shared by any number of handlers and listers."""

from typing import Generic, TypeVar, cast

import msgspec

from apis.meta import Key, KubeObject, PartialObject, ResourceType, resource_type_of
from framework.client import Client, Codec, Kind
from framework.clock import Clock
from framework.errors import WindlassError
from framework.informers.handlers import Handler, HandlerRegistration
from framework.informers.metrics import NO_MEASURE, InformerMetrics
from framework.informers.options import InformerOptions, default_name
from framework.informers.reflector import Reflector, ReflectorOptions
from framework.informers.resync import Resync
from framework.informers.scope import Scope
from framework.informers.stream import Sink
from framework.listers import Lister
from framework.randomness import Random
from framework.runtime import Runtime, Task
from framework.store import Change, Entry, EventType, IndexFunction, Store, decode_envelope, transformed

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
        self.name = name or default_name(self.resource_type, self._options)
        self._namespaces = tuple(dict.fromkeys(self._options.namespaces))
        self._store: Store[T] = Store(self._codec().decode, runtime)
        # Guards the pair (store, handlers): a handler added at any time sees
        # every object exactly once as initial, and every later change.
        self._lock = runtime.lock()
        self._handlers: list[HandlerRegistration[T]] = []
        self._resyncs: dict[HandlerRegistration[T], Resync] = {}
        self._synced_scopes: set[str] = set()
        self._versions: dict[str, int] = {}
        self._reflectors: list[Reflector] = []
        self._sinks: list[_ScopedSink[T]] = []
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
        return len(self._synced_scopes) == len(self._namespaces)

    @property
    def is_running(self) -> bool:
        return bool(self._reflectors)

    @property
    def version(self) -> int:
        """Up to which version the cache has followed the server; the least of its namespaces."""
        return min(self._versions.get(namespace, 0) for namespace in self._namespaces)

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

    def close(self, timeout: float | None = 10.0) -> None:
        """Stop for good, handlers included."""
        self.stop(timeout)
        handlers = list(self._handlers)
        for handler in handlers:
            self.remove_handler(handler)
        for handler in handlers:
            handler.join(timeout)

    def _reflector(self, sink: "_ScopedSink[T]") -> Reflector:
        options, namespace = self._options, sink.namespace
        return Reflector(
            cast("Kind[KubeObject]", self._kind),
            Scope(namespace, options.labels, options.fields, options.metadata_only),
            sink,
            client=self._client,
            read=self._read,
            clock=self._clock,
            runtime=self._runtime,
            random=self._random,
            on_failure=self._count_failure,
            known_version=self._versions.get(namespace),
            options=ReflectorOptions(options.use_watch_list, options.silence_seconds, options.page_size),
        )

    def _read(self, raw: bytes | msgspec.Raw) -> Entry:
        transform = self._options.transform
        return decode_envelope(raw if transform is None else transformed(raw, transform))

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
            is_first = namespace not in self._versions
            changes = self._store.replace(entries, namespace, version)
            for change in changes:
                change.is_initial = is_first
            self._versions[namespace] = version
            self._synced_scopes.add(namespace)
            for handler in self._handlers:
                handler.deliver(changes, completes_initial=self.has_synced)

    def apply_events(self, sink: "_ScopedSink[T]", events: list[tuple[EventType, Entry]], version: int) -> None:
        with self._lock:
            if not sink.is_attached:
                return
            changes = self._store.apply(events)
            self._versions[sink.namespace] = version
            if changes:
                for handler in self._handlers:
                    handler.deliver(changes)

    def note_progress(self, sink: "_ScopedSink[T]", version: int) -> None:
        with self._lock:
            if sink.is_attached:
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
