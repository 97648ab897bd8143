"""Requests from whatever remote clusters there are."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import structlog

from apis.meta import KubeObject, Request
from framework.client import Kind
from framework.clusters import Clusters, RemoteCluster
from framework.controller.predicates import Predicate
from framework.controller.sources import Mapped, Primary, Source
from framework.informers import InformerOptions, SharedInformer
from framework.workqueue import WorkQueue

T = TypeVar("T", bound=KubeObject)
# The name of the cluster, and the object there.
ClusterMapping = Callable[[str, T], Iterable[Request]]

_log = structlog.get_logger("windlass.controller")


class EachCluster(Generic[T]):
    """Every change of an object of *kind* in every remote cluster, from the moment it is connected until it leaves.

    Without *mapping* the request is the object itself: its key, and the name
    of its cluster. When a cluster leaves, the requests that name it and still
    wait are dropped; those that name objects of the hub are not.
    """

    def __init__(
        self,
        clusters: Clusters,
        kind: Kind[T],
        mapping: ClusterMapping[T] | None = None,
        *,
        options: InformerOptions | None = None,
        predicates: Iterable[Predicate] = (),
    ) -> None:
        self._clusters = clusters
        self._kind = kind
        self._mapping = mapping
        self._options = options
        self._predicates = tuple(predicates)

    def attach(self, queue: WorkQueue[Request], name: str) -> "_Following":
        following = _Following(partial(self._attach_to, queue, name), queue)
        self._clusters.follow(following)
        return following

    def detach(self, registration: Any) -> None:
        self._clusters.unfollow(registration)
        registration.end()

    def resync(self, registration: Any) -> None:
        """Put everything there is into the queue again."""
        registration.resync()

    @property
    def informer(self) -> None:
        """None of the manager's: each cluster has its own."""
        return

    def _attach_to(self, queue: WorkQueue[Request], name: str, cluster: RemoteCluster) -> "_Place":
        informer = cluster.informer(self._kind, self._options)
        source = self._source(cluster.name, informer)
        return _Place(source, informer, source.attach(queue, name))

    def _source(self, cluster: str, informer: SharedInformer[T]) -> Source:
        if self._mapping is None:
            return Primary(informer, predicates=self._predicates, cluster=cluster)
        return Mapped(informer, partial(self._mapping, cluster), predicates=self._predicates)


class ClusterChanges:
    """A cluster joined or left, became reachable or unreachable: *mapping* names whom it concerns, and does no more."""

    def __init__(self, clusters: Clusters, mapping: Callable[[RemoteCluster], Iterable[Request]]) -> None:
        self._clusters = clusters
        self._mapping = mapping

    def attach(self, queue: WorkQueue[Request], name: str) -> "_Telling":  # noqa: ARG002 - the seam has it
        telling = _Telling(queue, self._mapping)
        self._clusters.follow(telling)
        return telling

    def detach(self, registration: Any) -> None:
        self._clusters.unfollow(registration)

    def resync(self, registration: Any) -> None:
        """Name those whom the clusters concern that are there."""
        for cluster in self._clusters:
            registration.changed(cluster)

    @property
    def informer(self) -> None:
        """None of the manager's."""
        return


class _NeverAwaited:
    """Workers do not wait for remote clusters: one that never answers would keep them from all others."""

    has_synced = True

    def wait_for_sync(self, timeout: float) -> bool:  # noqa: ARG002 - there is nothing to wait for
        return True


class _Place(NamedTuple):
    """A source that follows the informer of one cluster."""

    source: Source
    informer: SharedInformer[Any]
    registration: Any


class _Following(_NeverAwaited):
    """Invariant: there is a place for each cluster that is connected; only the registry's lock changes them."""

    def __init__(self, attach_to: Callable[[RemoteCluster], _Place], queue: WorkQueue[Request]) -> None:
        self._attach_to = attach_to
        self._queue = queue
        self._places: dict[str, _Place] = {}

    def joined(self, cluster: RemoteCluster) -> None:
        self._places[cluster.name] = self._attach_to(cluster)

    def left(self, cluster: RemoteCluster) -> None:
        # Its informers are closed, and their handlers with them.
        self._places.pop(cluster.name, None)
        self._queue.discard(lambda request: request.cluster == cluster.name)

    def changed(self, cluster: RemoteCluster) -> None:
        """The informers tell what changed."""

    def resync(self) -> None:
        for place in list(self._places.values()):
            place.informer.resync(place.registration)

    def end(self) -> None:
        for place in list(self._places.values()):
            place.source.detach(place.registration)


class _Telling(_NeverAwaited):
    def __init__(self, queue: WorkQueue[Request], mapping: Callable[[RemoteCluster], Iterable[Request]]) -> None:
        self._queue = queue
        self._mapping = mapping

    def joined(self, cluster: RemoteCluster) -> None:
        self._tell(cluster)

    def left(self, cluster: RemoteCluster) -> None:
        self._tell(cluster)

    def changed(self, cluster: RemoteCluster) -> None:
        self._tell(cluster)

    def _tell(self, cluster: RemoteCluster) -> None:
        try:
            requests = tuple(self._mapping(cluster))
        except Exception:  # noqa: BLE001 - a mapping is foreign code
            _log.exception("mapping_failed", cluster=cluster.name)
            return
        self._queue.add_many(requests)
