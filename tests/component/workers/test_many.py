"""Many scripts of several accounts, each uploaded again and again: the limits hold, and then all is quiet."""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from controllers.workerbundle.rollout import is_rolled_out
from controllers.workers.keys import COMPOSITION, DEPLOYMENT, JOB_BUILDER
from framework.client import Access, Observer
from framework.clock import SystemClock
from framework.conditions import is_true
from framework.testing.control_plane.waiting import wait_until
from tests.component.workers.world import SETTINGS, World, world_of

ACCOUNTS = [f"account-{number}" for number in range(10)]
SCRIPTS = [f"script-{number}" for number in range(int(os.environ.get("WINDLASS_WORKER_DEPLOYMENTS", "50")) // 10)]
UPLOADS = [f"v{number}" for number in range(5)]
RELEASES_KEPT, IMAGES_KEPT = 2, 1
LIMIT_SECONDS, QUIET_SECONDS = 300.0, 2.0


class Writes(Observer):
    def __init__(self) -> None:
        self.made: list[str] = []
        self._clock = SystemClock()
        self._last = 0.0

    def sending(self, access: Access) -> None:
        # A question for rights is sent as a create, and makes nothing.
        if not access.is_read and access.resource_type.gvk.group != "authorization.k8s.io":
            self._last = self._clock.monotonic()
            self.made.append(f"{access.verb} {access.resource_type.plural}/{access.subresource} {access.name}")

    @property
    def have_ended(self) -> bool:
        return self._clock.monotonic() - self._last > QUIET_SECONDS


class Cluster:
    """Plays what runs Jobs and pods, for all accounts at once."""

    def __init__(self, world: World, version: str) -> None:
        self._world = world
        self._version = version

    def goes_on(self) -> bool:
        """Whether *version* serves everywhere."""
        builds = {each.metadata.name: each for each in self._world.client.list(JobBuilder)}
        for job in self._world.client.list(Job):
            build = builds.get(job.metadata.labels[JOB_BUILDER])
            if build and self._is_newest(build) and not job.status.conditions and not job.metadata.is_being_deleted:
                self._world.complete(job)
        for each in self._world.client.list(Deployment):
            if not is_rolled_out(each):
                self._world.roll_out(each.metadata.name)
        accounts = self._world.client.list(WorkerAccount)
        newest = [each for each in accounts if self._is_newest(builds.get(each.status.job_builder))]
        return len(newest) == len(ACCOUNTS) and all(map(self._serves, newest))

    def _is_newest(self, build: JobBuilder | None) -> bool:
        rows = build.spec.workers if build else []
        return len(rows) == len(SCRIPTS) and all(row.sources[0].endswith(f"/{self._version}") for row in rows)

    def _serves(self, account: WorkerAccount) -> bool:
        bundle = self._world.one(WorkerBundle, account.metadata.name)
        is_applied = bundle.metadata.annotations.get(COMPOSITION) == account.status.composition
        return is_applied and is_true(account.status.conditions, "Ready")


@pytest.fixture
def writes() -> Writes:
    return Writes()


@pytest.fixture
def world(writes: Writes) -> Iterator[World]:
    with world_of(SETTINGS, writes) as made:
        yield made


def upload_all(world: World, version: str) -> None:
    for account in ACCOUNTS:
        for script in SCRIPTS:
            world.deploy(script, version, account, releaseHistoryLimit=RELEASES_KEPT)


def releases_left(world: World) -> Counter[str]:
    return Counter(each.metadata.labels[DEPLOYMENT] for each in world.client.list(WorkerRelease))


def images_left(world: World) -> Counter[str]:
    return Counter(tag.rpartition(":")[0].rpartition("/")[2] for tag in world.registry.tags)


@pytest.mark.timeout(900)
def test_old_releases_and_images_go_to_the_limit_and_then_nothing_is_written(world: World, writes: Writes) -> None:
    for account in ACCOUNTS:
        world.account(account, imageHistoryLimit=IMAGES_KEPT)

    for version in UPLOADS:
        upload_all(world, version)
        assert wait_until(Cluster(world, version).goes_on, limit_seconds=LIMIT_SECONDS)
    names = [each.metadata.name for each in world.client.list(WorkerDeployment)]
    assert len(names) == len(ACCOUNTS) * len(SCRIPTS)
    kept_releases = Counter(dict.fromkeys(names, 1 + RELEASES_KEPT))
    kept_images = Counter({f"build-{account}": 1 + IMAGES_KEPT for account in ACCOUNTS})
    assert wait_until(lambda: releases_left(world) == kept_releases, limit_seconds=LIMIT_SECONDS)
    assert wait_until(lambda: images_left(world) == kept_images, limit_seconds=LIMIT_SECONDS)
    assert wait_until(lambda: writes.have_ended, limit_seconds=LIMIT_SECONDS)
    assert (releases_left(world), images_left(world)) == (kept_releases, kept_images)

    # The end of a process tells how often each event came; that is its own affair.
    world.manager.stop()
    writes.made.clear()
    world.restart()
    world.wait_until_looked_at()
    assert wait_until(lambda: writes.have_ended, limit_seconds=LIMIT_SECONDS)
    assert writes.made == []
