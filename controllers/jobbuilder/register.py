"""Puts the controller of JobBuilders into a manager."""

from collections.abc import Iterable

from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.core.v1 import ConfigMap, Pod, Secret
from apis.events.v1 import Event
from apis.meta import Request, resource_type_of
from controllers.jobbuilder.handover import Handover
from controllers.jobbuilder.jobs import Jobs
from controllers.jobbuilder.metrics import BuildMetrics
from controllers.jobbuilder.pod_reports import PodReports
from controllers.jobbuilder.reconciler import JobBuilders
from controllers.jobbuilder.reports import Reports
from controllers.jobbuilder.rows import BuildInputs
from controllers.jobbuilder.wishes import Wishes, bundle_key
from controllers.reporting.status_writer import StatusWriter
from controllers.workers.keys import JOB_BUILDER
from controllers.workers.registries import Registries
from controllers.workers.settings import WorkersSettings
from framework.apply import CONTROLLER_INDEX, controller_uids
from framework.controller import ControllerOptions, Mapped, Owned, Primary, Source
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.rights import Right

NAME = "jobbuilder"
_BUNDLE_INDEX = "jobbuilder/bundle"
_PROBLEMS = frozenset({"BundleManagedByAccount", "NameTaken"})
_JOB_BUILDERS = resource_type_of(JobBuilder)
_RIGHTS = (
    Right("get", _JOB_BUILDERS),
    Right("patch", _JOB_BUILDERS, "status"),
    Right("update", _JOB_BUILDERS, "finalizers"),
    Right("get", resource_type_of(WorkerAccount)),
    Right("patch", resource_type_of(WorkerBundle)),
    Right("list", resource_type_of(Pod)),
    Right("get", resource_type_of(Secret)),
    *(Right(verb, resource_type_of(Job)) for verb in ("get", "create", "delete")),
    *(Right(verb, resource_type_of(ConfigMap)) for verb in ("get", "create", "patch")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_jobbuilder(manager: Manager, settings: WorkersSettings, registries: Registries) -> None:
    job_builders = manager.informer(JobBuilder)
    jobs = manager.informer(Job, InformerOptions(namespaces=manager.options.namespaces, labels=JOB_BUILDER))
    accounts, bundles = manager.informer(WorkerAccount), manager.informer(WorkerBundle)
    secrets = manager.informer(Secret)
    job_builders.add_index(CONTROLLER_INDEX, controller_uids)
    job_builders.add_index(_BUNDLE_INDEX, lambda each: [str(bundle_key(each))])
    client, recorder, clock = manager.client_for(NAME), manager.recorder_for(NAME), manager.clock
    wishes = Wishes(accounts=accounts.lister, bundles=bundles.lister, client=client)
    reconciler = JobBuilders(
        job_builders=job_builders.lister,
        wishes=wishes,
        inputs=BuildInputs(secrets=secrets.lister, settings=settings),
        jobs=Jobs(jobs=jobs.lister, client=client, settings=settings),
        pods=PodReports(client),
        registries=registries,
        handover=Handover(wishes=wishes, client=client),
        reports=Reports(
            status=StatusWriter(client, recorder, clock, problems=_PROBLEMS, action="Build"),
            recorder=recorder,
            metrics=BuildMetrics(manager.registry),
            clock=clock,
        ),
        settings=settings,
        clock=clock,
    )

    def of_bundle(bundle: WorkerBundle) -> Iterable[Request]:
        return [Request(each.key) for each in job_builders.lister.by_index(_BUNDLE_INDEX, str(bundle.key))]

    def of_account(account: WorkerAccount) -> Iterable[Request]:
        owned = job_builders.lister.by_index(CONTROLLER_INDEX, account.metadata.uid)
        return [Request(each.key) for each in owned]

    sources: list[Source] = [
        Primary(job_builders, resync_seconds=settings.resync_seconds),
        Owned(jobs, JobBuilder),
        Mapped(bundles, of_bundle),
        Mapped(accounts, of_account),
        # Read when a build begins; followed only so that they are there by then.
        Mapped(secrets, lambda _: ()),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)
