"""Puts the controller of Instances into a manager."""

from collections.abc import Callable, Iterable
from typing import Any

from apis.apps.v1 import Deployment
from apis.core.v1 import Secret, Service
from apis.events.v1 import Event
from apis.laf.bundle import Bundle
from apis.laf.cluster import Cluster
from apis.laf.instance import DesiredState, Instance
from apis.laf.runtime import Runtime
from apis.meta import KubeObject, Request, Unstructured, resource_type_of
from controllers.instance.binder import Binder
from controllers.instance.bookings import CLUSTER_INDEX, Bookings
from controllers.instance.inputs import InputReader
from controllers.instance.needs import Need
from controllers.instance.readiness import READY
from controllers.instance.reconciler import Instances
from controllers.instance.remote_place import NAME
from controllers.instance.reports import Reports
from controllers.instance.salts import SALTS, Salts, salt_key
from controllers.instance.stopping import Stopping
from controllers.instance.whereabouts import Whereabouts
from controllers.laf.catalogue import BUNDLES, RUNTIMES
from controllers.laf.optional_kinds import DATABASE, OSS_USER, OptionalKinds
from controllers.laf.remote_objects import instance_of, ours
from controllers.laf.remotes import Remotes
from controllers.laf.secret_text import secret_text
from controllers.laf.settings import LafSettings
from controllers.reporting.status_writer import StatusWriter
from framework.conditions import find_condition
from framework.controller import ControllerOptions, EachCluster, Mapped, Primary, Source
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.rights import Right
from framework.store import Change
from framework.workqueue import LOW_PRIORITY

