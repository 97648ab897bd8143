"""Puts the controller of WorkerBundles into a manager."""

from collections.abc import Iterable
from typing import Any

from apis.apps.v1 import Deployment
from apis.autoscaling.v2 import HorizontalPodAutoscaler
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workerbundle import WorkerBundle
from apis.core.v1 import Pod, Secret, Service
from apis.events.v1 import Event
from apis.meta import KubeObject, PartialObject, Request, resource_type_of
from apis.networking.v1 import Ingress
from controllers.reporting.status_writer import StatusWriter
from controllers.workerbundle.children import BundleChildren
from controllers.workerbundle.image_history import digests_of
from controllers.workerbundle.images import BundleImages
from controllers.workerbundle.metrics import PurgeMetrics
from controllers.workerbundle.pods import POD_INDEX, LabelledPods, bundle_labels
from controllers.workerbundle.purge import Purger
from controllers.workerbundle.reconciler import WorkerBundles
from controllers.workers.keys import BUNDLE, PURGE_FINALIZER
from controllers.workers.names import bundle_object_name, label_value
from controllers.workers.registries import Registries
from controllers.workers.settings import WorkersSettings
from framework.apply import OwnedChildren
from framework.client import Client
from framework.controller import ControllerOptions, Mapped, Owned, Primary, Source
from framework.finalizers import Finalizer
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.rights import Right
from framework.store import Change

NAME, FIELD_MANAGER = "workerbundle", "cf-worker-bundle"
_SECRET_INDEX, _LABEL_INDEX, _NAME_INDEX = "workerbundle/secret", "workerbundle/label", "workerbundle/name"
_DIGEST_INDEX = "workerbundle/digest"
_PROBLEMS = frozenset(
    {
        "InvalidScriptName",
        "InvalidEnvPrefix",
        "DuplicateVariable",
        "SecretMissing",
        "NameTaken",
        "Refused",
        "RolloutFailed",
    }
)
_CHILDREN: tuple[type[KubeObject], ...] = (Deployment, Service, Ingress, HorizontalPodAutoscaler)
_BUNDLES = resource_type_of(WorkerBundle)
_RIGHTS = (
    Right("patch", _BUNDLES),
    Right("patch", _BUNDLES, "status"),
    Right("update", _BUNDLES, "finalizers"),
    Right("delete", resource_type_of(JobBuilder)),
    Right("get", resource_type_of(Secret)),
    *(Right(verb, resource_type_of(kind)) for kind in _CHILDREN for verb in ("get", "create", "patch", "delete")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_workerbundle(manager: Manager, settings: WorkersSettings, registries: Registries) -> None:
    bundles, secrets = manager.informer(WorkerBundle), manager.informer(Secret)
    job_builders = manager.informer(JobBuilder)
    # Only ours; what is in the way of ours is found by asking for it.
    ours = InformerOptions(namespaces=manager.options.namespaces, labels=BUNDLE)
    kinds = _CHILDREN if settings.has_autoscaling else _CHILDREN[:-1]
    children: dict[type[KubeObject], SharedInformer[Any]] = {kind: manager.informer(kind, ours) for kind in kinds}
    pods: SharedInformer[PartialObject] = manager.informer(
        resource_type_of(Pod),
        InformerOptions(namespaces=manager.options.namespaces, labels=BUNDLE, metadata_only=True),
    )
    pods.add_index(POD_INDEX, bundle_labels)
    bundles.add_index(_SECRET_INDEX, _secrets_of)
    bundles.add_index(_LABEL_INDEX, lambda each: [f"{each.metadata.namespace}/{label_value(each.metadata.name)}"])
    bundles.add_index(_DIGEST_INDEX, digests_of)
    client = manager.client_for(NAME).acting_as(FIELD_MANAGER)

    def filed_under(index: str, value: str) -> Iterable[Request]:
        return [Request(each.key) for each in bundles.lister.by_index(index, value)]

    def of_secret(secret: Secret) -> Iterable[Request]:
        return filed_under(_SECRET_INDEX, str(secret.key))

    def of_pod(pod: PartialObject) -> Iterable[Request]:
        return [request for label in bundle_labels(pod) for request in filed_under(_LABEL_INDEX, label)]

    def sharing(bundle: WorkerBundle) -> Iterable[Request]:
        """Those that wait for it to let go of an image."""
        requests = (request for digest in digests_of(bundle) for request in filed_under(_DIGEST_INDEX, digest))
        return [request for request in requests if request.key != bundle.key]

    def of_build(job_builder: JobBuilder) -> Iterable[Request]:
        name = bundle_object_name(job_builder.spec.worker_bundle_name)
        return filed_under(_NAME_INDEX, f"{job_builder.metadata.namespace}/{name}")

    bundles.add_index(_NAME_INDEX, lambda each: [str(each.key)])
    sources: list[Source] = [
        Primary(bundles, resync_seconds=settings.resync_seconds),
        *(Owned(informer, WorkerBundle) for informer in children.values()),
        Mapped(bundles, sharing),
        Mapped(secrets, of_secret),
        Mapped(pods, of_pod, predicates=[_is_end]),
        # A build that is superseded lets go of its image.
        Mapped(job_builders, of_build, predicates=[_is_other_phase]),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    reconciler = _reconciler(
        manager, settings, registries, client=client, children=children, pods=LabelledPods(pods.lister)
    )
    manager.add_controller(NAME, reconciler, sources, options)


def _reconciler(
    manager: Manager,
    settings: WorkersSettings,
    registries: Registries,
    *,
    client: Client,
    children: dict[type[KubeObject], SharedInformer[Any]],
    pods: LabelledPods,
) -> WorkerBundles:
    bundles, secrets = manager.informer(WorkerBundle).lister, manager.informer(Secret).lister
    recorder, clock = manager.recorder_for(NAME), manager.clock
    status: StatusWriter[WorkerBundle] = StatusWriter(
        client, recorder, clock, problems=_PROBLEMS, losses=frozenset({"RollingOut"}), action="Deploy"
    )
    finalizer = Finalizer(client, WorkerBundle, PURGE_FINALIZER)
    purger = Purger(
        bundles=bundles,
        job_builders=manager.informer(JobBuilder).lister,
        registries=registries,
        client=client,
        recorder=recorder,
        metrics=PurgeMetrics(manager.registry),
        settings=settings,
    )
    return WorkerBundles(
        bundles=bundles,
        secrets=secrets,
        children=BundleChildren(
            children=OwnedChildren(client, WorkerBundle, children.values(), adopt=True),
            deployments=children[Deployment].lister,
            services=children[Service].lister,
            secrets=secrets,
            client=client,
            recorder=recorder,
            ingress_host=settings.ingress_host,
        ),
        pods=pods,
        images=BundleImages(
            purger=purger,
            finalizer=finalizer,
            status=status,
            client=client,
            recorder=recorder,
            clock=clock,
            default_registry=settings.default_registry,
        ),
        finalizer=finalizer,
        status=status,
        recorder=recorder,
    )


def _secrets_of(bundle: WorkerBundle) -> list[str]:
    names = {each.secret_ref for each in bundle.spec.workers if each.secret_ref}
    return [f"{bundle.metadata.namespace}/{name}" for name in sorted(names)]


def _is_end(change: Change[Any]) -> bool:
    return change.new_entry is None


def _is_other_phase(change: Change[Any]) -> bool:
    old, new = change.old, change.new
    return old is None or new is None or old.status.phase is not new.status.phase
