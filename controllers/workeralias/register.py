"""Puts the controller of the aliases of one kind into a manager."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from apis.cfworker import alias
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.events.v1 import Event
from apis.meta import KubeObject, Request, resource_type_of
from controllers.reporting.status_writer import StatusWriter
from controllers.workeralias.reconciler import WorkerAliases
from controllers.workeralias.status import Mirrored
from controllers.workers.settings import WorkersSettings
from framework.apply import OwnedChildren
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.manager import Manager
from framework.rights import Right

T = TypeVar("T", bound=Mirrored)
_PROBLEMS = frozenset({"NameTaken"})
# Each canonical kind and its alias.
ALIASES: Mapping[type[Mirrored], type[Mirrored]] = {
    WorkerAccount: alias.WorkerAccount,
    WorkerBundle: alias.WorkerBundle,
    WorkerDeployment: alias.WorkerDeployment,
    WorkerRelease: alias.WorkerRelease,
}


def register_workeralias(manager: Manager, settings: WorkersSettings, canonical: type[Mirrored]) -> None:
    _register(manager, settings, canonical, ALIASES[canonical])


def alias_controller(canonical: type[KubeObject]) -> str:
    return f"{canonical.__name__.lower()}-alias"


def _register(manager: Manager, settings: WorkersSettings, canonical: type[T], of: type[T]) -> None:
    name = alias_controller(canonical)
    aliases, canonicals = manager.informer(of), manager.informer(canonical)
    client = manager.client_for(name)
    reconciler = WorkerAliases(
        aliases=aliases.lister,
        canonicals=canonicals.lister,
        canonical=resource_type_of(canonical),
        client=client,
        children=OwnedChildren(client, of, [canonicals]),
        status=StatusWriter(client, manager.recorder_for(name), manager.clock, problems=_PROBLEMS, action="Mirror"),
    )

    def of_canonical(found: T) -> Iterable[Request]:
        """Also of one that is another's: when it goes, there is room."""
        return [Request(found.key)]

    sources: list[Source] = [
        Primary(aliases, resync_seconds=settings.resync_seconds),
        Mapped(canonicals, of_canonical),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_rights(canonical, of))
    manager.add_controller(name, reconciler, sources, options)


def _rights(canonical: type[KubeObject], of: type[KubeObject]) -> tuple[Right, ...]:
    return (
        Right("patch", resource_type_of(of), "status"),
        Right("update", resource_type_of(of), "finalizers"),
        *(Right(verb, resource_type_of(canonical)) for verb in ("get", "create", "patch")),
        *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
    )
