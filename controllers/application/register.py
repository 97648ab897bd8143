"""Puts the controller of Applications into a manager."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from apis.core.v1 import Secret
from apis.events.v1 import Event
from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime
from apis.meta import KubeObject, Request, resource_type_of
from controllers.application.appids import APPID_INDEX, AppIds
from controllers.application.deletion import Deletion
from controllers.application.dependencies import Dependencies
from controllers.application.dependency import DEPENDENCIES, Passwords
from controllers.application.instances import Instances
from controllers.application.reconciler import FINALIZER, Applications
from controllers.application.snapshots import Snapshots
from controllers.application.status import ApplicationStatusWriter
from controllers.laf.catalogue import BUNDLES, RUNTIMES, Catalogue
from controllers.laf.optional_kinds import OptionalKinds
from controllers.laf.secret_text import secret_text
from controllers.laf.settings import LafSettings
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.finalizers import Finalizer
from framework.informers import SharedInformer
from framework.manager import Manager
from framework.rights import Right
from framework.store import Change

T = TypeVar("T", bound=KubeObject)

NAME = "application"
_APPLICATIONS, _INSTANCES = resource_type_of(Application), resource_type_of(Instance)
_SECRETS = resource_type_of(Secret)
_RIGHTS = (
    Right("patch", _APPLICATIONS),
    Right("patch", _APPLICATIONS, "status"),
    *(Right(verb, _INSTANCES) for verb in ("get", "create", "patch", "delete")),
    *(
        Right(verb, each.resource_type)
        for each in DEPENDENCIES
        for verb in ("get", "list", "watch", "create", "delete")
    ),
    # Their capacity follows the bundle; the others are never changed.
    *(Right("patch", each.resource_type) for each in DEPENDENCIES if each.capacity_of is not None),
    *(Right(verb, _SECRETS) for verb in ("get", "delete")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_application(
    manager: Manager, settings: LafSettings, optional: OptionalKinds, *, passwords: Passwords = secret_text
) -> None:
    """*passwords* makes one for each Database and each User."""
    applications = manager.informer(Application)
    applications.add_index(APPID_INDEX, lambda application: [application.spec.appid] if application.spec else [])

    def everyone() -> Iterable[Request]:
        return [Request(each.key) for each in applications.lister.list()]

    sources: list[Source] = [
        Primary(applications, resync_seconds=settings.resync_seconds),
        Mapped(applications, _others_with_the_appid(applications), predicates=[_is_deletion]),
        # Also for an Instance that is not ours: when it goes, there is room for ours.
        Mapped(manager.informer(Instance), lambda instance: [Request(instance.key)]),
        _users_of(BUNDLES, manager, settings.system_namespace),
        _users_of(RUNTIMES, manager, settings.system_namespace),
        *(optional.source_of(each.resource_type, _called_like(applications), everyone) for each in DEPENDENCIES),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, _reconciler(manager, settings, optional, passwords), sources, options)


def _reconciler(manager: Manager, settings: LafSettings, optional: OptionalKinds, passwords: Passwords) -> Applications:
    client, applications = manager.client_for(NAME), manager.informer(Application).lister
    status = ApplicationStatusWriter(client, manager.recorder_for(NAME), manager.clock)
    dependencies = Dependencies(optional=optional, client=client, passwords=passwords)
    finalizer = Finalizer(client, Application, FINALIZER)
    instances = Instances(
        instances=manager.informer(Instance).lister, client=client, system_namespace=settings.system_namespace
    )
    return Applications(
        applications=applications,
        appids=AppIds(applications, manager.runtime),
        snapshots=Snapshots(
            bundles=manager.informer(Bundle).lister,
            runtimes=manager.informer(Runtime).lister,
            system_namespace=settings.system_namespace,
        ),
        dependencies=dependencies,
        instances=instances,
        deletion=Deletion(
            instances=instances,
            dependencies=dependencies,
            status=status,
            finalizer=finalizer,
            client=client,
            clock=manager.clock,
        ),
        status=status,
        finalizer=finalizer,
    )


def _users_of(catalogue: Catalogue[T], manager: Manager, system_namespace: str) -> Source:
    """Changes of entries, for the Applications that name them or have adopted them."""
    applications, index = manager.informer(Application), f"{NAME}/{catalogue.kind.__name__}"

    def keys(application: Application) -> Iterable[str]:
        return map(str, catalogue.named_by_application(application, system_namespace))

    def requests(entry: T) -> Iterable[Request]:
        return [Request(each.key) for each in applications.lister.by_index(index, str(entry.key))]

    applications.add_index(index, keys)
    return Mapped(manager.informer(catalogue.kind), requests)


def _others_with_the_appid(applications: SharedInformer[Application]) -> Callable[[Application], Iterable[Request]]:
    def requests(gone: Application) -> Iterable[Request]:
        appid = gone.spec.appid if gone.spec else ""
        return [Request(each.key) for each in applications.lister.by_index(APPID_INDEX, appid)]

    return requests


def _called_like(applications: SharedInformer[Application]) -> Callable[[KubeObject], Iterable[Request]]:
    """Also for an object that is not ours: when it goes, there is room for ours."""

    def requests(obj: KubeObject) -> Iterable[Request]:
        found = applications.lister.by_index(APPID_INDEX, obj.metadata.name)
        return [Request(each.key) for each in found if each.metadata.namespace == obj.metadata.namespace]

    return requests


def _is_deletion(change: Change[Any]) -> bool:
    return change.new_entry is None
