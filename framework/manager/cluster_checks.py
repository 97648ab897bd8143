"""Remote clusters in the readiness of the process."""

from framework.clusters import RemoteCluster
from framework.manager.health import Checks


class ClusterChecks:
    """Names each connected cluster and what is wrong with it; by default that does not count."""

    def __init__(self, readiness: Checks, *, counts: bool) -> None:
        self._readiness = readiness
        self._counts = counts

    def joined(self, cluster: RemoteCluster) -> None:
        self._readiness.add(_name(cluster), lambda: cluster.problem, counts=self._counts)

    def left(self, cluster: RemoteCluster) -> None:
        self._readiness.remove(_name(cluster))

    def changed(self, cluster: RemoteCluster) -> None:
        """Asked for, not told."""


def _name(cluster: RemoteCluster) -> str:
    return f"cluster/{cluster.name}"
