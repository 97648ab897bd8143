"""Puts the controller of WorkerVersions into a manager."""

from collections.abc import Iterable

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerversion import WorkerVersion
from apis.events.v1 import Event
from apis.meta import Request, resource_type_of
from controllers.reporting.status_writer import StatusWriter
from controllers.workers.names import script_object_name
from controllers.workers.settings import WorkersSettings
from controllers.workerversion.reconciler import SCRIPT_INDEX, WorkerVersions, script_key
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.manager import Manager
from framework.rights import Right

NAME = "workerversion"
_DEPLOYMENT_INDEX = "workerversion/deployment"
_PROBLEMS = frozenset({"InvalidAccount", "InvalidScriptName", "InvalidScriptUrl", "NameTaken"})
_RIGHTS = (
    Right("get", resource_type_of(WorkerVersion)),
    Right("patch", resource_type_of(WorkerVersion), "status"),
    *(Right(verb, resource_type_of(WorkerDeployment)) for verb in ("create", "patch")),
    *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
)


def register_workerversion(manager: Manager, settings: WorkersSettings) -> None:
    versions, deployments = manager.informer(WorkerVersion), manager.informer(WorkerDeployment)
    versions.add_index(SCRIPT_INDEX, lambda each: [script_key(each)])
    versions.add_index(_DEPLOYMENT_INDEX, lambda each: [_deployment_of(each)])
    client = manager.client_for(NAME)
    reconciler = WorkerVersions(
        versions=versions.lister,
        deployments=deployments.lister,
        client=client,
        status=StatusWriter(client, manager.recorder_for(NAME), manager.clock, problems=_PROBLEMS, action="Apply"),
        rules=settings.script_rules,
    )

    def rivals(version: WorkerVersion) -> Iterable[Request]:
        return [Request(each.key) for each in versions.lister.by_index(SCRIPT_INDEX, script_key(version))]

    def of_deployment(deployment: WorkerDeployment) -> Iterable[Request]:
        return [Request(each.key) for each in versions.lister.by_index(_DEPLOYMENT_INDEX, str(deployment.key))]

    sources: list[Source] = [
        Primary(versions, resync_seconds=settings.resync_seconds),
        Mapped(versions, rivals),
        Mapped(deployments, of_deployment),
    ]
    options = ControllerOptions(max_concurrent_reconciles=settings.workers, rights=_RIGHTS)
    manager.add_controller(NAME, reconciler, sources, options)


def _deployment_of(version: WorkerVersion) -> str:
    return f"{version.metadata.namespace}/{script_object_name(version.spec.accounts, version.spec.scripts)}"
