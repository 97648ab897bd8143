"""Applications that run, stop, run again and go: what users see, and what is on the remote meanwhile."""

import base64
import re
from typing import Any

import pytest

from tests.integration.laf.server import Manifest
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-running")


def lacking(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where *actual* is not as *expected*; maps may have more than is expected, lists may not."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [each for key, value in expected.items() for each in lacking(value, actual.get(key), f"{path}.{key}")]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return [each for number, pair in pairs for each in lacking(*pair, f"{path}[{number}]")]
    return [] if expected == actual else [f"{path}: {actual!r} is not {expected!r}"]


def probe(referer: str, **times: int) -> Manifest:
    headers = [{"name": "Referer", "value": referer}]
    return {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP", "httpHeaders": headers}, **times}


def test_an_application_passes_through_its_phases_until_it_runs(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    beginning = world.hub.version_of_all("Application", world.tenant)
    world.add_application()
    made = world.expect("Application", "shop", status={"state": "Starting"}, InstanceCreated="True/InstanceCreated")
    instance = world.expect("Instance", "shop", status={"status": "Starting"}, Ready="False/ReplicasUnavailable")

    world.play_kubelet()

    world.expect("Instance", "shop", status={"status": "Running"}, Ready="True/Ready")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    states = [each.get("status", {}).get("state") for each in world.hub.history("Application", world.tenant, beginning)]
    assert list(filter(None, dict.fromkeys(states))) == ["Initializing", "Initialized", "Starting", "Running"]
    owner = instance["metadata"]["ownerReferences"][0]
    assert (owner["uid"], owner["controller"]) == (made["metadata"]["uid"], True)
    assert instance["metadata"]["labels"]["laf.dev/appid"] == world.appid("shop")
    assert "application.finalizers.laf.dev" in made["metadata"]["finalizers"]
    assert "instance.finalizers.laf.dev" in instance["metadata"]["finalizers"]
    assert (
        lacking(
            {
                "region": world.region,
                "appid": world.appid("shop"),
                "bundle": world.name("small"),
                "runtime": world.name("node18"),
                "bundleNamespace": world.stage.system,
                "runtimeNamespace": world.stage.system,
                "state": "Running",
            },
            instance["spec"],
        )
        == []
    )
    told = world.conditions("Application", "shop")
    assert told["BundleInitialized"] == "True/BundleInitialized"
    assert told["RuntimeInitialized"] == "True/RuntimeInitialized"
    for what in ("Database", "ObjectStorage", "Gateway"):
        assert told[f"{what}Created"] == told[f"{what}Ready"] == "True/NotInstalled"
    status = world.status("Application", "shop")
    assert (status["bundleName"], status["runtimeName"]) == (world.name("small"), world.name("node18"))
    assert status["bundleSpec"]["limitMemory"] == "512Mi"
    assert status["runtimeSpec"]["image"]["main"] == "registry.example/app:1.0"


def test_the_objects_on_the_remote_are_those_that_are_specified(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.add_instance()
    eventually(lambda: world.remote_find("Service") is not None, "the last one is there")
    selected = {"appid": world.appid("shop"), "region": world.region, "laf.dev/instance": "shop"}
    labels = {**selected, "laf.dev/hub-id": world.stage.hub_id, "app.kubernetes.io/managed-by": "laf-controller"}
    annotations = {
        "laf.dev/instance-namespace": world.tenant,
        "laf.dev/instance-name": "shop",
        "laf.dev/instance-uid": world.get("Instance", "shop")["metadata"]["uid"],
    }
    secret, deployment, service = (world.remote_get(kind) for kind in ("Secret", "Deployment", "Service"))
    for made in (secret, deployment, service):
        assert made["metadata"]["labels"] == labels, made["kind"]
        assert made["metadata"]["annotations"] == annotations, made["kind"]

    namespace = world.remote.get("Namespace", world.tenant)
    assert namespace["metadata"]["labels"]["laf.dev/namespace.type"] == "app"
    assert namespace["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "laf-controller"

    assert secret["type"] == "Opaque"
    assert list(secret["data"]) == ["SERVER_SECRET_SALT"]
    salt = base64.b64decode(secret["data"]["SERVER_SECRET_SALT"]).decode()
    assert re.fullmatch("[A-Za-z0-9]{64}", salt)
    kept = world.hub.get("Secret", "shop-salt", world.tenant)
    assert kept["data"] == secret["data"]
    assert kept["metadata"]["labels"] == {"laf.dev/salt": "true"}
    assert kept["metadata"]["ownerReferences"][0]["kind"] == "Instance"

    port = {"name": "http", "port": 8000, "targetPort": 8000, "protocol": "TCP"}
    assert lacking({"type": "ClusterIP", "selector": selected, "ports": [port]}, service["spec"]) == []
    assert service["spec"]["selector"] == selected

    template = deployment["spec"]["template"]
    pod = template["spec"]
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["selector"] == {"matchLabels": selected}
    assert template["metadata"]["labels"] == selected
    assert list(template["metadata"]["annotations"]) == ["laf.dev/env-hash"]
    assert re.fullmatch("[0-9a-f]{16}", template["metadata"]["annotations"]["laf.dev/env-hash"])
    assert pod["terminationGracePeriodSeconds"] == 15
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert pod["volumes"] == [{"name": "app", "emptyDir": {}}]

    from_secret = {"secretKeyRef": {"name": "shop-env", "key": "SERVER_SECRET_SALT"}}
    env: list[Manifest] = [
        {"name": "LOG_LEVEL", "value": "debug"},
        {"name": "ENABLE_CLOUD_FUNCTION_LOG", "value": "always"},
        {"name": "SERVER_SECRET_SALT", "valueFrom": from_secret},
        {"name": "APP_ID", "value": world.appid("shop")},
        {"name": "RUNTIME_IMAGE", "value": "registry.example/app:1.0"},
        {"name": "FLAGS", "value": "--max_old_space_size=409"},
        {"name": "NPM_INSTALL_FLAGS"},
    ]
    resources = {"requests": {"cpu": "250m", "memory": "128Mi"}, "limits": {"cpu": "1", "memory": "512Mi"}}
    init = {
        "name": "init",
        "image": "registry.example/app-init:1.0",
        "command": ["sh", "/app/init.sh"],
        "env": env,
        "resources": resources,
        "volumeMounts": [{"name": "app", "mountPath": "/tmp/app"}],  # noqa: S108 - of the pod
    }
    main = {
        "image": "registry.example/app:1.0",
        "command": ["sh", "/app/start.sh"],
        "env": env,
        "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
        "resources": resources,
        "startupProbe": probe("startupProbe", periodSeconds=3, timeoutSeconds=3, failureThreshold=240),
        "readinessProbe": probe("readinessProbe", periodSeconds=60, timeoutSeconds=5, failureThreshold=3),
        "volumeMounts": [{"name": "app", "mountPath": "/app"}],
    }
    assert lacking([init], pod["initContainers"]) == []
    assert lacking([main], pod["containers"]) == []
    for each in (pod["initContainers"][0], pod["containers"][0]):
        assert [set(one) for one in each["env"]] == [set(one) for one in env]
    for each in ("startupProbe", "readinessProbe"):
        assert "initialDelaySeconds" not in pod["containers"][0][each]

    created = [each.path.rsplit("/", 1)[1] for each in gate.writes if each.method == "POST"]
    assert created == ["namespaces", "secrets", "deployments", "services"]


def test_a_runtime_can_say_port_path_command_and_sidecar(world: World) -> None:
    images = {"main": "registry.example/app:2", "sidecar": "registry.example/side:1"}
    own = {"image": images, "port": 3000, "healthPath": "/alive", "command": ["node", "main.js"]}
    world.add_catalogue(runtime=own)
    world.add_ready_cluster()

    world.add_instance()

    deployment = world.deployment()
    main, sidecar = deployment["spec"]["template"]["spec"]["containers"]
    assert main["command"] == ["node", "main.js"]
    assert main["ports"][0]["containerPort"] == 3000
    assert main["readinessProbe"]["httpGet"]["path"] == main["startupProbe"]["httpGet"]["path"] == "/alive"
    assert "volumeMounts" not in main
    assert "initContainers" not in deployment["spec"]["template"]["spec"]
    assert (sidecar["name"], sidecar["image"]) == ("sidecar", "registry.example/side:1")
    assert sidecar["env"] == [{"name": "APP_ID", "value": world.appid("shop")}]
    assert sidecar["resources"] == {
        "requests": {"cpu": "10m", "memory": "16Mi"},
        "limits": {"cpu": "100m", "memory": "64Mi"},
    }
    assert "command" not in sidecar
    assert "ports" not in sidecar
    assert "readinessProbe" not in sidecar
    eventually(lambda: world.remote_find("Service") is not None, "the Service is there")
    assert world.remote_get("Service")["spec"]["ports"][0]["targetPort"] == 3000
    reserved = world.expect("Instance", "shop", clusterSelected="True/ClusterSelected")["status"]["reserved"]
    assert (reserved["cpu"], reserved["memory"]) == ("260m", "144Mi")


NAMES = {
    "a dot": ("my.shop", r"i-my-shop-[0-9a-f]{8}"),
    "a leading digit": ("1shop", r"i-1shop-[0-9a-f]{8}"),
    "60 characters": ("a" * 60, r"i-a{41}-[0-9a-f]{8}"),
}


@pytest.mark.parametrize("what", NAMES)
def test_names_that_a_service_cannot_have_are_replaced(what: str, world: World) -> None:
    name, base = NAMES[what]
    world.add_catalogue()
    world.add_ready_cluster()

    world.add_instance(name, appid=world.appid("shop"))

    seen = world.expect("Instance", name, DeploymentAndServiceCreated="True/Created")["status"]
    assert re.fullmatch(f"{base}-deployment", seen["DeploymentName"])
    assert re.fullmatch(f"{base}-svc", seen["serviceName"])
    remote = world.remote.get("Deployment", seen["DeploymentName"], world.tenant)
    assert remote["metadata"]["annotations"]["laf.dev/instance-name"] == name
    assert remote["metadata"]["labels"]["laf.dev/instance"] == seen["DeploymentName"].removesuffix("-deployment")


def test_a_stopped_application_has_nothing_left_and_starts_again_with_the_same_salt(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_application()
    first = world.get("Instance", "shop")["metadata"]["uid"]
    salt = world.remote_get("Secret")["data"]
    world.expect("Cluster", "a", status={"instanceCount": 1, "used": {"cpu": "250m", "memory": "128Mi"}})

    world.edit("Application", "shop", state="Stopped")
    world.expect("Application", "shop", status={"state": "Stopped"}, Ready="False/Stopped")

    assert [world.remote_find(kind) for kind in ("Deployment", "Service", "Secret")] == [None, None, None]
    assert world.find("Instance", "shop") is None
    assert world.conditions("Application", "shop")["InstanceDeleted"] == "True/InstanceDeleted"
    eventually(lambda: not world.status("Cluster", "a").get("instanceCount"), "no Instance is counted")
    assert set(world.status("Cluster", "a").get("used", {}).values()) <= {"0", 0}

    world.edit("Application", "shop", state="Running")
    world.play_kubelet()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    assert world.get("Instance", "shop")["metadata"]["uid"] != first
    assert world.remote_get("Secret")["data"] == salt


def test_a_deleted_application_takes_everything_with_it_but_the_remote_namespace(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_application()
    assert world.hub.find("Secret", "shop-salt", world.tenant) is not None

    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")

    assert [world.remote_find(kind) for kind in ("Deployment", "Service", "Secret")] == [None, None, None]
    assert world.find("Instance", "shop") is None
    assert world.hub.find("Secret", "shop-salt", world.tenant) is None
    assert world.remote.get("Namespace", world.tenant)["status"]["phase"] == "Active"


def test_an_unready_application_keeps_its_phase_and_tells_so(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.run_application()

    world.play_kubelet(available=0)
    world.expect("Instance", "shop", status={"status": "Starting"}, Ready="False/ReplicasUnavailable")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="False/InstanceNotReady")

    world.play_kubelet(available=1)
    world.expect("Instance", "shop", status={"status": "Running"}, Ready="True/Ready")
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")


def test_a_changed_runtime_reaches_all_its_applications(world: World) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    names = ("one", "two", "three")
    for name in names:
        world.run_application(name)

    world.edit("Runtime", "node18", image={"main": "registry.example/app:2.0"})

    for name in names:
        eventually(lambda: world.main_container(name)["image"] == "registry.example/app:2.0", f"{name} follows")  # noqa: B023 - called at once
        env = {each["name"]: each.get("value") for each in world.main_container(name)["env"]}
        assert env["RUNTIME_IMAGE"] == "registry.example/app:2.0"
        eventually(lambda: followed(world, name), f"status of {name} follows")  # noqa: B023 - as above
        world.expect_event("Instance", name, "DeploymentUpdated")


def followed(world: World, application: str) -> bool:
    image: str = world.status("Application", application)["runtimeSpec"]["image"]["main"]
    return image == "registry.example/app:2.0"
