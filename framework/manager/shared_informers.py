"""The informers of one process: one for each kind and set of options."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar, cast

from apis.meta import KubeObject, ResourceType, resource_type_of
from framework.client import Kind
from framework.informers import InformerOptions, SharedInformer
from framework.informers.options import default_name, free_name
from framework.manager.health import Check, Checks
from framework.runtime import Runtime

T = TypeVar("T", bound=KubeObject)
# Makes an informer of that name.
InformerFactory = Callable[[Any, InformerOptions, str], SharedInformer[Any]]
_CLOSE_SECONDS = 2.0


class SharedInformers:
    """Each has a name of its own, under which readiness and metrics speak of it."""

    def __init__(self, make: InformerFactory, readiness: Checks, runtime: Runtime) -> None:
        self._make = make
        self._readiness = readiness
        # Held also while an informer is started: nobody may get one that is forgotten half-way.
        self._lock = runtime.lock()
        # Keyed by the kind, not by its resource: a class gives typed objects, a ResourceType gives untyped ones.
        self._informers: dict[tuple[Any, InformerOptions], SharedInformer[Any]] = {}
        # Not started with the others: whoever follows them has to wait for its rights.
        self._held: set[SharedInformer[Any]] = set()
        self._is_running = False

    def get(self, kind: Kind[T], options: InformerOptions) -> SharedInformer[T]:
        with self._lock:
            informer = self._informers.get((kind, options))
            if informer is None:
                informer = self._informers[kind, options] = self._new(kind, options)
                self._readiness.add(_check_name(informer), _problem_check(informer))
                if self._is_running:
                    informer.start()
        return cast("SharedInformer[T]", informer)

    def all(self) -> list[SharedInformer[Any]]:
        with self._lock:
            return list(self._informers.values())

    def remove(self, informer: SharedInformer[Any]) -> bool:
        """Close *informer* and forget it; false when it is none of ours."""
        with self._lock:
            keys = [key for key, each in self._informers.items() if each is informer]
            for key in keys:
                del self._informers[key]
        if keys:
            self._readiness.remove(_check_name(informer))
            informer.close(timeout=_CLOSE_SECONDS)
        return bool(keys)

    def start(self, held: AbstractSet[SharedInformer[Any]] = frozenset()) -> None:
        """Start all but those *held* back."""
        with self._lock:
            self._is_running = True
            self._held = set(held)
            for informer in self._informers.values():
                if informer not in self._held:
                    informer.start()

    def release(self, informers: Iterable[SharedInformer[Any]]) -> None:
        """Start those of *informers* that were held back."""
        with self._lock:
            released = self._held.intersection(informers)
            self._held -= released
            # In the order in which they were made: a set has none that two runs share.
            for informer in self._informers.values():
                if informer in released and self._is_running:
                    informer.start()

    def stop(self) -> None:
        with self._lock:
            self._is_running = False
            informers = list(self._informers.values())
        # All are told first, so that they end at the same time and not one after the other.
        for informer in informers:
            informer.stop(timeout=0.0)
        for informer in informers:
            informer.close(timeout=_CLOSE_SECONDS)

    def _new(self, kind: Any, options: InformerOptions) -> SharedInformer[Any]:
        # The name first: an informer that is made is known to others, also if nobody uses it.
        taken = {informer.name for informer in self._informers.values()}
        base = default_name(kind if isinstance(kind, ResourceType) else resource_type_of(kind), options)
        return self._make(kind, options, free_name(base, taken))


def _check_name(informer: SharedInformer[Any]) -> str:
    return f"informer/{informer.name}"


def _problem_check(informer: SharedInformer[Any]) -> Check:
    return lambda: informer.problem
