"""Scripts of an account from their upload to their end, with each controller in a process of its own."""

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.cfworker.workerversion import VersionPhase, WorkerVersion
from apis.registry import WORKER_KINDS
from apis.schema import crds_of
from controllers.jobbuilder import register_jobbuilder
from controllers.workeraccount import register_workeraccount
from controllers.workerbundle import register_workerbundle
from controllers.workerdeployment import register_workerdeployment
from controllers.workerrelease import register_workerrelease
from controllers.workers.keys import FAKE_CF_API, STORAGE_OWNER
from controllers.workerversion import register_workerversion
from framework.apiserver.in_process import in_process_client
from tests.component.rights.guarded import Guarded, Process
from tests.component.workers.test_builds import build_of
from tests.component.workers.test_versions import phase, version
from tests.component.workers.world import ACCOUNT, SETTINGS, World


class WorkersStory:
    def __init__(self) -> None:
        self.guarded = Guarded(crds_of(WORKER_KINDS))
        # Its own manager never starts: it is the user here, and who runs Jobs and Deployments.
        self._world = World(lambda: in_process_client(self.guarded.server))
        self._processes = _processes(self._world)

    def tell(self) -> None:
        with self.guarded.running(self._processes):
            self._a_version_is_served()
            self._one_is_refused_and_the_one_of_before_wanted_again()
            self._one_overtakes_another_and_its_image_replaces_the_first()
            self._what_was_there_before_is_wanted_again()
            self._everything_goes()
        assert self.guarded.server.refused == []

    def _a_version_is_served(self) -> None:
        world = self._world
        unknown = {"matchExpressions": [{"key": "a", "operator": "Matches", "values": ["b"]}]}
        world.account("invalid", workerReleaseSelector=unknown)
        world.until(lambda: world.condition(WorkerAccount, "invalid", "Composed") == ("False", "InvalidSelector"))
        world.account(buildHistoryLimit=0)
        version(world, "invalid", script="Not A Script")
        version(world, "v1", self._url("v1"))
        world.until(lambda: phase(world, "v1") is VersionPhase.APPLIED)
        # Made by the API, which puts the code into the bucket.
        uploaded = {"metadata": {"annotations": {STORAGE_OWNER: FAKE_CF_API}}, "spec": {"releaseHistoryLimit": 0}}
        world.client.merge_patch(WorkerDeployment, world.key("acme.hello"), uploaded)
        world.serve()

    def _one_is_refused_and_the_one_of_before_wanted_again(self) -> None:
        world = self._world
        first = build_of(world).metadata.name
        self._want("v2", unlike=first)
        world.refuse(world.wait_for_job(), hello="it does not begin")
        world.until(lambda: world.condition(WorkerDeployment, "acme.hello", "Available") == ("False", "ReleaseFailed"))
        world.until(lambda: build_of(world).metadata.name == first)

    def _one_overtakes_another_and_its_image_replaces_the_first(self) -> None:
        world = self._world
        self._want("v3", unlike=build_of(world).metadata.name)
        job = world.wait_for_job()
        self._want("v4", unlike=build_of(world).metadata.name)
        world.until(lambda: world.get(Job, job.metadata.name) is None)
        world.serve()
        world.until(lambda: bool(world.registry.deleted))

    def _what_was_there_before_is_wanted_again(self) -> None:
        world = self._world
        served = build_of(world).metadata.name
        world.client.merge_patch(WorkerDeployment, world.key("acme.hello"), {"spec": {"releaseHistoryLimit": 5}})
        self._want("v5", unlike=served)
        version(world, "v6", self._url("v4"))
        world.until(lambda: build_of(world).metadata.name == served)
        world.until(lambda: bool(world.bucket.deleted))

    def _everything_goes(self) -> None:
        world = self._world
        for each in world.client.list(WorkerVersion, world.namespace):
            world.client.delete(WorkerVersion, each.key)
        world.client.delete(WorkerDeployment, world.key("acme.hello"))
        # Nobody collects garbage here.
        for release in world.releases("hello"):
            world.client.delete(WorkerRelease, release.key)
        world.until(lambda: world.registry.tags == {})
        world.until(lambda: world.get(Deployment, f"{ACCOUNT}-depl") is None)
        world.client.merge_patch(WorkerAccount, world.key(ACCOUNT), {"spec": {"workerBundleName": "another"}})
        world.until(lambda: world.get(WorkerBundle, ACCOUNT) is None)

    def _want(self, name: str, unlike: str) -> None:
        """Until there is another build for it."""
        version(self._world, name, self._url(name))
        self._world.until(lambda: build_of(self._world).metadata.name != unlike)

    def _url(self, name: str) -> str:
        return f"s3://{self._world.bucket.bucket}/{ACCOUNT}/hello/{name}"


def _processes(world: World) -> tuple[Process, ...]:
    registry, bucket = world.registry, world.bucket
    return (
        Process(("workerversion",), lambda manager: register_workerversion(manager, SETTINGS)),
        Process(("workerdeployment",), lambda manager: register_workerdeployment(manager, SETTINGS)),
        Process(("workerrelease",), lambda manager: register_workerrelease(manager, SETTINGS, lambda: bucket)),
        Process(("workeraccount",), lambda manager: register_workeraccount(manager, SETTINGS)),
        Process(("jobbuilder",), lambda manager: register_jobbuilder(manager, SETTINGS, registry)),
        Process(("workerbundle",), lambda manager: register_workerbundle(manager, SETTINGS, registry)),
    )