_WAITING, _SALT = "waiting", "salt"
_BUNDLE, _RUNTIME, _DATABASE, _USER = "instance-bundle", "instance-runtime", "database", "oss-user"
_PROBLEMS = frozenset(
    {
        "SpecMissing",
        "InvalidSpec",
        "ProtectedNamespace",
        "CrossNamespaceReference",
        "BundleNotFound",
        "BundleInvalid",
        "RuntimeNotFound",
        "DatabaseNotFound",
        "DatabaseNotReady",
        "OssUserNotFound",
        "OssUserNotReady",
        "ClusterLost",
        "InsufficientCapacity",
        "Unreachable",
        "TLSVerificationFailed",
        "Unauthorized",
        "Forbidden",
        "IdentityChanged",
        "InvalidClientConfig",
        "ForbiddenClientConfig",
        "ClusterUnreachable",
        "NameCollision",
        "RemoteNamespaceForbidden",
        "RemoteNamespaceTerminating",
        "RemoteRejected",
        "ProgressDeadlineExceeded",
    }
)
_LOSSES = frozenset({"ReplicasUnavailable"})
# Between the Instances of one Cluster, when it changes.
_SECONDS_APART = 0.05
_INSTANCES, _SECRETS = resource_type_of(Instance), resource_type_of(Secret)
_RIGHTS = (
    Right("patch", _INSTANCES),
    Right("patch", _INSTANCES, "status"),
    Right("get", resource_type_of(Cluster)),
    *(Right(verb, _SECRETS) for verb in ("get", "create", "patch", "delete")),
    *(Right(verb, optional) for optional in (DATABASE, OSS_USER) for verb in ("list", "watch")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_instance(
    manager: Manager,
    settings: LafSettings,
    remotes: Remotes,
    optional: OptionalKinds,
    *,
    new_salt: Callable[[], str] = secret_text,
) -> None:
    instances, clusters = manager.informer(Instance), manager.informer(Cluster)
    bundles, runtimes = manager.informer(Bundle), manager.informer(Runtime)
    watched = manager.options.namespaces
    salts = manager.informer(Secret, InformerOptions(watched, labels=SALTS, keeps_secret_values=True))
    system = settings.system_namespace
    instances.add_index(CLUSTER_INDEX, lambda each: [each.status.cluster_uid] if each.status.cluster_uid else [])
    instances.add_index(_WAITING, _region_waited_in)
    instances.add_index(_SALT, lambda each: [str(salt_key(each))])
    instances.add_index(_BUNDLE, lambda each: map(str, BUNDLES.named_by_instance(each, system)))
    instances.add_index(_RUNTIME, lambda each: map(str, RUNTIMES.named_by_instance(each, system)))
    instances.add_index(_DATABASE, lambda each: _named(each, each.spec.database if each.spec else ""))
    instances.add_index(_USER, lambda each: _named(each, each.spec.oss_user if each.spec else ""))

    client, recorder = manager.client_for(NAME), manager.recorder_for(NAME)
    status: StatusWriter[Instance] = StatusWriter(
        client, recorder, manager.clock, problems=_PROBLEMS, losses=_LOSSES, action="Reconcile"
    )
    reports = Reports(status, recorder)
    bookings = Bookings(instances.lister, manager.runtime)
    whereabouts = Whereabouts(clusters.lister, remotes, client)
    reconciler = Instances(
        instances=instances.lister,
        inputs=InputReader(
            bundles=bundles.lister, runtimes=runtimes.lister, optional=optional, system_namespace=system
        ),
        binder=Binder(clusters=clusters.lister, remotes=remotes, bookings=bookings, status=status, settings=settings),
        bookings=bookings,
        whereabouts=whereabouts,
        salts=Salts(salts.lister, client, new_salt),
        stopping=Stopping(whereabouts=whereabouts, reports=reports, settings=settings),
        reports=reports,
        client=client,
        settings=settings,
    )

    def filed_under(index: str, value: str) -> Iterable[Request]:
        return [Request(each.key) for each in instances.lister.by_index(index, value)]

    def named(index: str) -> Callable[[KubeObject], Iterable[Request]]:
        return lambda obj: filed_under(index, str(obj.metadata.key))

    def of_cluster(cluster: Cluster) -> Iterable[Request]:
        region = cluster.spec.region if cluster.spec else ""
        return [*filed_under(CLUSTER_INDEX, cluster.metadata.uid), *filed_under(_WAITING, region)]

    def everyone_with(index: str) -> Callable[[], Iterable[Request]]:
        def requests() -> Iterable[Request]:
            is_database = index == _DATABASE
            return [
                Request(each.key)
                for each in instances.lister.list()
                if each.spec and (each.spec.database if is_database else each.spec.oss_user)
            ]

        return requests

    def of_remote(_cluster: str, obj: KubeObject) -> Iterable[Request]:
        key = instance_of(obj)
        return [] if key is None else [Request(key)]

    def named_optional(index: str) -> Callable[[Unstructured], Iterable[Request]]:
        return lambda obj: filed_under(index, str(obj.metadata.key))

    sources: list[Source] = [
        Primary(instances, resync_seconds=settings.resync_seconds),
        Mapped(instances, lambda each: filed_under(_WAITING, _region(each)), predicates=[_releases]),
        # What concerns many Instances at once waits behind what concerns one, and comes little by little: a cluster
        # that goes, or comes back, does not delay the Instances of others.
        Mapped(
            clusters,
            of_cluster,
            predicates=[_matters_to_instances],
            priority=LOW_PRIORITY,
            apart_seconds=_SECONDS_APART,
        ),
        Mapped(bundles, named(_BUNDLE), priority=LOW_PRIORITY),
        Mapped(runtimes, named(_RUNTIME), priority=LOW_PRIORITY),
        Mapped(salts, named(_SALT)),
        optional.source_of(DATABASE, named_optional(_DATABASE), everyone_with(_DATABASE)),
        optional.source_of(OSS_USER, named_optional(_USER), everyone_with(_USER)),
        *(
            EachCluster(manager.clusters, kind, of_remote, options=ours(settings.hub_id))
            for kind in (Deployment, Service, Secret)
        ),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    controller = manager.add_controller(NAME, reconciler, sources, options)

    def remote_changed(uid: str) -> None:
        bound = filed_under(CLUSTER_INDEX, uid)
        regions = {each.metadata.uid: each.spec.region for each in clusters.lister.list() if each.spec}
        for number, request in enumerate((*bound, *filed_under(_WAITING, regions.get(uid, "")))):
            controller.enqueue(request, LOW_PRIORITY, number * _SECONDS_APART)

    remotes.follow(remote_changed)


def _region(instance: Instance) -> str:
    return instance.spec.region if instance.spec else ""


def _region_waited_in(instance: Instance) -> list[str]:
    """Where it could get a place, or more of one, as soon as there is room."""
    if instance.spec is None or instance.spec.state is not DesiredState.RUNNING:
        return []
    capacity = find_condition(instance.status.conditions, "CapacityAvailable")
    is_held = capacity is not None and capacity.status == "False"
    return [instance.spec.region] if is_held or not instance.status.cluster_uid else []


def _named(instance: Instance, name: str) -> list[str]:
    return [f"{instance.metadata.namespace}/{name}"] if name else []


def _releases(change: Change[Any]) -> bool:
    """Whether there is more room than before; everything else about an Instance is nothing to the others."""
    old, new = change.old, change.new
    if change.is_resync or old is None or not old.status.cluster_uid:
        return False
    if new is None or new.status.cluster_uid != old.status.cluster_uid:
        return True
    return not Need.of_reserved(old.status.reserved).is_within(Need.of_reserved(new.status.reserved))


def _matters_to_instances(change: Change[Any]) -> bool:
    """Not: how much is used, which changes with each Instance and would bring all the others."""
    if change.is_resync:
        return False
    old, new = change.old, change.new
    return old is None or new is None or _view_of(old) != _view_of(new)


def _view_of(cluster: Cluster) -> tuple[Any, ...]:
    ready = find_condition(cluster.status.conditions, READY)
    told = None if ready is None else (ready.status, ready.reason)
    metadata = cluster.metadata
    return metadata.uid, metadata.generation, metadata.is_being_deleted, told
