"""Puts the controller of Clusters into a manager."""

from collections.abc import Iterable

from apis.events.v1 import Event
from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from apis.meta import Key, Request, resource_type_of
from controllers.cluster.judge import Judge
from controllers.cluster.link import Links
from controllers.cluster.look import Look
from controllers.cluster.reasons import PROBLEMS
from controllers.cluster.reconciler import ACTION, BOUND_INDEX, ClusterReconciler
from controllers.cluster.sweep import ClusterByUid, Sweep
from controllers.cluster.usage import changes_usage
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from controllers.reporting.status_writer import StatusWriter
from framework.clusters import RemoteCluster
from framework.controller import ClusterChanges, ControllerOptions, Mapped, Primary, Source
from framework.manager import Manager
from framework.rights import Right

NAME = "cluster"
_UID_INDEX = "cluster/uid"
_CLUSTERS = resource_type_of(Cluster)
_RIGHTS = (
    Right("patch", _CLUSTERS),
    Right("patch", _CLUSTERS, "status"),
    *(Right(verb, resource_type_of(Instance)) for verb in ("get", "list")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_cluster(manager: Manager, settings: LafSettings, remotes: Remotes) -> None:
    clusters, instances = manager.informer(Cluster), manager.informer(Instance)
    clusters.add_index(_UID_INDEX, lambda cluster: [cluster.metadata.uid])
    instances.add_index(BOUND_INDEX, lambda instance: filter(None, [instance.status.cluster_uid]))

    def cluster_by_uid(uid: str) -> Cluster | None:
        return next(iter(clusters.lister.by_index(_UID_INDEX, uid)), None)

    def bound_to(instance: Instance) -> Iterable[Request]:
        cluster = cluster_by_uid(instance.status.cluster_uid)
        return [] if cluster is None else [Request(cluster.key)]

    def described_by(remote: RemoteCluster) -> Iterable[Request]:
        return [Request(Key.parse(remote.name))]

    def server_of(request: Request) -> str:
        """Several Clusters may lead to one server; if that hangs, all of them do."""
        remote = manager.clusters.get(str(request.key))
        return str(request.key) if remote is None else remote.server

    sources: list[Source] = [
        Primary(clusters, resync_seconds=settings.resync_seconds),
        Mapped(instances, bound_to, predicates=[changes_usage]),
        ClusterChanges(manager.clusters, described_by),
    ]
    options = ControllerOptions(
        max_concurrent_reconciles=settings.workers,
        group_of=server_of,
        max_concurrent_per_group=settings.share_of_a_cluster,
        rights=_RIGHTS,
    )
    manager.add_controller(NAME, _reconciler(manager, settings, remotes, cluster_by_uid), sources, options)


def _reconciler(
    manager: Manager, settings: LafSettings, remotes: Remotes, cluster_by_uid: ClusterByUid
) -> ClusterReconciler:
    clock, client, recorder = manager.clock, manager.client_for(NAME), manager.recorder_for(NAME)
    instances = manager.informer(Instance).lister
    links = Links(manager.clusters, remotes)
    look = Look(clock, max_concurrent_requests=settings.share_of_a_cluster)
    retry_seconds = manager.clusters.options.retry_seconds
    return ClusterReconciler(
        clusters=manager.informer(Cluster).lister,
        instances=instances,
        client=client,
        status=StatusWriter(client, recorder, clock, problems=PROBLEMS, action=ACTION),
        recorder=recorder,
        links=links,
        judge=Judge(links, look, settings=settings, retry_seconds=retry_seconds, clock=clock, random=manager.random),
        remotes=remotes,
        sweep=Sweep(
            instances=instances,
            client=client,
            cluster_by_uid=cluster_by_uid,
            client_of=look.client,
            clock=clock,
            settings=settings,
        ),
        namespaces=manager.options.namespaces,
    )
