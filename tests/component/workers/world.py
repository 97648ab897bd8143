"""All controllers of workers on an API server in this process; the test plays Jobs and pods."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import msgspec

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount, WorkerAccountSpec
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment, WorkerDeploymentSpec
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Pod
from apis.events.v1 import Event
from apis.meta import Key, KubeObject, ObjectMeta, Unstructured, resource_type_of
from apis.registry import CF_WORKER_GROUP_KINDS, WORKER_KINDS
from controllers.definitions import install_crds
from controllers.jobbuilder import register_jobbuilder
from controllers.workeraccount import register_workeraccount
from controllers.workeralias import ALIASES, register_workeralias
from controllers.workerbundle import register_workerbundle
from controllers.workerdeployment import register_workerdeployment
from controllers.workerrelease import register_workerrelease
from controllers.workers.keys import ACCOUNTS, JOB_BUILDER
from controllers.workers.settings import WorkersSettings
from controllers.workerversion import register_workerversion
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client, Observer
from framework.errors import NotFound
from framework.manager import Manager, ManagerOptions
from framework.testing.control_plane.waiting import wait_until
from tests.component.workers.outside import FakeBucket, FakeRegistry

ACCOUNT = "acme"
SETTINGS = WorkersSettings(
    image_repository_prefix="registry.test:5000/workers",
    s3_bucket="scripts",
    build_debounce_seconds=0.05,
    # Not a kind of the API server in this process.
    has_autoscaling=False,
)
LIMIT_SECONDS = 60.0
_RECONCILES = "controller_runtime_reconcile_total"
T = TypeVar("T", bound=KubeObject)


def digest_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def kinds_of(settings: WorkersSettings) -> tuple[type[KubeObject], ...]:
    return (*WORKER_KINDS, *(CF_WORKER_GROUP_KINDS if settings.has_cf_worker_group else ()))


def register_workers(
    manager: Manager, registry: FakeRegistry, bucket: FakeBucket, settings: WorkersSettings = SETTINGS
) -> None:
    register_workerversion(manager, settings)
    register_workerdeployment(manager, settings)
    register_workerrelease(manager, settings, lambda: bucket)
    register_workeraccount(manager, settings)
    register_jobbuilder(manager, settings, registry)
    register_workerbundle(manager, settings, registry)
    for kind in ALIASES if settings.has_cf_worker_group else ():
        register_workeralias(manager, settings, kind)


Register = Callable[[Manager, FakeRegistry, FakeBucket, WorkersSettings], None]


class World:
    def __init__(
        self,
        connect: Callable[[], Client],
        settings: WorkersSettings = SETTINGS,
        namespace: str = "default",
        register: Register = register_workers,
    ) -> None:
        self.client = connect()
        self.namespace = namespace
        # A manager closes its own when it ends.
        self._connect = connect
        self._register = register
        self.settings = settings
        self.registry, self.bucket = FakeRegistry(), FakeBucket()
        self.manager = self._manager()

    def _manager(self) -> Manager:
        options = ManagerOptions(namespaces=(self.namespace,))
        manager = Manager(self._connect(), options=options)
        self._register(manager, self.registry, self.bucket, self.settings)
        return manager

    def key(self, name: str) -> Key:
        return Key(self.namespace, name)

    def named(self, name: str, labels: dict[str, str] | None = None) -> ObjectMeta:
        return ObjectMeta(name=name, namespace=self.namespace, labels=labels or {})

    def start(self) -> None:
        self.manager.start()

    def restart(self) -> None:
        self.manager.stop()
        self.manager = self._manager()
        self.manager.start()

    # What a user does.

    def account(self, name: str = ACCOUNT, **spec: Any) -> None:
        content = {"workerBundleName": name, "workerReleaseSelector": {"matchLabels": {ACCOUNTS: name}}, **spec}
        converted = msgspec.convert(content, WorkerAccountSpec)
        self.client.create(WorkerAccount(metadata=self.named(name), spec=converted))

    def deploy(self, script: str, version: str, account: str = ACCOUNT, **template: Any) -> str:
        """Upload *version* of *script*; the name of its WorkerDeployment."""
        name = f"{account}.{script}"
        content = {"scriptName": script, "scriptUrls": [f"s3://scripts/{account}/{script}/{version}"], **template}
        try:
            self.client.merge_patch(WorkerDeployment, self.key(name), {"spec": {"template": content}})
        except NotFound:
            spec = WorkerDeploymentSpec(template=msgspec.convert(content, ScriptTemplate))
            self.client.create(WorkerDeployment(metadata=self.named(name, {ACCOUNTS: account}), spec=spec))
        return name

    # What a cluster does.

    def complete(self, job: Job) -> None:
        """Its image is pushed, and the Job says so."""
        builder = self.get(JobBuilder, job.metadata.labels[JOB_BUILDER])
        assert builder is not None
        self.registry.push(builder.spec.target_image, digest_of(builder.spec.target_image))
        self._finish(job, "Complete", "SuccessCriteriaMet", "")

    def fail(self, job: Job, reason: str = "BackoffLimitExceeded", *, ago: timedelta = timedelta()) -> None:
        self._finish(job, "Failed", "FailureTarget", reason, ago)

    def refuse(self, job: Job, **scripts: str) -> None:
        """A container ends with 42 and names the scripts at fault."""
        failed = [{"scriptName": name, "message": message} for name, message in scripts.items()]
        text = msgspec.json.encode({"ok": False, "reason": "ScriptInvalid", "failedScripts": failed}).decode()
        self._end_pod(job, 42, text)
        self._finish(job, "Failed", "FailureTarget", "PodFailurePolicy")

    def complete_saying(self, job: Job, message: str) -> None:
        """The pod leaves *message* behind, and the registry is not heard of."""
        self._end_pod(job, 0, message)
        self._finish(job, "Complete", "SuccessCriteriaMet", "")

    def _end_pod(self, job: Job, exit_code: int, message: str) -> None:
        name = f"{job.metadata.name}-pod"
        metadata = {"name": name, "namespace": self.namespace, "labels": job.metadata.labels}
        pod = {"spec": {"containers": [{"name": "build", "image": "builder"}]}, "metadata": metadata}
        pods = resource_type_of(Pod)
        self.client.create(Unstructured(content={"apiVersion": "v1", "kind": "Pod", **pod}), kind=pods)
        terminated = {"exitCode": exit_code, "reason": "Error" if exit_code else "Completed", "message": message}
        container = {
            "name": "build",
            "image": "builder",
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"terminated": terminated},
        }
        status = {"phase": "Failed" if exit_code else "Succeeded", "containerStatuses": [container]}
        self.client.merge_patch(Pod, self.key(name), {"status": status}, subresource="status")

    def _finish(self, job: Job, final: str, before: str, reason: str, ago: timedelta = timedelta()) -> None:
        now = (self.manager.clock.now() - ago).replace(microsecond=0).isoformat()
        shared = {"status": "True", "reason": reason, "lastTransitionTime": now, "lastProbeTime": now}
        status: dict[str, Any] = {
            "startTime": now,
            "conditions": [{"type": before, **shared}, {"type": final, **shared}],
            **({"completionTime": now, "succeeded": 1} if final == "Complete" else {"failed": 1}),
        }
        self.client.merge_patch(Job, job.key, {"status": status}, subresource="status")

    def roll_out(self, name: str = f"{ACCOUNT}-depl") -> None:
        found = self.client.get(Deployment, self.key(name))
        count = found.spec.replicas
        status = {
            "observedGeneration": found.metadata.generation,
            "replicas": count,
            "updatedReplicas": count,
            "readyReplicas": count,
            "availableReplicas": count,
        }
        self.client.merge_patch(Deployment, found.key, {"status": status}, subresource="status")

    def serve(self, account: str = ACCOUNT) -> None:
        """Build and roll out until the account is ready with what it composed."""
        self.complete(self.wait_for_job())
        self.until(lambda: self._has_image(account))
        self.roll_out(f"{account}-depl")
        self.until(lambda: self.condition(WorkerAccount, account, "Ready") == ("True", "Serving"))

    def _has_image(self, account: str) -> bool:
        """The Deployment has what the account wants now."""
        found, bundle = self.get(WorkerAccount, account), self.get(WorkerBundle, account)
        if found is None or bundle is None or self.get(Deployment, f"{account}-depl") is None:
            return False
        image = self.content(Deployment, f"{account}-depl")["spec"]["template"]["spec"]["containers"][0]["image"]
        return bool(image == bundle.spec.pod_template.image and found.status.composition in image)

    # What is seen.

    def get(self, kind: type[T], name: str) -> T | None:
        try:
            return self.client.get(kind, self.key(name))
        except NotFound:
            return None

    def one(self, kind: type[T], name: str) -> T:
        found = self.get(kind, name)
        assert found is not None, f"there is no {kind.__name__} {name}"
        return found

    def content(self, kind: type[KubeObject], name: str) -> dict[str, Any]:
        """All of it, as the server has it."""
        found: Unstructured = self.client.get(resource_type_of(kind), self.key(name))
        return found.content

    def wait_until_looked_at(self, *kinds: type[KubeObject], suffix: str = "") -> None:
        """Until every controller, or those that are called after *kinds*, has seen all that there is."""
        registry, read = self.manager.registry, {"result": "success"}
        for kind in kinds or WORKER_KINDS:
            labels = {"controller": f"{kind.__name__.lower()}{suffix}", **read}
            count = len(self.client.list(kind, self.namespace))
            self.until(lambda: (registry.get_sample_value(_RECONCILES, labels) or 0) >= count)  # noqa: B023 - at once

    def wait_for_job(self) -> Job:
        """The one that runs for what an account wants now, or for a build that stands alone."""
        found: list[Job] = []

        def look() -> bool:
            found[:] = [each for each in self.client.list(Job, self.namespace) if self._is_wanted(each)]
            return bool(found)

        self.until(look)
        return found[0]

    def _is_wanted(self, job: Job) -> bool:
        # Uploads that are far enough apart make a build that the next one overtakes: its Job is there for a moment.
        builds = {each.status.job_builder for each in self.client.list(WorkerAccount, self.namespace)}
        is_running = not job.status.conditions and not job.metadata.is_being_deleted
        return is_running and (not builds or job.metadata.labels[JOB_BUILDER] in builds)

    def until(self, holds: Callable[[], bool]) -> None:
        assert wait_until(holds, limit_seconds=LIMIT_SECONDS), "it never came to that"

    def condition(self, kind: type[KubeObject], name: str, condition: str) -> tuple[str, str] | None:
        found: Any = self.get(kind, name)
        conditions = found.status.conditions if found else ()
        return next(((each.status, each.reason) for each in conditions if each.type == condition), None)

    def releases(self, script: str) -> list[WorkerRelease]:
        found = [each for each in self.client.list(WorkerRelease, self.namespace) if each.spec.script_name == script]
        return sorted(found, key=lambda each: int(each.metadata.annotations["api.cf-worker/revision"]))

    def events(self, reason: str) -> Sequence[Event]:
        return [each for each in self.client.list(Event, self.namespace) if each.reason == reason]

    def versions(self) -> dict[str, str]:
        """Of every object of ours and all that was made for it."""
        kinds: tuple[type[KubeObject], ...] = (*kinds_of(self.settings), Job, Deployment)
        return {
            f"{resource_type_of(kind).name} {each.key}": each.metadata.resource_version
            for kind in kinds
            for each in self.client.list(kind, self.namespace)
        }


@contextmanager
def world_of(
    settings: WorkersSettings = SETTINGS, *observers: Observer, register: Register = register_workers
) -> Iterator[World]:
    """*observers* see what the manager asks for."""
    server = ApiServer()
    world = World(lambda: in_process_client(server).observed_by(*observers), settings, register=register)
    world.client = in_process_client(server)
    install_crds(world.client, kinds_of(settings))
    world.start()
    try:
        yield world
    finally:
        world.manager.stop()
