"""Puts the controller of WorkerAccounts into a manager."""

from collections.abc import Iterable

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Secret
from apis.events.v1 import Event
from apis.meta import KubeObject, Request, resource_type_of
from controllers.reporting.status_writer import StatusWriter
from controllers.workeraccount.builds import Builds
from controllers.workeraccount.bundles import Bundles
from controllers.workeraccount.candidates import Candidates
from controllers.workeraccount.composition import Composer
from controllers.workeraccount.debounce import Debounce
from controllers.workeraccount.metrics import ActiveWorkers
from controllers.workeraccount.reconciler import WorkerAccounts
from controllers.workers.belonging import accounts_of
from controllers.workers.names import bundle_object_name
from controllers.workers.settings import WorkersSettings
from framework.apply import CONTROLLER_INDEX, OwnedChildren, controller_uids
from framework.controller import ControllerOptions, Mapped, Owned, Primary, Source
from framework.manager import Manager
from framework.rights import Right

NAME = "workeraccount"
_BUNDLE_INDEX, _SECRET_INDEX = "workeraccount/bundle", "workeraccount/secret"
_PROBLEMS = frozenset({"InvalidSelector", "NoTargetRepository", "BundleConflict", "SecretMissing", "BuildFailed"})
_ACCOUNTS, _BUNDLES = resource_type_of(WorkerAccount), resource_type_of(WorkerBundle)
_RIGHTS = (
    Right("get", _ACCOUNTS),
    Right("patch", _ACCOUNTS, "status"),
    Right("update", _ACCOUNTS, "finalizers"),
    *(Right(verb, _BUNDLES) for verb in ("get", "create", "patch", "delete")),
    *(Right(verb, resource_type_of(JobBuilder)) for verb in ("create", "patch", "delete")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_workeraccount(manager: Manager, settings: WorkersSettings) -> None:
    accounts, bundles = manager.informer(WorkerAccount), manager.informer(WorkerBundle)
    releases, deployments = manager.informer(WorkerRelease), manager.informer(WorkerDeployment)
    job_builders, secrets = manager.informer(JobBuilder), manager.informer(Secret)
    job_builders.add_index(CONTROLLER_INDEX, controller_uids)
    accounts.add_index(_BUNDLE_INDEX, _bundle_of)
    releases.add_index(_SECRET_INDEX, _secret_of)
    client, recorder = manager.client_for(NAME), manager.recorder_for(NAME)
    candidates = Candidates(releases=releases.lister, deployments=deployments.lister, rules=settings.script_rules)
    reconciler = WorkerAccounts(
        accounts=accounts.lister,
        bundles=Bundles(
            bundles=bundles.lister,
            children=OwnedChildren(client, WorkerAccount, [bundles], adopt=True),
            client=client,
        ),
        builds=Builds(job_builders=job_builders.lister, client=client, settings=settings),
        composer=Composer(candidates=candidates, secrets=secrets.lister, settings=settings),
        debounce=Debounce(settings.build_debounce_seconds, manager.clock, manager.runtime),
        status=StatusWriter(client, recorder, manager.clock, problems=_PROBLEMS, action="Compose"),
        clock=manager.clock,
    )

    def of_release(release: WorkerRelease) -> Iterable[Request]:
        return [Request(each.key) for each in accounts_of(release, accounts.lister.list(release.metadata.namespace))]

    def of_deployment(deployment: WorkerDeployment) -> Iterable[Request]:
        owned = releases.lister.by_index(CONTROLLER_INDEX, deployment.metadata.uid)
        return {request for release in owned for request in of_release(release)}

    def of_secret(secret: Secret) -> Iterable[Request]:
        users = releases.lister.by_index(_SECRET_INDEX, str(secret.key))
        return {request for release in users for request in of_release(release)}

    def of_bundle(bundle: KubeObject) -> Iterable[Request]:
        """Also of one that is another's: when it goes, there is room."""
        return [Request(each.key) for each in accounts.lister.by_index(_BUNDLE_INDEX, str(bundle.key))]

    releases.add_index(CONTROLLER_INDEX, controller_uids)
    sources: list[Source] = [
        Primary(accounts, resync_seconds=settings.resync_seconds),
        Mapped(releases, of_release),
        Mapped(deployments, of_deployment),
        Mapped(bundles, of_bundle),
        Mapped(secrets, of_secret),
        Owned(job_builders, WorkerAccount),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)
    manager.registry.register(ActiveWorkers(accounts.lister))


def _bundle_of(account: WorkerAccount) -> list[str]:
    return [f"{account.metadata.namespace}/{bundle_object_name(account.spec.worker_bundle_name)}"]


def _secret_of(release: WorkerRelease) -> list[str]:
    return [f"{release.metadata.namespace}/{release.spec.secret_ref}"] if release.spec.secret_ref else []
