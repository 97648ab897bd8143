"""Databases and object storage: waited for, followed, and handed over in a Secret only."""

import base64
import json
from collections.abc import Iterator

import pytest

from tests.integration.laf.dependencies import dependency, installed, make_ready
from tests.integration.laf.stage import Stage
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-dependencies")

KEYS = {
    "accessKey": "canary-access-key",
    "secretKey": "canary-secret-key",
    "endpoint": "https://oss.example",
    "region": "o-1",
}


@pytest.fixture(scope="module")
def stage(empty_stage: Stage) -> Iterator[Stage]:
    with installed(empty_stage.hub, "Database", "User"):
        empty_stage.start()
        yield empty_stage


def uri(world: World, number: int) -> str:
    text = f"mongodb://canary-{number}-{world.id}@db.example/app"
    world.keep_secret(text)
    return text


def provide(world: World, application: str = "shop") -> None:
    world.keep_secret(KEYS["accessKey"], KEYS["secretKey"])
    for kind in ("Database", "User"):
        world.keep_secret(dependency(world, kind, application)["spec"]["password"])
    make_ready(world, "Database", application, connectionUri=uri(world, 1))
    make_ready(world, "User", application, **KEYS)


def env_of(world: World) -> dict[str, str]:
    """What each variable is, or where it comes from."""
    env = world.main_container()["env"]
    return {each["name"]: each.get("value") or json.dumps(each.get("valueFrom")) for each in env}


def from_secret(key: str) -> str:
    return json.dumps({"secretKeyRef": {"name": "shop-env", "key": key}})


def test_an_application_waits_for_its_dependencies_and_gets_them_by_reference(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    made = world.add_application()
    waiting = {"DatabaseReady": "False/WaitingForReady", "ObjectStorageReady": "False/WaitingForReady"}
    there = {"DatabaseCreated": "True/DatabaseCreated", "ObjectStorageCreated": "True/ObjectStorageCreated"}
    world.expect(
        "Application", "shop", status={"state": "Initializing"}, GatewayReady="True/NotInstalled", **waiting, **there
    )
    assert world.find("Instance", "shop") is None
    database, user = (dependency(world, kind) for kind in ("Database", "User"))
    for each in (database, user):
        assert each["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert each["metadata"]["labels"]["laf.dev/appid"] == world.appid("shop")
        assert len(each["spec"]["password"]) == 64
        assert each["spec"]["password"].isalnum()
        assert each["spec"]["region"] == world.region
        assert each["spec"]["capacity"]["storage"] == "2Gi"
    assert (database["spec"]["provider"], database["spec"]["username"]) == ("mongodb", world.appid("shop"))
    assert (user["spec"]["provider"], user["spec"]["appid"]) == ("minio", world.appid("shop"))

    provide(world)
    world.play_kubelet()
    ready = {"DatabaseReady": "True/DatabaseReady", "ObjectStorageReady": "True/ObjectStorageReady"}
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady", **ready)

    env = env_of(world)
    assert list(env) == [
        "DB",
        "DB_URI",
        "LOG_LEVEL",
        "ENABLE_CLOUD_FUNCTION_LOG",
        "SERVER_SECRET_SALT",
        "APP_ID",
        "RUNTIME_IMAGE",
        "FLAGS",
        "NPM_INSTALL_FLAGS",
        "OSS_ACCESS_KEY",
        "OSS_ACCESS_SECRET",
        "OSS_INTERNAL_ENDPOINT",
        "OSS_EXTERNAL_ENDPOINT",
        "OSS_REGION",
    ]
    assert env["DB"] == world.appid("shop")
    for name in ("DB_URI", "SERVER_SECRET_SALT", "OSS_ACCESS_KEY", "OSS_ACCESS_SECRET"):
        assert env[name] == from_secret(name)
    assert env["OSS_INTERNAL_ENDPOINT"] == env["OSS_EXTERNAL_ENDPOINT"] == "https://oss.example"
    assert env["OSS_REGION"] == "o-1"
    assert secret_of(world) == {
        "DB_URI": uri(world, 1),
        "OSS_ACCESS_KEY": KEYS["accessKey"],
        "OSS_ACCESS_SECRET": KEYS["secretKey"],
        "SERVER_SECRET_SALT": secret_of(world)["SERVER_SECRET_SALT"],
    }
    before = env_hash(world)

    world.hub.tell("Database", world.appid("shop"), world.tenant, connectionUri=uri(world, 2))

    eventually(lambda: env_hash(world) != before, "pods are rolled")
    assert secret_of(world)["DB_URI"] == uri(world, 2)


def test_a_changed_bundle_reaches_limits_flags_and_capacity_but_no_password(world: World) -> None:
    world.add_catalogue(bundle={"limitMemory": "256Mi"})
    world.add_ready_cluster()
    world.add_application()
    provide(world)
    world.play_kubelet()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    before = dependency(world, "Database")
    assert env_of(world)["FLAGS"] == "--max_old_space_size=204"

    world.edit("Bundle", "small", limitMemory="512Mi", databaseCapacity="7Gi", storageCapacity="8Gi")

    eventually(lambda: env_of(world)["FLAGS"] == "--max_old_space_size=409", "the heap follows")
    assert world.main_container()["resources"]["limits"]["memory"] == "512Mi"
    eventually(lambda: capacity_of(world, "Database") == "7Gi", "the database's capacity follows")
    eventually(lambda: capacity_of(world, "User") == "8Gi", "the storage's capacity follows")
    after = dependency(world, "Database")
    assert after["spec"]["password"] == before["spec"]["password"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


def test_a_short_appid_gives_a_username_that_a_database_accepts(world: World) -> None:
    world.add_catalogue()
    world.add_application(appid=world.id[:3] + "a")

    name = world.id[:3] + "a"
    eventually(lambda: world.hub.find("Database", name, world.tenant) is not None, "the database is there")
    assert world.hub.get("Database", name, world.tenant)["spec"]["username"] == f"laf-{name}"


def test_a_foreign_database_is_neither_used_nor_changed(world: World) -> None:
    world.add_catalogue()
    name = world.appid("shop")
    foreign = {
        "apiVersion": "database.laf.dev/v1",
        "kind": "Database",
        "metadata": {"name": name, "namespace": world.tenant},
        "spec": {
            "provider": "mongodb",
            "region": "other",
            "username": "somebody",
            "password": "password-of-others",
            "capacity": {"storage": "1Gi"},
        },
    }
    before = world.hub.create(foreign)

    world.add_application()

    world.expect("Application", "shop", status={"state": "Initializing"}, DatabaseCreated="False/NameCollision")
    world.expect_event("Application", "shop", "NameCollision", "Warning")
    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")
    assert world.hub.get("Database", name, world.tenant) == before


def test_dependencies_go_with_their_application(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.add_application()
    provide(world)
    world.expect("Application", "shop", status={"state": "Starting"})

    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")

    assert [world.hub.all_of(kind, world.tenant) for kind in ("Database", "User", "Instance")] == [[], [], []]


def env_hash(world: World) -> str:
    found: str = world.deployment()["spec"]["template"]["metadata"]["annotations"]["laf.dev/env-hash"]
    return found


def secret_of(world: World) -> dict[str, str]:
    data = world.remote_get("Secret")["data"]
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


def capacity_of(world: World, kind: str) -> str:
    found: str = dependency(world, kind)["spec"]["capacity"]["storage"]
    return found
