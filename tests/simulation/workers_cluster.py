"""What is around the controllers of workers: a registry, a bucket, and who runs Jobs and Deployments."""

import hashlib
from typing import Any

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.meta import Key, Request
from controllers.jobbuilder import register_jobbuilder
from controllers.workeraccount import register_workeraccount
from controllers.workerbundle import register_workerbundle
from controllers.workerbundle.rollout import is_rolled_out
from controllers.workerdeployment import register_workerdeployment
from controllers.workerrelease import register_workerrelease
from controllers.workers.keys import JOB_BUILDER
from controllers.workers.settings import WorkersSettings
from controllers.workerversion import register_workerversion
from framework.client import Client
from framework.clock import Clock
from framework.controller import Primary
from framework.listers import Lister
from framework.manager import Manager
from framework.reconcile import Result

SETTINGS = WorkersSettings(
    image_repository_prefix="registry.test/workers", s3_bucket="scripts", has_autoscaling=False, resync_seconds=3600.0
)
# Long enough that an upload can overtake a build.
BUILD_SECONDS = 5.0


def digest_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class RegistryAndBucket:
    """The state outside: images and code."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.folders: set[str] = set()
        self.bucket = "scripts"

    def reset(self) -> None:
        self.tags.clear()
        self.folders.clear()

    def state(self) -> dict[str, Any]:
        return {"tags": dict(sorted(self.tags.items())), "folders": sorted(self.folders)}

    def of(self, _credentials: Key) -> "RegistryAndBucket":
        return self

    def push(self, image: str) -> None:
        self.tags[image] = digest_of(image)

    def digest_of(self, image: str) -> str | None:
        name, _, digest = image.partition("@")
        if not digest:
            return self.tags.get(name)
        return digest if digest in self.tags.values() else None

    def delete(self, _repository: str, digest: str) -> bool:
        gone = [tag for tag, found in self.tags.items() if found == digest]
        for tag in gone:
            del self.tags[tag]
        return bool(gone)

    def upload(self, folder: str) -> None:
        self.folders.add(folder)

    def delete_prefix(self, prefix: str) -> int:
        found = {each for each in self.folders if each.startswith(prefix)}
        self.folders -= found
        return len(found)


class JobPlayer:
    """Runs builds: after a while the image is in the registry, and the Job complete."""

    def __init__(
        self,
        jobs: Lister[Job],
        job_builders: Lister[JobBuilder],
        client: Client,
        clock: Clock,
        outside: RegistryAndBucket,
    ) -> None:
        self._jobs = jobs
        self._job_builders = job_builders
        self._client = client
        self._clock = clock
        self._outside = outside
        # When each was seen first, on a clock that nobody sets.
        self._since: dict[str, float] = {}

    def reconcile(self, request: Request) -> Result:
        job = self._jobs.get(request.key)
        if job is None or job.metadata.is_being_deleted or job.status.conditions:
            return Result.await_change()
        now = self._clock.monotonic()
        left = self._since.setdefault(job.metadata.uid, now) + BUILD_SECONDS - now
        if left > 0:
            return Result.after(left)
        builder = self._job_builders.get(Key(job.metadata.namespace, job.metadata.labels[JOB_BUILDER]))
        if builder is None:
            return Result.await_change()
        self._outside.push(builder.spec.target_image)
        at = self._clock.now().replace(microsecond=0).isoformat()
        shared = {"status": "True", "lastTransitionTime": at, "lastProbeTime": at}
        conditions = [{"type": name, **shared} for name in ("SuccessCriteriaMet", "Complete")]
        status = {"startTime": at, "completionTime": at, "succeeded": 1, "conditions": conditions}
        self._client.patch_status(job, status)
        return Result.await_change()


class DeploymentPlayer:
    """Every pod is ready at once."""

    def __init__(self, deployments: Lister[Deployment], client: Client) -> None:
        self._deployments = deployments
        self._client = client

    def reconcile(self, request: Request) -> Result:
        found = self._deployments.get(request.key)
        if found is None or found.metadata.is_being_deleted or is_rolled_out(found):
            return Result.await_change()
        names = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        counts = dict.fromkeys(names, found.spec.replicas)
        self._client.patch_status(found, {**counts, "observedGeneration": found.metadata.generation})
        return Result.await_change()


def register_controllers(manager: Manager, outside: RegistryAndBucket) -> None:
    register_workerversion(manager, SETTINGS)
    register_workerdeployment(manager, SETTINGS)
    register_workerrelease(manager, SETTINGS, lambda: outside)
    register_workeraccount(manager, SETTINGS)
    register_jobbuilder(manager, SETTINGS, outside)
    register_workerbundle(manager, SETTINGS, outside)


def register_players(manager: Manager, outside: RegistryAndBucket) -> None:
    jobs, deployments = manager.informer(Job), manager.informer(Deployment)
    builders = manager.informer(JobBuilder)
    client = manager.client_for("players")
    player = JobPlayer(jobs.lister, builders.lister, client, manager.clock, outside)
    manager.add_controller("jobs", player, [Primary(jobs), Primary(builders, predicates=[lambda _: False])])
    manager.add_controller("deployments", DeploymentPlayer(deployments.lister, client), [Primary(deployments)])
