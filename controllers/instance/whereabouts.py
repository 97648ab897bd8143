"""Where an Instance is, and whether it can stay there."""

from contextlib import suppress

from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from apis.meta import Key
from controllers.instance.binder import NotJudged
from controllers.laf.remotes import Remote, Remotes
from framework.client import Client
from framework.errors import NotFound
from framework.listers import Lister


class Whereabouts:
    def __init__(self, clusters: Lister[Cluster], remotes: Remotes, client: Client) -> None:
        self._clusters = clusters
        self._remotes = remotes
        self._client = client

    def cluster_of(self, instance: Instance) -> Cluster | None:
        """The one that is recorded; None: there is none of that uid any more, by the word of the server."""
        status = instance.status
        key = Key(status.cluster_namespace, status.cluster_name)
        cached = self._clusters.get(key)
        if cached is not None and cached.metadata.uid == status.cluster_uid:
            return cached
        # Records can be edited: without a name there is nothing to ask for.
        with suppress(NotFound):
            live = self._client.get(Cluster, key) if key.name and key.namespace else None
            if live is not None and live.metadata.uid == status.cluster_uid:
                return live
        return None

    def remote_of(self, cluster: Cluster) -> Remote | None:
        """None: it cannot be used. Raises NotJudged: nobody acts upon what this process has not found out yet."""
        remote = self._remotes.of(cluster)
        if remote is None:
            if not self._remotes.is_judged(cluster.metadata.uid):
                raise NotJudged
            return None
        if not remote.cluster.has_synced:
            raise NotJudged
        return remote
