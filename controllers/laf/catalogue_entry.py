"""Keeps a Bundle or a Runtime for as long as anybody uses it, and tells how many do."""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from apis.events.v1 import Event
from apis.laf.application import Application
from apis.laf.instance import Instance
from apis.meta import Key, KubeObject, Request, resource_type_of
from controllers.laf.catalogue import Catalogue
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.manager import Manager
from framework.reconcile import Result
from framework.rights import Right

T = TypeVar("T", bound=KubeObject)

_IN_USE = "InUse"
_DELETION_BLOCKED = "DeletionBlocked"


class CatalogueEntries(Generic[T]):
    def __init__(
        self,
        catalogue: Catalogue[T],
        *,
        entries: Lister[T],
        applications: Lister[Application],
        instances: Lister[Instance],
        client: Client,
        status: StatusWriter[T],
        system_namespace: str,
        namespaces: Sequence[str] = ("",),
    ) -> None:
        """Who uses an entry is looked for in *namespaces*; an empty one is all."""
        self._catalogue = catalogue
        self._entries = entries
        self._applications = applications
        self._instances = instances
        self._client = client
        self._status = status
        self._system_namespace = system_namespace
        self._namespaces = namespaces
        self._finalizer = Finalizer(client, catalogue.kind, catalogue.finalizer)

    def reconcile(self, request: Request) -> Result:
        entry = self._entries.get(request.key)
        if entry is None:
            return Result.await_change()
        index, value = self._catalogue.kind.__name__, str(entry.key)
        applications = self._applications.by_index(index, value)
        instances = self._instances.by_index(index, value)
        if not entry.metadata.is_being_deleted:
            self._tell(self._finalizer.ensure(entry), len(applications), is_used=bool(applications or instances))
        elif self._finalizer.is_on(entry):
            self._let_go(entry, [*applications, *instances], len(applications))
        return Result.await_change()

    def _tell(self, entry: T, app_count: int, *, is_used: bool) -> None:
        seen = Observation(_IN_USE, "True", _IN_USE) if is_used else Observation(_IN_USE, "False", "NotInUse")
        self._status.write(entry, seen, appCount=app_count, observedGeneration=entry.metadata.generation)

    def _let_go(self, entry: T, users: list[Application | Instance], app_count: int) -> None:
        # A cache may not have heard of a user yet, and what is let go cannot be had back.
        users = users or [*self._living_users(entry.key)]
        if not users:
            self._finalizer.finish(entry)
            return
        first = users[0]
        note = f"{type(first).__name__} {first.key} and {len(users) - 1} others use it; it goes when none does"
        seen = Observation(_IN_USE, "True", _DELETION_BLOCKED, note)
        self._status.write(entry, seen, appCount=app_count, observedGeneration=entry.metadata.generation)

    def _living_users(self, key: Key) -> Iterable[Application | Instance]:
        for namespace in self._namespaces:
            for application in self._client.list(Application, namespace):
                if key in self._catalogue.named_by_application(application, self._system_namespace):
                    yield application
            for instance in self._client.list(Instance, namespace):
                if key in self._catalogue.named_by_instance(instance, self._system_namespace):
                    yield instance


def register_catalogue(manager: Manager, name: str, catalogue: Catalogue[T], settings: LafSettings) -> None:
    system_namespace = settings.system_namespace
    index = catalogue.kind.__name__
    entries, client = manager.informer(catalogue.kind), manager.client_for(name)
    applications, instances = manager.informer(Application), manager.informer(Instance)

    def of_application(application: Application) -> tuple[Key, ...]:
        return catalogue.named_by_application(application, system_namespace)

    def of_instance(instance: Instance) -> tuple[Key, ...]:
        return catalogue.named_by_instance(instance, system_namespace)

    applications.add_index(index, lambda application: map(str, of_application(application)))
    instances.add_index(index, lambda instance: map(str, of_instance(instance)))
    status: StatusWriter[T] = StatusWriter(
        client, manager.recorder_for(name), manager.clock, problems=frozenset({_DELETION_BLOCKED}), action="Count"
    )
    reconciler = CatalogueEntries(
        catalogue,
        entries=entries.lister,
        applications=applications.lister,
        instances=instances.lister,
        client=client,
        status=status,
        system_namespace=system_namespace,
        namespaces=manager.options.namespaces,
    )
    sources: list[Source] = [
        Primary(entries, resync_seconds=settings.resync_seconds),
        Mapped(applications, lambda application: map(Request, of_application(application))),
        Mapped(instances, lambda instance: map(Request, of_instance(instance))),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_rights_of(catalogue))
    manager.add_controller(name, reconciler, sources, options)


def _rights_of(catalogue: Catalogue[T]) -> tuple[Right, ...]:
    entries = resource_type_of(catalogue.kind)
    events = tuple(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch"))
    return (Right("patch", entries), Right("patch", entries, "status"), *events)
