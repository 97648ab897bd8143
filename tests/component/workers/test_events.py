"""What a user is told on the way of a script."""

from datetime import datetime, timedelta

import pytest

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease, WorkerReleaseSpec
from apis.meta import KubeObject, ObjectMeta, resource_type_of
from controllers.scriptstorage.errors import StorageUnavailable
from controllers.workerrelease.script_objects import ObjectRemoval
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Codec
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store
from framework.testing.virtual_time import VirtualTime
from tests.component.workers.outside import FakeBucket
from tests.component.workers.test_builds import build_of
from tests.component.workers.world import World

ON_THE_WAY = {
    "ReleaseCreated": "WorkerDeployment",
    "BuildStarted": "JobBuilder",
    "BuildSucceeded": "JobBuilder",
    "BundleUpdated": "JobBuilder",
    "Deployed": "WorkerBundle",
    "ImagePurged": "WorkerBundle",
    "ReleasePruned": "WorkerDeployment",
}


def test_each_step_is_told_of_the_object_that_it_happens_to(world: World) -> None:
    world.account()
    world.deploy("hello", "v1", releaseHistoryLimit=0)
    world.serve()
    first = build_of(world).metadata.name
    world.deploy("hello", "v2", releaseHistoryLimit=0)
    world.until(lambda: build_of(world).metadata.name != first)
    world.serve()

    for reason, kind in ON_THE_WAY.items():
        world.until(lambda: {each.regarding.kind for each in world.events(reason)} == {kind})  # noqa: B023 - at once


def test_a_build_that_is_overtaken_or_fails_is_told(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.wait_for_job()
    first = build_of(world).metadata.name
    world.deploy("hello", "v2")
    world.until(lambda: world.one(JobBuilder, first).status.phase is BuildPhase.SUPERSEDED)
    world.until(lambda: bool(world.events("BuildSuperseded")))

    world.refuse(world.wait_for_job(), hello="Uncaught SyntaxError")

    world.until(lambda: any("SyntaxError" in each.note for each in world.events("BuildFailed")))
    world.until(lambda: bool(world.events("ReleaseFailed")))


class Told:
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def record(self, about: KubeObject, event_type: str, reason: str, note: str, *, action: str) -> None:  # noqa: ARG002 - the contract
        self.reasons.append(reason)


def removal(told: Told, time: VirtualTime) -> ObjectRemoval:
    bucket, runtime = FakeBucket(), ThreadRuntime()
    bucket.is_down = True
    releases = Codec(WorkerRelease, resource_type_of(WorkerRelease))
    deployments = Codec(WorkerDeployment, resource_type_of(WorkerDeployment))
    return ObjectRemoval(
        storage=lambda: bucket,
        releases=Lister(Store(releases.decode, runtime)),
        deployments=Lister(Store(deployments.decode, runtime)),
        client=in_process_client(ApiServer()),
        recorder=told,
        clock=time.clock,
    )


def going(since: datetime) -> WorkerRelease:
    metadata = ObjectMeta(
        name="one", namespace="default", uid="1", labels={"accounts": "acme"}, deletion_timestamp=since
    )
    spec = WorkerReleaseSpec(script_name="hello", script_urls=["s3://scripts/acme/hello/v1"])
    return WorkerRelease(metadata=metadata, spec=spec)


def test_code_that_cannot_be_removed_for_ten_minutes_is_left_and_told() -> None:
    told, time = Told(), VirtualTime()
    release, tried = going(since=time.clock.now()), removal(told, time)

    for _ in range(2):
        with pytest.raises(StorageUnavailable):
            tried.remove(release)
        time.advance(9 * 60.0)
    assert told.reasons == []
    assert tried.remove(release)

    assert told.reasons == ["ScriptObjectsLeft"]


def test_who_comes_late_or_has_a_wrong_clock_does_not_leave_code_after_one_failure() -> None:
    told, time = Told(), VirtualTime()

    with pytest.raises(StorageUnavailable):
        removal(told, time).remove(going(since=time.clock.now() - timedelta(hours=1)))

    assert told.reasons == []
