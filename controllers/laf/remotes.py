"""The Clusters that may be used now: the controller of Clusters says which, all others ask."""

from collections.abc import Callable

import msgspec

from apis.laf.cluster import Cluster
from controllers.laf.client_config import config_hash
from framework.clusters import RemoteCluster
from framework.runtime import Runtime


class Remote(msgspec.Struct, frozen=True):
    """A Cluster that answers, has what it needs, and is the one that it was."""

    # Of the kubeconfig that it was reached with.
    config_hash: str
    # Of the remote kube-system namespace; empty if that cannot be read.
    cluster_id: str
    cluster: RemoteCluster


class Remotes:
    """By the uid of the Cluster: one that is deleted and made again is another."""

    def __init__(self, runtime: Runtime) -> None:
        self._lock = runtime.lock()
        # Replaced, never changed: read without the lock.
        self._ready: dict[str, Remote] = {}
        self._judged: frozenset[str] = frozenset()
        self._followers: tuple[Callable[[str], None], ...] = ()
        # Kubeconfigs that were asked about, and their hashes: each placement asks about every Cluster.
        self._hashes: dict[str, tuple[str, str]] = {}

    def is_judged(self, uid: str) -> bool:
        """Whether it is known if the Cluster can be used; not before this process has looked at it once."""
        return uid in self._judged

    def of(self, cluster: Cluster) -> Remote | None:
        """How to reach *cluster*; None unless it is ready with the kubeconfig that it has now."""
        remote = self._ready.get(cluster.metadata.uid)
        if remote is None or cluster.spec is None:
            return None
        # One that was replaced is not used again, although its controller may not have looked at it yet.
        return remote if remote.config_hash == self._hash_of(cluster.metadata.uid, cluster.spec.client_config) else None

    def follow(self, on_change: Callable[[str], None]) -> None:
        """Have *on_change* called with the uid of each Cluster that becomes ready, another, or not ready."""
        with self._lock:
            self._followers = (*self._followers, on_change)

    def admit(self, uid: str, remote: Remote) -> None:
        """Only for the controller of Clusters."""
        with self._lock:
            is_news = self._ready.get(uid) != remote
            self._ready = {**self._ready, uid: remote}
            self._judged |= {uid}
        if is_news:
            self._tell(uid)

    def withdraw(self, uid: str) -> None:
        """Only for the controller of Clusters: nothing is sent there for anybody else."""
        with self._lock:
            is_news = uid in self._ready or uid not in self._judged
            self._leave_out(uid)
            self._judged |= {uid}
        if is_news:
            self._tell(uid)

    def forget(self, uid: str) -> None:
        """Only for the controller of Clusters: nothing is known of it now, and nobody is told so.

        Either there is no such Cluster any more, or it has another kubeconfig
        and will be judged anew: until then all wait, and nothing is said against it.
        """
        with self._lock:
            self._leave_out(uid)
            self._judged -= {uid}

    def _leave_out(self, uid: str) -> None:
        self._ready = {each: remote for each, remote in self._ready.items() if each != uid}
        self._hashes.pop(uid, None)

    def _hash_of(self, uid: str, client_config: str) -> str:
        known = self._hashes.get(uid)
        if known is None or known[0] != client_config:
            known = self._hashes[uid] = client_config, config_hash(client_config)
        return known[1]

    def _tell(self, uid: str) -> None:
        for follower in self._followers:
            follower(uid)
