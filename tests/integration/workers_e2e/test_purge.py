"""Scenario 20 with the binary, the control plane and a registry that are real: which images are never deleted."""

from pathlib import Path

import pytest

from apis.cfworker.workerbundle import BundlePod, WorkerBundle, WorkerBundleSpec
from apis.events.v1 import Event
from apis.meta import Key, ObjectMeta
from tests.cluster import Cluster
from tests.integration.workers_e2e.world import ACCOUNT, World

pytestmark = pytest.mark.timeout(600)


def deploy(world: World, text: str) -> None:
    wrangler = world.wrangler("hello")
    wrangler.answers("hello", text)
    wrangler("deploy")
    world.wait_served("hello", world.deployment("hello").spec.template.version_id)


def has_event(world: World, namespace: str, reason: str) -> bool:
    return any(each.reason == reason for each in world.client.list(Event, namespace))


def test_what_another_bundle_runs_and_what_is_in_a_foreign_repository_stays(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        deploy(world, "one")
        first = world.served
        spec = WorkerBundleSpec(deployment_name="other", pod_template=BundlePod(image=first.image))
        world.client.create(WorkerBundle(metadata=ObjectMeta(name="other", namespace=namespace), spec=spec))

        deploy(world, "two")
        second = world.served
        deploy(world, "three")
        world.wait(lambda: not world.has_image(second), "the second image is still there, and nobody runs it")
        assert world.has_image(first)

        third = world.served
        foreign = f"{world.registry.host}/others/app:1"
        world.client.merge_patch(
            WorkerBundle, Key(namespace, ACCOUNT), {"metadata": {"annotations": {"lastImage": foreign}}}
        )
        world.wait(lambda: has_event(world, namespace, "PurgeRefused"), "nobody said that it is not deleted")
        world.wait(lambda: "lastImage" not in world.bundle.metadata.annotations, "it is still to be purged")
        assert world.has_image(first)
        assert world.has_image(third)


def test_a_registry_that_does_not_delete_is_asked_once(control_plane: Cluster, namespace: str, tmp_path: Path) -> None:
    with World(control_plane, namespace, tmp_path, registry_deletes=False) as world:
        deploy(world, "one")
        first = world.served
        deploy(world, "two")
        world.wait(lambda: why_not_purged(world) == "RegistryDeleteDisabled", "nobody said that it is not deleted")
        assert world.bundle.status.unpurged == [first.image]
        assert world.registry.times_asked("DELETE") == 1

        deploy(world, "three")
        world.wait(lambda: len(world.bundle.status.unpurged) == 1 + 1, "the second image is not told")
        assert world.registry.times_asked("DELETE") == 1 + 1
        assert world.has_image(first)


def why_not_purged(world: World) -> str:
    return next((each.reason for each in world.bundle.status.conditions if each.type == "Purged"), "")
