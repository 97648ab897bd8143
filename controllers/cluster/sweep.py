"""Deletes what was made for Instances that are not there any more, or are elsewhere.

That happens when an Instance was let go while its cluster could not be
reached. Only what is marked as ours by this hub is looked at, and nothing is
deleted on the word of a cache.
"""

from collections.abc import Callable, Iterator

import structlog

from apis.laf.cluster import Cluster
from apis.laf.instance import DesiredState, Instance
from apis.meta import Key, KubeObject
from controllers.cluster.link import Link
from controllers.cluster.probe import Findings
from controllers.laf.remote_objects import REMOTE_KINDS, instance_of, is_marked, ours
from controllers.laf.settings import LafSettings
from framework.client import Client
from framework.clock import Clock
from framework.clusters import RemoteCluster
from framework.errors import ApiError, NotFound, Unauthorized
from framework.listers import Lister

# Tells the Cluster with an uid; None if there is none.
ClusterByUid = Callable[[str], Cluster | None]

_log = structlog.get_logger("windlass.laf")


class Sweep:
    def __init__(
        self,
        *,
        instances: Lister[Instance],
        client: Client,
        cluster_by_uid: ClusterByUid,
        client_of: Callable[[RemoteCluster], Client],
        clock: Clock,
        settings: LafSettings,
    ) -> None:
        self._instances = instances
        self._client = client
        self._cluster_by_uid = cluster_by_uid
        self._client_of = client_of
        self._clock = clock
        self._settings = settings

    def run_if_due(self, cluster: Cluster, link: Link) -> Iterator[str]:
        """What is deleted and why, in words; raises what keeps the cluster from answering."""
        now, findings = self._clock.monotonic(), link.outcome
        is_due = link.swept_at is None or now - link.swept_at >= self._settings.resync_seconds
        if not is_due or link.remote is None or not isinstance(findings, Findings) or not findings.cluster_id:
            return
        yield from self._run(cluster, findings.cluster_id, link.remote)
        # Not before it was done: what was cut short is begun again.
        link.swept_at = now

    def _run(self, cluster: Cluster, cluster_id: str, remote: RemoteCluster) -> Iterator[str]:
        there = self._client_of(remote)
        # One Instance has several objects, and is asked for once.
        reasons: dict[Key, str] = {}
        for kind in REMOTE_KINDS:
            cached = remote.informer(kind, ours(self._settings.hub_id)).lister.list()
            for obj in sorted(cached, key=lambda each: each.key):
                owner = instance_of(obj)
                # Without the name of an Instance it is not provably ours.
                if owner is None or not self._why_orphan(self._instances.get(owner), cluster, cluster_id):
                    continue
                if owner not in reasons:
                    reasons[owner] = self._why_orphan(self._live(owner), cluster, cluster_id)
                if reasons[owner] and self._delete(obj, owner, there):
                    yield f"{kind.__name__} {obj.key}: Instance {owner} {reasons[owner]}"

    def _why_orphan(self, instance: Instance | None, here: Cluster, cluster_id: str) -> str:
        uid = "" if instance is None else instance.status.cluster_uid
        other = self._cluster_by_uid(uid) if uid and uid != here.metadata.uid else None
        return why_orphan(instance, cluster_id, "" if other is None else other.status.cluster_id)

    def _live(self, key: Key) -> Instance | None:
        try:
            return self._client.get(Instance, key)
        except NotFound:
            return None

    def _delete(self, obj: KubeObject, owner: Key, there: Client) -> bool:
        kind, uid = type(obj), obj.metadata.uid
        try:
            live = there.get(kind, obj.key)
            is_same = live.metadata.uid == uid and not live.metadata.is_being_deleted
            if not is_same or not is_marked(live, self._settings.hub_id, owner):
                return False
            there.delete(kind, obj.key, uid=uid, propagation="Background")
        except NotFound:
            return False
        except Unauthorized:
            raise
        except ApiError as error:
            # One that the server will not let go of must not keep the others.
            _log.warning("orphan_not_deleted", kind=kind.__name__, remote_object=str(obj.key), error=str(error))
            return False
        return True


def why_orphan(instance: Instance | None, cluster_id: str, other_id: str) -> str:
    """Why what is on the cluster *cluster_id* is not of *instance* any more; empty if it is, or may be.

    *other_id* is the id of the cluster that the Instance is bound to, if it is
    another Cluster: several may lead to the same, and of one whose id is not
    known nothing is known. An Instance that is unplaced and is to run keeps
    what it has: who places it finds its objects here, and has heard of them
    from the cache of this cluster.
    """
    if instance is None:
        return "does not exist"
    if instance.status.cluster_uid:
        return "is on another cluster" if other_id not in ("", cluster_id) else ""
    is_stopped = instance.spec is not None and instance.spec.state is DesiredState.STOPPED
    return "is stopped" if is_stopped else ""
