"""The informers of one remote cluster: one for each kind and set of options."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from apis.meta import KubeObject, ResourceType, resource_type_of
from framework.client import Kind
from framework.informers import InformerMetrics, InformerOptions, SharedInformer
from framework.informers.options import default_name, free_name
from framework.runtime import Runtime

T = TypeVar("T", bound=KubeObject)
# Makes an informer with a name.
InformerFactory = Callable[[Any, InformerOptions, str], SharedInformer[Any]]


class ClusterInformers:
    """Each is named after its cluster and what it caches; all end with the cluster, and so do their metrics."""

    def __init__(self, cluster: str, make: InformerFactory, metrics: InformerMetrics | None, runtime: Runtime) -> None:
        self._cluster = cluster
        self._make = make
        self._metrics = metrics
        # Held also while an informer is started: none may come to life after the end.
        self._lock = runtime.lock()
        self._informers: dict[tuple[Any, InformerOptions], SharedInformer[Any]] = {}
        self._is_running = False
        self._has_ended = False

    def get(self, kind: Kind[T], options: InformerOptions) -> SharedInformer[T]:
        with self._lock:
            informer = self._informers.get((kind, options))
            if informer is None:
                informer = self._informers[kind, options] = self._new(kind, options)
                if self._is_running:
                    informer.start()
        return cast("SharedInformer[T]", informer)

    def remove(self, informer: SharedInformer[Any]) -> None:
        with self._lock:
            for key in [key for key, each in self._informers.items() if each is informer]:
                del self._informers[key]
        self._close(informer)

    def all(self) -> list[SharedInformer[Any]]:
        with self._lock:
            return list(self._informers.values())

    def start(self) -> None:
        with self._lock:
            self._is_running = not self._has_ended
            if self._is_running:
                for informer in self._informers.values():
                    informer.start()

    def start_over(self) -> None:
        with self._lock:
            for informer in self._informers.values():
                informer.start_over()

    def end(self) -> None:
        """For good, and without waiting for those who hang."""
        with self._lock:
            self._has_ended, self._is_running = True, False
            informers = list(self._informers.values())
        for informer in informers:
            self._close(informer)

    def _new(self, kind: Any, options: InformerOptions) -> SharedInformer[Any]:
        taken = {informer.name for informer in self._informers.values()}
        resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        base = f"{self._cluster}/{default_name(resource_type, options)}"
        return self._make(kind, options, free_name(base, taken))

    def _close(self, informer: SharedInformer[Any]) -> None:
        informer.close(timeout=0.0)
        if self._metrics is not None:
            self._metrics.forget(informer.name)
