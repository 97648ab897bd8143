"""Images that nothing runs any more, and those that stay."""

from apis.apps.v1 import Deployment
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workerbundle import BundlePod, WorkerBundle, WorkerBundleSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Service
from apis.networking.v1 import Ingress
from tests.component.workers.test_builds import build_of
from tests.component.workers.world import ACCOUNT, World

REPOSITORY = "registry.test:5000/workers/build-acme"


def serve_two(world: World) -> str:
    """The digest of the first image, which the second one replaced."""
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    first = build_of(world)
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first.metadata.name)
    world.serve()
    return first.status.image_digest


def test_the_image_of_before_is_deleted_when_the_next_one_runs(world: World) -> None:
    digest = serve_two(world)

    world.until(lambda: world.registry.deleted == [(REPOSITORY, digest)])

    world.until(lambda: "lastImage" not in world.one(WorkerBundle, ACCOUNT).metadata.annotations)
    world.until(lambda: len(world.one(WorkerBundle, ACCOUNT).status.image_history) == 1)
    world.until(lambda: len(world.client.list(JobBuilder)) == 1)


def test_an_image_is_kept_until_the_pods_have_the_next_one(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    first = build_of(world).metadata.name
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first)

    world.complete(world.wait_for_job())
    world.until(lambda: "lastImage" in world.one(WorkerBundle, ACCOUNT).metadata.annotations)
    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Available") == ("False", "RollingOut"))

    assert world.registry.deleted == []


def test_a_registry_that_does_not_delete_is_asked_once(world: World) -> None:
    world.registry.can_delete = False

    serve_two(world)

    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Purged") == ("False", "RegistryDeleteDisabled"))
    bundle = world.one(WorkerBundle, ACCOUNT)
    assert len(bundle.status.unpurged) == 1
    assert "lastImage" not in bundle.metadata.annotations


def test_an_image_of_a_foreign_repository_is_never_deleted(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()

    foreign = {"metadata": {"annotations": {"lastImage": "registry.test:5000/others/app:1"}}}
    world.client.merge_patch(WorkerBundle, world.key(ACCOUNT), foreign)

    world.until(lambda: bool(world.events("PurgeRefused")))
    world.until(lambda: "lastImage" not in world.one(WorkerBundle, ACCOUNT).metadata.annotations)
    assert world.registry.deleted == []


def test_a_digest_that_another_bundle_has_stays(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    image = world.one(WorkerBundle, ACCOUNT).spec.pod_template.image
    first = build_of(world).metadata.name
    other = WorkerBundleSpec(deployment_name="other", pod_template=BundlePod(image=image))
    world.client.create(WorkerBundle(metadata=world.named("other"), spec=other))

    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first)
    world.serve()
    world.until(lambda: len(world.one(WorkerBundle, ACCOUNT).status.image_history) == 2)

    assert world.registry.deleted == []


def test_a_digest_that_another_bundle_had_goes_with_that_bundle(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    build = build_of(world)
    other = WorkerBundleSpec(deployment_name="other", pod_template=BundlePod(image=build.status.image))
    world.client.create(WorkerBundle(metadata=world.named("other"), spec=other))
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != build.metadata.name)
    world.serve()
    world.until(lambda: len(world.one(WorkerBundle, ACCOUNT).status.image_history) == 2)

    world.client.delete(WorkerBundle, world.key("other"))

    world.until(lambda: world.registry.deleted == [(REPOSITORY, build.status.image_digest)])
    world.until(lambda: len(world.one(WorkerBundle, ACCOUNT).status.image_history) == 1)


def test_when_the_last_worker_goes_nothing_is_left(world: World) -> None:
    world.account()
    name = world.deploy("hello", "v1")
    world.serve()
    digest = build_of(world).status.image_digest

    world.client.delete(WorkerDeployment, world.key(name))
    for release in world.releases("hello"):
        world.client.delete(WorkerRelease, release.key)

    world.until(lambda: world.registry.deleted == [(REPOSITORY, digest)])
    bundle = world.one(WorkerBundle, ACCOUNT)
    assert (bundle.spec.workers, bundle.spec.pod_template.image) == ([], "")
    for kind, child in ((Deployment, "acme-depl"), (Service, "acme-svc"), (Ingress, "acme-ingress")):
        assert world.get(kind, child) is None


def test_a_bundle_that_goes_takes_its_images_along(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    digest = build_of(world).status.image_digest
    world.manager.stop_controller("workeraccount", 10)

    world.client.delete(WorkerBundle, world.key(ACCOUNT))

    world.until(lambda: world.get(WorkerBundle, ACCOUNT) is None)
    assert world.registry.deleted == [(REPOSITORY, digest)]
