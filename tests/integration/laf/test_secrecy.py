"""Nothing of a kubeconfig, a token, a password, a salt or a connection is anywhere but where it must be."""

import base64
import json
from collections.abc import Iterator

import pytest

from tests.integration.laf.dependencies import dependency, installed, make_ready
from tests.integration.laf.gate import kubeconfig_of
from tests.integration.laf.manifests import CLUSTER, having
from tests.integration.laf.stage import Stage, assert_keeps
from tests.integration.laf.world import World
from tests.integration.requeststate.processes import Process

pytestmark = pytest.mark.xdist_group("laf-secrecy")

# Where a secret may be: Clusters are for administrators, the others are what secrets are kept in.
_KEEPERS = ("clusters", "secrets", "databases", "users")


@pytest.fixture(scope="module")
def stage(empty_stage: Stage) -> Iterator[Stage]:
    with installed(empty_stage.hub, "Database", "User"):
        yield empty_stage


@pytest.fixture
def process(stage: Stage) -> Process:
    return stage.start("-log-level=debug")


def canaries(world: World) -> dict[str, str]:
    return {
        name: f"canary-{name}-{world.id}" for name in ("token", "key", "uri", "access", "secret", "password", "data")
    }


def bad_clusters(world: World, canary: dict[str, str]) -> dict[str, str]:
    """kubeconfigs that are refused, each with something in it that must not be told; and how they are judged."""
    server, user = {"server": "https://127.0.0.1:1"}, {"token": canary["token"]}
    encoded = base64.b64encode(canary["data"].encode()).decode()
    return {
        f"{canary['data']}: [": "InvalidClientConfig",
        kubeconfig_of({**server, "certificate-authority-data": encoded}, user): "InvalidClientConfig",
        kubeconfig_of(server, {**user, "client-key-data": encoded}): "InvalidClientConfig",
        kubeconfig_of(server, {**user, "exec": {"command": canary["key"]}}): "ForbiddenClientConfig",
        kubeconfig_of({**server, "proxy-url": f"http://u:{canary['password']}@p"}, user): "ForbiddenClientConfig",
        kubeconfig_of(server, {"username": "u", "password": canary["password"]}): "",
        kubeconfig_of(server, user): "Unreachable",
    }


def everything(world: World) -> Iterator[tuple[str, str]]:
    """Each resource of the hub that can be listed, and all its objects."""
    hub = world.hub
    groups = [each["preferredVersion"]["groupVersion"] for each in hub.read("/apis")["groups"]]
    for root in ("/api/v1", *(f"/apis/{group}" for group in groups)):
        for resource in hub.read(root)["resources"]:
            name = resource["name"]
            if "list" in resource["verbs"] and "/" not in name and name not in _KEEPERS:
                yield f"{root}/{name}", json.dumps(hub.read(f"{root}/{name}"))


def test_no_secret_is_in_any_object_event_or_log(world: World, process: Process) -> None:
    canary = canaries(world)
    world.keep_secret(*canary.values(), *(base64.b64encode(each.encode()).decode() for each in canary.values()))
    world.add_catalogue()
    gate = world.add_ready_cluster()
    for number, (config, reason) in enumerate(bad_clusters(world, canary).items()):
        name = f"bad-{number}"
        wanted = having(CLUSTER, region=f"r2-{world.id}", clientConfig=config)
        world.hub.create({**wanted, "metadata": {"name": world.name(name), "namespace": world.stage.system}})
        if reason:
            world.expect("Cluster", name, Ready=f"False/{reason}")
    world.add_application()
    for kind in ("Database", "User"):
        world.keep_secret(dependency(world, kind)["spec"]["password"])
    make_ready(world, "Database", connectionUri=f"mongodb://root:{canary['uri']}@db.example/app")
    keys = {"accessKey": canary["access"], "secretKey": canary["secret"]}
    make_ready(world, "User", endpoint="https://oss.example", region="o-1", **keys)
    world.play_kubelet()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    # The remote repeats what it refuses: a message that may hold what was sent.
    world.hub.tell("User", world.appid("shop"), world.tenant, secretKey=f"{canary['secret']}-2")
    world.edit("Cluster", "a", clientConfig=gate.kubeconfig(canary["token"]))
    world.expect("Cluster", "a", Ready="False/Unauthorized")
    world.edit("Cluster", "a", clientConfig=gate.kubeconfig())
    world.expect("Cluster", "a", Ready="True/ClusterReady")
    gate.relay.cut()
    world.expect("Cluster", "a", Ready="False/Unreachable")
    gate.relay.restore()
    world.expect("Cluster", "a", Ready="True/ClusterReady")
    salt = world.hub.get("Secret", "shop-salt", world.tenant)["data"]["SERVER_SECRET_SALT"]
    world.keep_secret(salt, base64.b64decode(salt).decode())

    # Where they belong they are found: this search does find.
    assert canary["uri"] in json.dumps(world.hub.all_of("Database"))
    assert canary["secret"] in base64.b64decode(world.remote_get("Secret")["data"]["OSS_ACCESS_SECRET"]).decode()
    for where, text in everything(world):
        assert_keeps(world.stage.secrets, text, where)
    for kind in ("Deployment", "Service", "Namespace"):
        assert_keeps(world.stage.secrets, json.dumps(world.remote.all_of(kind)), f"remote {kind}s")
    said = process.stdout + process.stderr
    assert "cluster_connected" in said
    assert_keeps(world.stage.secrets, said, "the log")
    assert all(not each.get("status", {}).get("clusterConfig") for each in world.hub.all_of("Instance"))
    statuses = [json.dumps(each.get("status")) for each in world.hub.all_of("Cluster", world.stage.system)]
    assert_keeps(world.stage.secrets, "".join(statuses), "the status of a Cluster")
