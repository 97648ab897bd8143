"""Puts the controller of WorkerDeployments into a manager."""

from collections.abc import Iterable

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.events.v1 import Event
from apis.meta import Key, Request, resource_type_of
from controllers.reporting.status_writer import StatusWriter
from controllers.workerdeployment.reconciler import WorkerDeployments
from controllers.workerdeployment.releases import Releases, release_labels
from controllers.workerdeployment.standing import Standings
from controllers.workers.belonging import selects
from controllers.workers.settings import WorkersSettings
from framework.apply import CONTROLLER_INDEX, controller_uids
from framework.controller import ControllerOptions, Mapped, Owned, Primary, Source
from framework.manager import Manager
from framework.rights import Right

NAME = "workerdeployment"
_PROBLEMS = frozenset(
    {
        "InvalidScriptName",
        "InvalidScriptUrl",
        "InvalidCompatibilityDate",
        "ReleaseNotFound",
        "ReleaseFailed",
        "NoMatchingAccount",
    }
)
_DEPLOYMENTS = resource_type_of(WorkerDeployment)
_RIGHTS = (
    Right("get", _DEPLOYMENTS),
    Right("patch", _DEPLOYMENTS, "status"),
    Right("update", _DEPLOYMENTS, "finalizers"),
    *(Right(verb, resource_type_of(WorkerRelease)) for verb in ("get", "create", "patch", "delete")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_workerdeployment(manager: Manager, settings: WorkersSettings) -> None:
    deployments, releases = manager.informer(WorkerDeployment), manager.informer(WorkerRelease)
    accounts, bundles = manager.informer(WorkerAccount), manager.informer(WorkerBundle)
    releases.add_index(CONTROLLER_INDEX, controller_uids)
    client, recorder = manager.client_for(NAME), manager.recorder_for(NAME)
    reconciler = WorkerDeployments(
        deployments=deployments.lister,
        releases=Releases(releases=releases.lister, client=client, recorder=recorder),
        standings=Standings(accounts=accounts.lister, bundles=bundles.lister),
        status=StatusWriter(client, recorder, manager.clock, problems=_PROBLEMS, action="Release"),
        rules=settings.script_rules,
        clock=manager.clock,
    )

    def of_account(account: WorkerAccount) -> Iterable[Request]:
        found = deployments.lister.list(account.metadata.namespace)
        return [Request(each.key) for each in found if selects(account, release_labels(each))]

    def of_bundle(bundle: WorkerBundle) -> Iterable[Request]:
        owner = bundle.metadata.controller_owner
        account = accounts.lister.get(Key(bundle.metadata.namespace, owner.name)) if owner else None
        return of_account(account) if account else []

    sources: list[Source] = [
        Primary(deployments, resync_seconds=settings.resync_seconds),
        Owned(releases, WorkerDeployment),
        Mapped(accounts, of_account),
        Mapped(bundles, of_bundle),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)
