"""What is around the controllers of workers: a registry and a bucket that fail, and who runs Jobs and Deployments."""

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.meta import Key, Request
from controllers.jobbuilder import register_jobbuilder
from controllers.jobbuilder.jobs import attempts_before
from controllers.ociregistry.errors import RegistryUnavailable
from controllers.scriptstorage.errors import StorageUnavailable
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
from framework.errors import WindlassError
from framework.listers import Lister
from framework.manager import Manager
from framework.reconcile import Result

SETTINGS = WorkersSettings(
    image_repository_prefix="registry.test/workers", s3_bucket="scripts", has_autoscaling=False, resync_seconds=3600.0
)
# Long enough that an upload can overtake a build; and one that takes its time.
BUILD_SECONDS, SLOW_BUILD_SECONDS = 5.0, 45.0
ANSWER_SECONDS = 0.5
# Of five requests of one sort the first is answered with 503, and the second has its effect and no answer.
CYCLE, REFUSED, LOST = 5, 1, 2

Answer = TypeVar("Answer")


def digest_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class RegistryAndBucket:
    """The state outside: images and code."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.folders: set[str] = set()
        self._requests: Counter[str] = Counter()

    def reset(self) -> None:
        self.tags.clear()
        self.folders.clear()
        self._requests.clear()

    def state(self) -> dict[str, Any]:
        return {"tags": dict(sorted(self.tags.items())), "folders": sorted(self.folders)}

    def push(self, image: str) -> None:
        self.tags[image] = digest_of(image)

    def upload(self, folder: str) -> None:
        self.folders.add(folder)

    def digest_of(self, image: str) -> str | None:
        name, _, digest = image.partition("@")
        if not digest:
            return self.tags.get(name)
        return digest if digest in self.tags.values() else None

    def ask(self, sort: str, clock: Clock, do: Callable[[], Answer], error: type[WindlassError]) -> Answer:
        self._requests[sort] += 1
        turn = self._requests[sort] % CYCLE
        clock.wait(ANSWER_SECONDS)
        if turn == REFUSED:
            raise error(f"{sort}: 503 Service Unavailable")
        answer = do()
        if turn == LOST:
            raise error(f"{sort}: no answer")
        return answer


class SimulatedRegistry:
    """As the controllers reach it."""

    def __init__(self, outside: RegistryAndBucket, clock: Clock) -> None:
        self._outside = outside
        self._clock = clock

    def of(self, _credentials: Key) -> "SimulatedRegistry":
        return self

    def digest_of(self, image: str) -> str | None:
        return self._outside.ask("HEAD", self._clock, lambda: self._outside.digest_of(image), RegistryUnavailable)

    def delete(self, _repository: str, digest: str) -> bool:
        return self._outside.ask("DELETE", self._clock, lambda: self._delete(digest), RegistryUnavailable)

    def _delete(self, digest: str) -> bool:
        tags = self._outside.tags
        gone = [tag for tag, found in tags.items() if found == digest]
        for tag in gone:
            del tags[tag]
        return bool(gone)


class SimulatedBucket:
    """As the controllers reach it."""

    bucket = "scripts"

    def __init__(self, outside: RegistryAndBucket, clock: Clock) -> None:
        self._outside = outside
        self._clock = clock

    def delete_prefix(self, prefix: str) -> int:
        return self._outside.ask("DeleteObjects", self._clock, lambda: self._delete_prefix(prefix), StorageUnavailable)

    def _delete_prefix(self, prefix: str) -> int:
        found = {each for each in self._outside.folders if each.startswith(prefix)}
        self._outside.folders -= found
        return len(found)


class JobPlayer:
    """Runs builds: the first Job of each fails, the next is slow, and then its image is in the registry."""

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
        is_first = attempts_before(job) == 0
        now = self._clock.monotonic()
        seconds = BUILD_SECONDS if is_first else SLOW_BUILD_SECONDS
        left = self._since.setdefault(job.metadata.uid, now) + seconds - now
        if left > 0:
            return Result.after(left)
        builder = self._job_builders.get(Key(job.metadata.namespace, job.metadata.labels[JOB_BUILDER]))
        if builder is None:
            return Result.await_change()
        if is_first:
            self._end(job, "FailureTarget", "Failed", reason="BackoffLimitExceeded", message="the bucket says 503")
        else:
            self._outside.push(builder.spec.target_image)
            self._end(job, "SuccessCriteriaMet", "Complete")
        return Result.await_change()

    def _end(self, job: Job, *conditions: str, **why: str) -> None:
        at = self._clock.now().replace(microsecond=0).isoformat()
        shared = {"status": "True", "lastTransitionTime": at, "lastProbeTime": at, **why}
        counts = {"failed": 3} if why else {"succeeded": 1, "completionTime": at}
        status = {"startTime": at, **counts, "conditions": [{"type": name, **shared} for name in conditions]}
        self._client.patch_status(job, status)


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
    registry, bucket = SimulatedRegistry(outside, manager.clock), SimulatedBucket(outside, manager.clock)
    register_workerversion(manager, SETTINGS)
    register_workerdeployment(manager, SETTINGS)
    register_workerrelease(manager, SETTINGS, lambda: bucket)
    register_workeraccount(manager, SETTINGS)
    register_jobbuilder(manager, SETTINGS, registry)
    register_workerbundle(manager, SETTINGS, registry)


def register_players(manager: Manager, outside: RegistryAndBucket) -> None:
    jobs, deployments = manager.informer(Job), manager.informer(Deployment)
    builders = manager.informer(JobBuilder)
    client = manager.client_for("players")
    player = JobPlayer(jobs.lister, builders.lister, client, manager.clock, outside)
    manager.add_controller("jobs", player, [Primary(jobs), Primary(builders, predicates=[lambda _: False])])
    manager.add_controller("deployments", DeploymentPlayer(deployments.lister, client), [Primary(deployments)])
