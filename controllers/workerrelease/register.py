"""Puts the controller of WorkerReleases into a manager."""

from collections.abc import Callable, Iterable

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.events.v1 import Event
from apis.meta import Key, Request, resource_type_of
from controllers.reporting.status_writer import StatusWriter
from controllers.workerrelease.builds import RELEASE_INDEX, releases_in
from controllers.workerrelease.reconciler import WorkerReleases
from controllers.workerrelease.script_objects import ObjectRemoval, ScriptObjects
from controllers.workers.belonging import belongs
from controllers.workers.keys import SCRIPT_OBJECTS_FINALIZER
from controllers.workers.settings import WorkersSettings
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.finalizers import Finalizer
from framework.manager import Manager
from framework.rights import Right

NAME = "workerrelease"
_PROBLEMS = frozenset(
    {
        "InvalidAccount",
        "InvalidScriptName",
        "InvalidScriptUrl",
        "InvalidCompatibilityDate",
        "NoMatchingAccount",
        "ReleaseFailed",
    }
)
_RELEASES = resource_type_of(WorkerRelease)
_RIGHTS = (
    Right("get", _RELEASES),
    Right("patch", _RELEASES),
    Right("patch", _RELEASES, "status"),
    Right("get", resource_type_of(WorkerDeployment)),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_workerrelease(manager: Manager, settings: WorkersSettings, storage: Callable[[], ScriptObjects]) -> None:
    """*storage* connects to the bucket of scripts, when the first release goes."""
    releases, accounts = manager.informer(WorkerRelease), manager.informer(WorkerAccount)
    job_builders, deployments = manager.informer(JobBuilder), manager.informer(WorkerDeployment)
    job_builders.add_index(RELEASE_INDEX, releases_in)
    client, recorder = manager.client_for(NAME), manager.recorder_for(NAME)
    reconciler = WorkerReleases(
        releases=releases.lister,
        accounts=accounts.lister,
        job_builders=job_builders.lister,
        removal=ObjectRemoval(
            storage=storage,
            releases=releases.lister,
            deployments=deployments.lister,
            client=client,
            recorder=recorder,
            clock=manager.clock,
        ),
        finalizer=Finalizer(client, WorkerRelease, SCRIPT_OBJECTS_FINALIZER),
        status=StatusWriter(client, recorder, manager.clock, problems=_PROBLEMS, action="Follow"),
        rules=settings.script_rules,
        clock=manager.clock,
    )

    def of_account(account: WorkerAccount) -> Iterable[Request]:
        found = releases.lister.list(account.metadata.namespace)
        # Also those that belonged to it until now.
        name = account.metadata.name
        return [Request(each.key) for each in found if name in each.status.accounts or belongs(each, account)]

    def of_build(job_builder: JobBuilder) -> Iterable[Request]:
        return [Request(Key.parse(each)) for each in releases_in(job_builder)]

    sources: list[Source] = [
        Primary(releases, resync_seconds=settings.resync_seconds),
        Mapped(accounts, of_account),
        Mapped(job_builders, of_build),
        # Read when a release goes; followed only so that they are there by then.
        Mapped(deployments, lambda _: ()),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)
