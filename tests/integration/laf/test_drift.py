"""What somebody changes or deletes on the remote is put right; what is not ours is left alone."""

import pytest

from tests.integration.laf.server import Manifest
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-drift")

ADDED = {"name": "debug", "image": "registry.example/debug:1"}


def test_an_edited_deployment_is_put_right_once_and_keeps_foreign_labels(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()
    before = world.remote_get("Deployment")
    containers = "/spec/template/spec/containers"

    world.remote.json_patch(
        "Deployment",
        "shop-deployment",
        world.tenant,
        {"op": "replace", "path": f"{containers}/0/image", "value": "registry.example/other:1"},
        {"op": "add", "path": f"{containers}/0/env/-", "value": {"name": "ADDED", "value": "1"}},
        {"op": "add", "path": f"{containers}/-", "value": ADDED},
        {"op": "add", "path": "/metadata/labels/foreign", "value": "stays"},
        {"op": "add", "path": "/metadata/annotations/foreign", "value": "stays"},
    )

    eventually(lambda: world.remote_get("Deployment")["spec"] == before["spec"], "the spec is as it was")
    world.expect_event("Instance", "shop", "DriftCorrected")
    gate.await_probes()
    after = world.remote_get("Deployment")
    assert after["metadata"]["labels"] == {**before["metadata"]["labels"], "foreign": "stays"}
    assert after["metadata"]["annotations"] == {**before["metadata"]["annotations"], "foreign": "stays"}
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    # Theirs and ours; and then none.
    assert after["metadata"]["generation"] == before["metadata"]["generation"] + 2
    assert len([each for each in gate.writes if each.path.endswith("/shop-deployment")]) == 1


def test_lost_labels_are_put_back_and_the_object_is_still_known(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    before = world.remote_get("Deployment")["metadata"]

    world.remote.patch("Deployment", "shop-deployment", world.tenant, metadata={"labels": None, "annotations": None})

    eventually(lambda: world.remote_get("Deployment")["metadata"].get("labels") == before["labels"], "labels are back")
    after = world.remote_get("Deployment")["metadata"]
    assert (after["uid"], after["annotations"]) == (before["uid"], before["annotations"])


@pytest.mark.parametrize("kind", ["Service", "Secret"])
def test_an_edited_service_or_secret_is_put_right(kind: str, world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    before = world.remote_get(kind)
    what, name = ("spec", "shop-svc") if kind == "Service" else ("data", "shop-env")
    wrong: Manifest = {
        "spec": {"selector": {"appid": "another"}},
        "data": {"SERVER_SECRET_SALT": "YQ==", "MORE": "YQ=="},
    }

    world.remote.patch(kind, name, world.tenant, "", **{what: wrong[what]})

    eventually(lambda: world.remote_get(kind)[what] == before[what], "it is as it was")


def test_deleted_objects_are_made_again_with_the_same_salt(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    salt = world.remote_get("Secret")["data"]
    for kind, name in (("Deployment", "shop-deployment"), ("Service", "shop-svc"), ("Secret", "shop-env")):
        before = world.remote_get(kind)["metadata"]["uid"]

        world.remote.delete(kind, name, world.tenant)

        eventually(lambda: is_new(world, kind, before), f"another {kind}")  # noqa: B023 - called at once
    assert world.remote_get("Secret")["data"] == salt
    world.play_kubelet()
    world.expect("Instance", "shop", status={"status": "Running"}, Ready="True/Ready")


def test_a_lost_salt_is_restored_from_the_remote(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    salt = world.remote_get("Secret")["data"]

    world.hub.delete("Secret", "shop-salt", world.tenant)

    eventually(lambda: world.hub.find("Secret", "shop-salt", world.tenant) is not None, "the salt is back")
    assert world.hub.get("Secret", "shop-salt", world.tenant)["data"] == salt == world.remote_get("Secret")["data"]


def is_new(world: World, kind: str, uid: str) -> bool:
    found = world.remote_find(kind)
    return found is not None and found["metadata"]["uid"] != uid
