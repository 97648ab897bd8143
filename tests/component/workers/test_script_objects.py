"""The code of a release, which goes from the bucket with it."""

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from tests.component.workers.world import World

UPLOADED = {"metadata": {"annotations": {"api.cf-worker/storage-owner": "fake-cf-api"}}}


def uploaded(world: World) -> WorkerRelease:
    """A release whose code the API has put into the bucket."""
    world.deploy("hello", "v1")
    world.until(lambda: len(world.releases("hello")) == 1)
    world.client.merge_patch(WorkerRelease, world.releases("hello")[0].key, UPLOADED)
    world.until(lambda: bool(world.releases("hello")[0].metadata.finalizers))
    return world.releases("hello")[0]


def test_the_code_of_a_release_is_removed_before_it_goes(world: World) -> None:
    release = uploaded(world)

    world.client.delete(WorkerDeployment, world.key("acme.hello"))
    world.client.delete(WorkerRelease, release.key)

    world.until(lambda: world.releases("hello") == [])
    assert world.bucket.deleted == ["acme/hello/v1/"]


def test_code_that_another_release_has_stays(world: World) -> None:
    release = uploaded(world)
    world.deploy("hello", "v1", compatibilityDate="2024-01-01")
    world.until(lambda: len(world.releases("hello")) == 2)

    world.client.delete(WorkerRelease, release.key)

    world.until(lambda: len(world.releases("hello")) == 1)
    assert world.bucket.deleted == []


def test_code_outside_of_the_releases_own_folder_is_never_touched(world: World) -> None:
    world.deploy("hello", "v1", scriptUrls=["s3://scripts/other/hello/v1"])
    world.until(lambda: len(world.releases("hello")) == 1)
    (release,) = world.releases("hello")
    world.client.merge_patch(WorkerRelease, release.key, UPLOADED)
    world.client.delete(WorkerDeployment, world.key("acme.hello"))

    world.client.delete(WorkerRelease, release.key)

    world.until(lambda: world.releases("hello") == [])
    assert world.bucket.deleted == []


def test_a_release_stays_while_the_bucket_does_not_answer(world: World) -> None:
    release = uploaded(world)
    world.bucket.is_down = True
    world.client.delete(WorkerDeployment, world.key("acme.hello"))
    world.client.delete(WorkerRelease, release.key)

    world.until(lambda: world.bucket.asked > 1)
    assert [each.metadata.name for each in world.releases("hello")] == [release.metadata.name]
    world.bucket.is_down = False

    world.until(lambda: world.releases("hello") == [])
