"""Bundles that an Application names: missing, taken away, and not offered any more."""

import pytest

from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-running")


def test_an_application_waits_for_its_bundle_keeps_it_and_is_refused_another(world: World) -> None:
    world.add_runtime()
    world.add_ready_cluster()
    world.add_application()
    missing = {"BundleInitialized": "False/NotFound", "RuntimeInitialized": "True/RuntimeInitialized"}
    world.expect("Application", "shop", status={"state": "Initializing"}, Ready="False/Initializing", **missing)
    world.expect_event("Application", "shop", "NotFound", "Warning")

    world.add_bundle()
    world.play_kubelet()
    adopted = {"BundleInitialized": "True/BundleInitialized"}
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady", **adopted)

    world.delete("Bundle", "small")
    world.expect("Bundle", "small", InUse="True/DeletionBlocked")
    world.expect_event("Bundle", "small", "DeletionBlocked", "Warning")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")

    before = world.deployment()
    world.add_bundle("unoffered", priority=0, limitMemory="1Gi")
    world.edit("Application", "shop", bundleName=world.name("unoffered"))
    refused = {"BundleInitialized": "False/Unavailable", "Ready": "True/InstanceReady"}
    kept = {"state": "Running", "bundleName": world.name("small")}
    world.expect("Application", "shop", status=kept, **refused)
    assert world.get("Instance", "shop")["spec"]["bundle"] == world.name("small")
    assert world.deployment() == before


def test_an_application_whose_runtime_was_deprecated_runs_on_and_is_told_once(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_application()

    world.edit("Runtime", "node18", deprecated=True)

    world.expect_event("Application", "shop", "Deprecated", "Warning")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    world.add_application("late")
    world.expect("Application", "late", RuntimeInitialized="False/Deprecated")


def test_an_application_moves_to_another_bundle_and_owns_its_replicas_if_it_says_so(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.add_bundle("large", limitMemory="1Gi", requestMemory="512Mi")
    world.run_application()

    world.edit("Application", "shop", bundleName=world.name("large"), replica=2)

    world.expect("Application", "shop", status={"bundleName": world.name("large")})
    world.expect("Instance", "shop", status={"reserved": {"cpu": "500m", "memory": "1Gi"}})
    eventually(lambda: world.deployment()["spec"]["replicas"] == 2, "two are wanted")
    assert world.main_container()["resources"]["limits"]["memory"] == "1Gi"
    world.hub.edit("Instance", "shop", world.tenant, replica=5)
    eventually(lambda: world.get("Instance", "shop")["spec"]["replica"] == 2, "it is put right")
    eventually(lambda: is_ready_with(world, 2), lambda: str(world.get("Instance", "shop")))


def is_ready_with(world: World, replicas: int) -> bool:
    world.play_kubelet()
    is_ready = world.conditions("Instance", "shop").get("Ready") == "True/Ready"
    return is_ready and world.status("Instance", "shop").get("replicas") == replicas
