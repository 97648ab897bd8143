"""Versions of a script that are given by hand, one after the other."""

from collections.abc import Callable
from pathlib import Path

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerversion import WorkerVersion, WorkerVersionSpec
from apis.core.v1 import Namespace
from apis.meta import ObjectMeta
from apis.registry import WORKER_KINDS
from apis.schema import crds_of
from controllers.workerversion import register_workerversion
from framework.client import Client
from framework.testing.simulation import Scenario, User
from tests.simulation.workers_cluster import SETTINGS
from tests.simulation.workers_served import ACCOUNT, TENANT, url


def version(name: str) -> WorkerVersion:
    spec = WorkerVersionSpec(accounts=ACCOUNT, scripts="hello", url=url("hello", name))
    return WorkerVersion(metadata=ObjectMeta(name=name, namespace=TENANT), spec=spec)


def counts(client: Client, name: str) -> Callable[[], bool]:
    """Whether that version is the one that the script has."""

    def look() -> bool:
        found = client.list(WorkerDeployment, TENANT)
        return [each.spec.template.script_urls for each in found] == [[url("hello", name)]]

    return look


def versions(_folder: Path) -> Scenario:
    """Named so that the newer one is not the last of a list."""

    def workload(user: User) -> None:
        for name in ("second", "first"):
            user.client.create(version(name))
            user.wait_until(counts(user.client, name))
            user.wait_until_quiet()

    return Scenario(
        {"controller": lambda manager: register_workerversion(manager, SETTINGS)},
        workload,
        definitions=crds_of(WORKER_KINDS),
        prepare=_prepare,
        # Which of them is the newest is a matter of when they were given.
        depends_on_when=True,
    )


def _prepare(client: Client) -> None:
    client.create(Namespace(metadata=ObjectMeta(name=TENANT)))
