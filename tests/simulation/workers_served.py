"""Scripts of an account from their upload to their end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.selector import LabelSelector
from apis.cfworker.workeraccount import WorkerAccount, WorkerAccountSpec
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment, WorkerDeploymentSpec
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Namespace
from apis.meta import Key, ObjectMeta, Unstructured, resource_type_of
from apis.registry import WORKER_KINDS
from apis.schema import crds_of
from controllers.workers.keys import ACCOUNTS, FAKE_CF_API, JOB_BUILDER, STORAGE_OWNER
from framework.client import Client
from framework.errors import NotFound
from framework.manager import Manager
from framework.testing.simulation import Limits, Scenario, User
from tests.simulation.workers_cluster import RegistryAndBucket, register_controllers, register_players

TENANT, ACCOUNT = "tenant", "acme"
# With their pods, which the type leaves out.
_DEPLOYMENTS = resource_type_of(Deployment)


def key(name: str) -> Key:
    return Key(TENANT, name)


def url(script: str, version: str) -> str:
    return f"s3://scripts/{ACCOUNT}/{script}/{version}"


def upload(client: Client, outside: RegistryAndBucket, script: str, version: str) -> None:
    """As the API does it: first the code, then the object that names it."""
    outside.upload(f"{ACCOUNT}/{script}/{version}/_worker.json")
    name = f"{ACCOUNT}.{script}"
    try:
        client.merge_patch(WorkerDeployment, key(name), {"spec": {"template": {"scriptUrls": [url(script, version)]}}})
    except NotFound:
        metadata = ObjectMeta(
            name=name, namespace=TENANT, labels={ACCOUNTS: ACCOUNT}, annotations={STORAGE_OWNER: FAKE_CF_API}
        )
        template = ScriptTemplate(script_name=script, script_urls=[url(script, version)])
        spec = WorkerDeploymentSpec(template=template, release_history_limit=2)
        client.create(WorkerDeployment(metadata=metadata, spec=spec))


def release_of(client: Client, script: str, version: str) -> str:
    found = client.list(WorkerRelease, TENANT)
    return next((each.metadata.name for each in found if each.spec.script_urls == [url(script, version)]), "")


def runs(client: Client, outside: RegistryAndBucket, image: str) -> bool:
    """Whether that is the image of the pods, and one that can be pulled."""
    found: list[Unstructured] = client.list(_DEPLOYMENTS, TENANT)
    pods = [each.content["spec"]["template"]["spec"] for each in found]
    images = [container["image"] for pod in pods for container in pod["containers"]]
    return images == [image] and outside.digest_of(image) is not None


def is_being_built(client: Client, script: str, version: str) -> bool:
    found = client.list(JobBuilder, TENANT)
    builders = {each.metadata.name for each in found if each.spec.script_urls == [url(script, version)]}
    return any(each.metadata.labels.get(JOB_BUILDER) in builders for each in client.list(Job, TENANT))


def are_left(client: Client) -> bool:
    return bool(client.list(WorkerRelease, TENANT) or client.list(WorkerBundle, TENANT))


def serves(client: Client, outside: RegistryAndBucket, **versions: str) -> Callable[[], bool]:
    """Whether the account is ready, and these versions are what answers."""

    def look() -> bool:
        account = client.get(WorkerAccount, key(ACCOUNT))
        wanted = {script: release_of(client, script, version) for script, version in versions.items()}
        rows = {each.script_name: each.serving_release for each in account.status.workers}
        ready = {each.type: each.status for each in account.status.conditions}
        is_ready = rows == wanted and ready.get("Ready") == "True"
        return is_ready and runs(client, outside, account.status.image)

    return look


def workers(_folder: Path) -> Scenario:
    """A newer version while the older is built, and a rollback to what was pruned from the registry."""
    outside = RegistryAndBucket()

    def workload(user: User) -> None:
        client = user.client
        upload(client, outside, "hello", "v1")
        user.wait_until(serves(client, outside, hello="v1"))
        upload(client, outside, "hello", "v2")
        # Not before its build has begun: else it is chance whether there ever is one.
        user.wait_until(lambda: is_being_built(client, "hello", "v2"))
        pin: dict[str, Any] = {"spec": {"activeRelease": release_of(client, "hello", "v1")}}
        upload(client, outside, "hello", "v3")
        user.wait_until(serves(client, outside, hello="v3"))
        client.merge_patch(WorkerDeployment, key("acme.hello"), pin)
        user.wait_until(serves(client, outside, hello="v1"))
        user.wait_until_quiet()
        assert len(outside.tags) == 1, f"images {sorted(outside.tags)} are in the registry, and one is served"

    return _scenario(outside, workload)


def departures(_folder: Path) -> Scenario:
    """An account that goes while it is served: nothing of it is left anywhere."""
    outside = RegistryAndBucket()

    def workload(user: User) -> None:
        client = user.client
        upload(client, outside, "hello", "v1")
        user.wait_until(serves(client, outside, hello="v1"))
        client.delete(WorkerAccount, key(ACCOUNT), propagation="Background")
        client.delete(WorkerDeployment, key("acme.hello"), propagation="Background")
        user.wait_until_quiet()
        # Whoever has failed for long waits long before the last try.
        user.wait_until(lambda: outside.state() == {"tags": {}, "folders": []} and not are_left(client))

    return _scenario(outside, workload)


def _scenario(outside: RegistryAndBucket, workload: Callable[[User], None]) -> Scenario:
    def controllers(manager: Manager) -> None:
        register_controllers(manager, outside)
        register_players(manager, outside)

    return Scenario(
        {"controller": controllers},
        workload,
        definitions=crds_of(WORKER_KINDS),
        prepare=_prepare,
        outside=outside,
        depends_on_when=True,
        # Longer than a key is held back after a create whose answer was lost, while its cache hears nothing.
        quiet_seconds=200.0,
        # How many compositions there were on the way depends on who was seen first, and with it the last image in
        # which a release that answers no more was seen.
        masked=("*.sequence", "*sequence", "workerreleases*.status.image"),
        # Eight controllers and a dozen caches: when the server cannot be reached, each of them tries again by itself.
        limits=Limits(requests_per_minute=900),
    )


def _prepare(client: Client) -> None:
    client.create(Namespace(metadata=ObjectMeta(name=TENANT)))
    spec = WorkerAccountSpec(
        worker_bundle_name=ACCOUNT, worker_release_selector=LabelSelector(match_labels={ACCOUNTS: ACCOUNT})
    )
    client.create(WorkerAccount(metadata=ObjectMeta(name=ACCOUNT, namespace=TENANT), spec=spec))
