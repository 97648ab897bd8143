"""Names and ids that somebody else has already: told, and left alone."""

import pytest

from tests.integration.laf.server import Manifest
from tests.integration.laf.stage import Stage
from tests.integration.laf.world import World, world_of

pytestmark = pytest.mark.xdist_group("laf-conflicts")


@pytest.fixture(scope="module")
def stage(empty_stage: Stage) -> Stage:
    # A foreign object has no label that could be watched: its end is found by looking again, which is each minute.
    empty_stage.start("-resync=3s")
    return empty_stage


def foreign(kind: str, name: str, namespace: str) -> Manifest:
    pod = {
        "metadata": {"labels": {"app": "foreign"}},
        "spec": {"containers": [{"name": "c", "image": "registry.example/foreign:1"}]},
    }
    content: dict[str, Manifest] = {
        "Deployment": {"spec": {"selector": {"matchLabels": {"app": "foreign"}}, "template": pod}},
        "Service": {"spec": {"ports": [{"port": 80}]}},
        "Secret": {"data": {"key": "dmFsdWU="}},
    }
    version = "apps/v1" if kind == "Deployment" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **content[kind]}


@pytest.mark.parametrize(
    ("kind", "name"), [("Deployment", "shop-deployment"), ("Service", "shop-svc"), ("Secret", "shop-env")]
)
def test_a_foreign_object_on_the_remote_is_left_alone_and_its_end_is_noticed(
    kind: str, name: str, world: World
) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.remote.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.tenant}})
    before = world.remote.create(foreign(kind, name, world.tenant))

    world.add_instance()

    world.expect("Instance", "shop", DeploymentAndServiceCreated="False/NameCollision")
    world.expect_event("Instance", "shop", "NameCollision", "Warning")
    assert world.remote.get(kind, name, world.tenant) == before

    world.remote.delete(kind, name, world.tenant)
    world.play_kubelet()
    world.expect("Instance", "shop", Ready="True/Ready", DeploymentAndServiceCreated="True/Created")


def test_a_foreign_object_survives_the_end_of_the_instance(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.remote.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.tenant}})
    before = world.remote.create(foreign("Service", "shop-svc", world.tenant))
    world.add_instance()
    world.expect("Instance", "shop", DeploymentAndServiceCreated="False/NameCollision")

    world.delete("Instance", "shop")
    world.expect_gone("Instance", "shop")

    assert world.remote_find("Deployment") is None
    assert world.remote.get("Service", "shop-svc", world.tenant) == before


def test_an_instance_that_is_not_the_applications_own_is_left_alone(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_instance()
    before = world.get("Instance", "shop")["spec"]

    world.add_application(appid=world.appid("other"))

    world.expect("Application", "shop", InstanceCreated="False/NameCollision")
    world.expect_event("Application", "shop", "NameCollision", "Warning")
    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")
    assert world.get("Instance", "shop")["spec"] == before
    assert world.status("Instance", "shop")["status"] == "Running"


def test_the_second_application_of_an_appid_waits_until_the_first_is_gone(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_application()
    same = {
        "appid": world.appid("shop"),
        "region": world.region,
        "bundleName": world.name("small"),
        "runtimeName": world.name("node18"),
    }
    with world_of(world.stage) as other:
        other.add_application("shop", **same)
        other.expect("Application", "shop", Ready="False/AppIdConflict")
        other.expect_event("Application", "shop", "AppIdConflict", "Warning")
        assert other.find("Instance", "shop") is None
        assert world.conditions("Application", "shop")["Ready"] == "True/InstanceReady"

        world.delete("Application", "shop")
        world.expect_gone("Application", "shop")

        other.play_kubelet()
        other.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
        other.delete("Application", "shop")
        other.expect_gone("Application", "shop")
