"""What this process knows of each Cluster: its connection, and what came of the last look at it."""

from apis.laf.cluster import Cluster
from apis.meta import Key
from controllers.cluster.failure import Failure
from controllers.cluster.probe import Findings
from controllers.laf.remotes import Remotes
from framework.client import Credentials
from framework.clusters import Clusters, RemoteCluster


class Link:
    """Only the reconcile of its Cluster touches it; lost with the process without harm."""

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.lead_to(None, "")

    def lead_to(self, remote: RemoteCluster | None, config_hash: str) -> None:
        """What was found out before was about other credentials."""
        self.remote = remote
        # Of the kubeconfig that is in use; empty: none is.
        self.config_hash = config_hash
        # What came of the last look; None: there was none.
        self.outcome: Findings | Failure | None = None
        # Whether the cluster took requests at that time, and when to look again, on the monotonic clock.
        self.was_open = False
        self.due = 0.0
        # Looks in a row that found no answer, and how many failures of requests the last of them knew of.
        self.failed_looks = 0
        self.known_failures = 0
        # Times in a row that it was found not ready.
        self.refusals = 0
        self.is_admitted = False
        # Until when its caches may take to be filled; None: they are, or nobody waits yet.
        self.sync_until: float | None = None
        self.swept_at: float | None = None
        self.is_anonymity_told = False

    def succeeded(self, findings: Findings) -> None:
        self.outcome = findings
        self.failed_looks = self.known_failures = 0

    def failed(self, failure: Failure, known_failures: int) -> None:
        self.outcome = failure
        self.failed_looks += 1
        self.known_failures = known_failures
        self.sync_until = None


class Links:
    """By the key of the Cluster. One that is deleted and made again is another, and shares nothing with the first."""

    def __init__(self, clusters: Clusters, remotes: Remotes) -> None:
        self._clusters = clusters
        self._remotes = remotes
        self._links: dict[Key, Link] = {}

    def of(self, cluster: Cluster) -> Link:
        link = self._links.get(cluster.key)
        if link is None or link.uid != cluster.metadata.uid:
            self.drop(cluster.key)
            link = self._links[cluster.key] = Link(cluster.metadata.uid)
        return link

    def drop(self, key: Key) -> None:
        """There is no such Cluster any more."""
        link = self._links.pop(key, None)
        if link is not None:
            self._remotes.forget(link.uid)
            self._clusters.disconnect(str(key))

    def cut(self, key: Key, link: Link) -> None:
        """A credential that was replaced is not used again, even if the new one is of no use."""
        self._remotes.withdraw(link.uid)
        self._clusters.disconnect(str(key))
        link.lead_to(None, "")

    def connect(self, key: Key, link: Link, credentials: Credentials, config_hash: str) -> None:
        """Nothing is sent and nobody waits; raises ConfigurationError if the credentials are of no use."""
        self._remotes.forget(link.uid)
        link.lead_to(self._clusters.connect(str(key), credentials), config_hash)
