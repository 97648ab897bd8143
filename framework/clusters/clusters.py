"""The remote clusters of one process."""

from collections.abc import Callable, Iterator
from typing import Protocol

import structlog

from framework.client import Credentials, Observer, Sender
from framework.clock import Clock
from framework.clusters.cluster import RemoteCluster
from framework.clusters.options import ClusterOptions
from framework.clusters.tools import Tools
from framework.errors import ConfigurationError
from framework.informers import InformerMetrics
from framework.randomness import Random
from framework.runtime import Runtime

# Makes a connection; sends nothing. Raises ConfigurationError if the credentials are unusable.
ConnectionFactory = Callable[[Credentials], Sender]

_log = structlog.get_logger("windlass.clusters")


class ClusterFollower(Protocol):
    """Hears of the clusters that come and go; must not raise, wait, or call `connect` and `disconnect`."""

    def joined(self, cluster: RemoteCluster) -> None: ...

    def left(self, cluster: RemoteCluster) -> None:
        """*cluster* has ended; its informers tell no more."""

    def changed(self, cluster: RemoteCluster) -> None:
        """*cluster* became reachable or unreachable; may come late, and for one that has left."""


class Clusters:
    """Guarantees and limits: see the package."""

    def __init__(
        self,
        connect: ConnectionFactory,
        *,
        clock: Clock,
        runtime: Runtime,
        random: Random,
        options: ClusterOptions | None = None,
        informer_metrics: InformerMetrics | None = None,
        observers_of: Callable[[str], tuple[Observer, ...]] = lambda _: (),
    ) -> None:
        """*observers_of* a controller look on at what it does in any cluster: a journal, a fence."""
        self.options = options or ClusterOptions()
        self._connect = connect
        self._tools = Tools(clock, runtime, random, self.options, informer_metrics, self._health_changed, observers_of)
        # Held while clusters come and go and while followers hear of it: each hears of each cluster once, in order.
        self._lock = runtime.lock()
        # Replaced, never changed: read without the lock.
        self._clusters: dict[str, RemoteCluster] = {}
        self._followers: tuple[ClusterFollower, ...] = ()
        self._is_running = False
        self._has_ended = False

    def connect(self, name: str, credentials: Credentials) -> RemoteCluster:
        """The cluster *name*, with *credentials* from now on; nothing happens if it has them already.

        Sends nothing and waits for nothing. Raises ConfigurationError if the
        credentials are unusable; then everything is as before.
        """
        if not name:
            raise ConfigurationError("a remote cluster needs a name; the empty one is the cluster of the manager")
        with self._lock:
            if self._has_ended:
                raise ConfigurationError(f"cluster {name!r}: the process is stopping")
            known = self._clusters.get(name)
            if known is None:
                return self._join(name, credentials)
            if not known.has_credentials(credentials):
                known.use(credentials, self._connect(credentials))
                _log.info("cluster_credentials_replaced", cluster=name, server=known.server)
            return known

    def disconnect(self, name: str) -> bool:
        """End everything of the cluster *name*, now and for good; false if there is none."""
        with self._lock:
            clusters = dict(self._clusters)
            cluster = clusters.pop(name, None)
            if cluster is None:
                return False
            self._clusters = clusters
            self._leave(cluster)
        return True

    def get(self, name: str) -> RemoteCluster | None:
        return self._clusters.get(name)

    def __iter__(self) -> Iterator[RemoteCluster]:
        return iter(tuple(self._clusters.values()))

    def __len__(self) -> int:
        return len(self._clusters)

    def follow(self, follower: ClusterFollower) -> None:
        """Tell *follower* of every cluster there is, and from then on of each that comes or goes."""
        with self._lock:
            self._followers = (*self._followers, follower)
            for cluster in self._clusters.values():
                follower.joined(cluster)

    def unfollow(self, follower: ClusterFollower) -> None:
        with self._lock:
            self._followers = tuple(each for each in self._followers if each is not follower)

    def start(self) -> None:
        with self._lock:
            self._is_running = True
            for cluster in self._clusters.values():
                cluster.start()

    def stop(self) -> None:
        """Disconnect all, for good."""
        with self._lock:
            self._has_ended = True
            clusters, self._clusters = self._clusters, {}
            for cluster in clusters.values():
                self._leave(cluster)

    def _join(self, name: str, credentials: Credentials) -> RemoteCluster:
        cluster = RemoteCluster(name, credentials, self._connect(credentials), self._tools)
        self._clusters = {**self._clusters, name: cluster}
        _log.info("cluster_connected", cluster=name, server=cluster.server)
        for follower in self._followers:
            follower.joined(cluster)
        if self._is_running:
            cluster.start()
        return cluster

    def _leave(self, cluster: RemoteCluster) -> None:
        cluster.end()
        _log.info("cluster_disconnected", cluster=cluster.name, server=cluster.server)
        for follower in self._followers:
            follower.left(cluster)

    def _health_changed(self, name: str) -> None:
        cluster = self._clusters.get(name)
        if cluster is None:
            return
        for follower in self._followers:
            try:
                follower.changed(cluster)
            except Exception:  # noqa: BLE001 - a follower may call foreign code
                _log.exception("cluster_follower_failed", cluster=name)
