"""A controller of WorkerVersions that has not heard yet what became of one."""

import pytest

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerversion import WorkerVersion, WorkerVersionSpec
from apis.meta import ObjectMeta, Request, resource_type_of
from apis.registry import WORKER_KINDS
from controllers.definitions import install_crds
from controllers.reporting.recorder import NoRecorder
from controllers.reporting.status_writer import StatusWriter
from controllers.workers.settings import WorkersSettings
from controllers.workerversion.reconciler import SCRIPT_INDEX, WorkerVersions, script_key
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client, Codec
from framework.clock import SystemClock
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store, decode_envelope

VERSIONS = Codec(WorkerVersion, resource_type_of(WorkerVersion))
DEPLOYMENTS = Codec(WorkerDeployment, resource_type_of(WorkerDeployment))


@pytest.fixture
def client() -> Client:
    client = in_process_client(ApiServer())
    install_crds(client, WORKER_KINDS)
    return client


def create_version(client: Client) -> WorkerVersion:
    spec = WorkerVersionSpec(accounts="acme", scripts="hello", url="hello/1")
    return client.create(WorkerVersion(metadata=ObjectMeta(name="v1", namespace="default"), spec=spec))


def reconcile_seeing(client: Client, version: WorkerVersion) -> None:
    """With a cache in which there is this version, and no WorkerDeployment."""
    versions = Store(VERSIONS.decode, ThreadRuntime())
    versions.add_index(SCRIPT_INDEX, lambda each: [script_key(each)])
    versions.apply([("ADDED", decode_envelope(VERSIONS.encode(version)))])
    reconciler = WorkerVersions(
        versions=Lister(versions),
        deployments=Lister(Store(DEPLOYMENTS.decode, ThreadRuntime())),
        client=client,
        status=StatusWriter(client, NoRecorder(), SystemClock(), problems=frozenset(), action="Apply"),
        rules=WorkersSettings().script_rules,
    )
    reconciler.reconcile(Request(version.key))


def test_what_was_deleted_after_its_version_is_not_made_again(client: Client) -> None:
    version = create_version(client)
    client.delete(WorkerVersion, version.key)

    reconcile_seeing(client, version)

    assert client.list(WorkerDeployment) == []


def test_a_version_that_was_made_again_speaks_for_itself(client: Client) -> None:
    version = create_version(client)
    client.delete(WorkerVersion, version.key)
    create_version(client)

    reconcile_seeing(client, version)

    assert client.list(WorkerDeployment) == []


def test_a_version_that_is_there_makes_its_deployment(client: Client) -> None:
    version = create_version(client)

    reconcile_seeing(client, version)

    assert [each.metadata.name for each in client.list(WorkerDeployment)] == ["acme.hello"]
