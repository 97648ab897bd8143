"""What the schema accepts and the controllers refuse: `kubectl apply`, then one condition and one event."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Kubectl
from tests.integration.laf.manifests import APPLICATION, BUNDLE, INSTANCE, RUNTIME, having, with_spec
from tests.integration.laf.server import Manifest
from tests.integration.laf.stage import conditions_of
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-bad-input")

INLINE_BUNDLE: dict[str, Any] = BUNDLE["spec"]
INLINE_RUNTIME: dict[str, Any] = RUNTIME["spec"]

# What is wrong with an Instance: the fields of its spec, and the reason of InputsResolved=False.
INSTANCES: dict[str, tuple[dict[str, Any], str]] = {
    "bundle is a number": ({"bundle": 7}, "InvalidSpec"),
    "bundle is a list": ({"bundle": ["small"]}, "InvalidSpec"),
    "bundle is an empty object": ({"bundle": {}}, "InvalidSpec"),
    "bundle is true": ({"bundle": True}, "InvalidSpec"),
    "inline request above limit": ({"bundle": {**INLINE_BUNDLE, "requestCPU": "2"}}, "InvalidSpec"),
    "inline quantity that is none": ({"bundle": {**INLINE_BUNDLE, "limitMemory": "much"}}, "InvalidSpec"),
    "inline negative quantity": ({"bundle": {**INLINE_BUNDLE, "requestMemory": "-1"}}, "InvalidSpec"),
    "runtime is a number": ({"runtime": 7}, "InvalidSpec"),
    "inline runtime without main image": (
        {"runtime": {**INLINE_RUNTIME, "image": {"init": "registry.example/a:1"}}},
        "InvalidSpec",
    ),
    "inline runtime with port 0": ({"runtime": {**INLINE_RUNTIME, "port": 0}}, "InvalidSpec"),
    "bundle of another namespace": ({"bundleNamespace": "default"}, "CrossNamespaceReference"),
    "runtime of another namespace": ({"runtimeNamespace": "default"}, "CrossNamespaceReference"),
    "database of another tenant": (
        {"database": "db", "databaseNamespace": "default"},
        "CrossNamespaceReference",
    ),
    "storage of another tenant": (
        {"ossUser": "user", "ossUserNamespace": "default"},
        "CrossNamespaceReference",
    ),
    "bundle that is not there": ({"bundle": "missing"}, "BundleNotFound"),
    "runtime that is not there": ({"runtime": "missing"}, "RuntimeNotFound"),
    "database that is not there": ({"database": "missing"}, "DatabaseNotFound"),
    "storage that is not there": ({"ossUser": "missing"}, "OssUserNotFound"),
}


def apply(kubectl: Kubectl, namespace: str, manifest: Manifest) -> None:
    kubectl("apply", "-n", namespace, "-f", "-", input=json.dumps(manifest), check=True)


def instance_of(world: World, **spec: Any) -> Manifest:
    wanted = {
        "appid": world.appid("shop"),
        "region": world.region,
        "bundle": world.name("small"),
        "runtime": world.name("node18"),
    }
    return having(INSTANCE, **{**wanted, **spec})


def application_of(world: World, **spec: Any) -> Manifest:
    wanted = {
        "appid": world.appid("shop"),
        "region": world.region,
        "bundleName": world.name("small"),
        "runtimeName": world.name("node18"),
    }
    return having(APPLICATION, **{**wanted, **spec})


def assert_one_event(world: World, kind: str, reason: str) -> None:
    world.expect_event(kind, "shop", reason, "Warning")
    told = [each for each in world.events(kind, "shop") if (each["type"], each["reason"]) == ("Warning", reason)]
    assert [each.get("count") or each.get("series", {}).get("count", 1) for each in told] == [1]


@pytest.mark.parametrize("what", INSTANCES)
def test_an_instance_that_cannot_be_run_is_told_why(what: str, world: World, kubectl: Kubectl) -> None:
    fields, reason = INSTANCES[what]
    world.add_catalogue()

    apply(kubectl, world.tenant, instance_of(world, **fields))

    world.expect("Instance", "shop", InputsResolved=f"False/{reason}", Ready="False/InputsNotResolved")
    assert_one_event(world, "Instance", reason)
    assert not world.status("Instance", "shop").get("clusterName")
    world.delete("Instance", "shop")
    world.expect_gone("Instance", "shop")


def test_nothing_is_read_where_an_instance_must_not_look(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    elsewhere = f"elsewhere-{world.id}"

    apply(
        kubectl, world.tenant, instance_of(world, bundleNamespace=elsewhere, database="db", databaseNamespace=elsewhere)
    )

    world.expect("Instance", "shop", InputsResolved="False/CrossNamespaceReference")
    assert world.stage.hub_relay.count(lambda each: elsewhere in each.path) == 0


def test_an_instance_without_spec_waits_for_one(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    apply(kubectl, world.tenant, with_spec(INSTANCE, None))
    world.expect("Instance", "shop", InputsResolved="False/SpecMissing")

    apply(kubectl, world.tenant, instance_of(world))

    world.expect("Instance", "shop", InputsResolved="True/Resolved", DeploymentAndServiceCreated="True/Created")


@pytest.mark.parametrize("namespace", ["kube-system", "kube-public", "kube-node-lease"])
def test_an_instance_in_a_namespace_of_kubernetes_gets_nothing(namespace: str, world: World, kubectl: Kubectl) -> None:
    name = world.name("shop")
    apply(kubectl, namespace, {**instance_of(world), "metadata": {"name": name}})
    try:
        protected = {"InputsResolved": "False/ProtectedNamespace"}.items()
        eventually(lambda: protected <= conditions_of(world.hub.get("Instance", name, namespace)).items(), "told")
        events = [each for each in world.hub.all_of("Event", namespace) if each["involvedObject"]["name"] == name]
        eventually(lambda: has_event(world, namespace, name, "ProtectedNamespace"), lambda: str(events))
        world.hub.delete("Instance", name, namespace)
        eventually(lambda: world.hub.find("Instance", name, namespace) is None, "it can be deleted")
    finally:
        world.hub.wipe_one("Instance", name, namespace)


def has_event(world: World, namespace: str, name: str, reason: str) -> bool:
    found = world.hub.all_of("Event", namespace)
    return any((each["involvedObject"]["name"], each["reason"]) == (name, reason) for each in found)


@pytest.mark.parametrize(("kind", "short"), [("Bundle", "small"), ("Runtime", "node18")])
def test_a_running_instance_whose_inputs_are_taken_away_by_force_runs_on(kind: str, short: str, world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()
    before, writes = world.remote_get("Deployment"), len(gate.writes)

    world.hub.wipe_one(kind, world.name(short), world.stage.system)

    world.expect("Instance", "shop", InputsResolved=f"False/{kind}NotFound", Ready="True/Ready")
    assert_one_event(world, "Instance", f"{kind}NotFound")
    gate.await_probes(2)
    assert world.remote_get("Deployment") == before
    assert gate.writes[writes:] == []


def pin_to_nobody(world: World) -> str:
    return world.name("nobody")


def pin_to_another_region(world: World) -> str:
    world.add_cluster("far", region=f"r2-{world.id}")
    return world.name("far")


@pytest.mark.parametrize("pin", [pin_to_nobody, pin_to_another_region])
def test_a_pin_never_overrides_the_region(pin: Callable[[World], str], world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    world.add_ready_cluster()

    apply(kubectl, world.tenant, instance_of(world, clusterName=pin(world)))

    pending = {"clusterSelected": "False/PinnedClusterNotFound", "Ready": "False/NotPlaced"}
    world.expect("Instance", "shop", status={"status": "Pending"}, **pending)
    world.expect_event("Instance", "shop", "FailedScheduling", "Warning")


def test_what_the_remote_refuses_is_told_in_its_words_and_tried_again(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.remote.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.tenant}})
    none = {"count/deployments.apps": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": world.tenant}}
    world.remote.create({**quota, "spec": {"hard": none}})
    # What its controller would do.
    world.remote.tell("ResourceQuota", "none", world.tenant, hard=none, used=none)

    apply(kubectl, world.tenant, instance_of(world))

    seen = world.expect("Instance", "shop", DeploymentAndServiceCreated="False/RemoteRejected")
    assert world.conditions("Instance", "shop")["Ready"] == "False/NotDeployed"
    told = [each["message"] for each in seen["status"]["conditions"] if each["type"] == "DeploymentAndServiceCreated"]
    assert "exceeded quota: none" in told[0]
    assert_one_event(world, "Instance", "RemoteRejected")

    world.remote.delete("ResourceQuota", "none", world.tenant)
    # Else it is tried each minute.
    world.annotate("Instance", "shop", "touched")
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")


def test_a_remote_namespace_that_is_going_away_is_told(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    world.add_ready_cluster()
    world.remote.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.tenant}})
    # Without its controller it stays in this state.
    world.remote.delete("Namespace", world.tenant)

    apply(kubectl, world.tenant, instance_of(world))

    world.expect("Instance", "shop", DeploymentAndServiceCreated="False/RemoteNamespaceTerminating")
    assert_one_event(world, "Instance", "RemoteNamespaceTerminating")


# Applications: what is wrong, and the condition that says so.
APPLICATIONS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "bundle that is not there": ({"bundleName": "missing"}, {"BundleInitialized": "False/NotFound"}),
    "runtime that is not there": ({"runtimeName": "missing"}, {"RuntimeInitialized": "False/NotFound"}),
    "bundle of priority 0": ({"bundleName": "unoffered"}, {"BundleInitialized": "False/Unavailable"}),
    "deprecated runtime": ({"runtimeName": "old"}, {"RuntimeInitialized": "False/Deprecated"}),
}


@pytest.mark.parametrize("what", APPLICATIONS)
def test_an_application_that_cannot_begin_is_told_why(what: str, world: World, kubectl: Kubectl) -> None:
    fields, conditions = APPLICATIONS[what]
    world.add_catalogue()
    world.add_bundle("unoffered", priority=0)
    world.add_runtime("old", deprecated=True)

    named = {name: world.name(value) for name, value in fields.items()}
    apply(kubectl, world.tenant, application_of(world, **named))

    world.expect("Application", "shop", status={"state": "Initializing"}, Ready="False/Initializing", **conditions)
    assert_one_event(world, "Application", next(iter(conditions.values())).removeprefix("False/"))
    assert world.find("Instance", "shop") is None
    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")


def test_an_application_without_spec_is_told_and_can_be_deleted_or_completed(world: World, kubectl: Kubectl) -> None:
    world.add_catalogue()
    empty = with_spec(APPLICATION, None)
    apply(kubectl, world.tenant, empty)
    world.expect("Application", "shop", Ready="False/SpecMissing")
    world.delete("Application", "shop")
    world.expect_gone("Application", "shop")

    apply(kubectl, world.tenant, empty)
    world.expect("Application", "shop", Ready="False/SpecMissing")
    apply(kubectl, world.tenant, application_of(world))

    world.expect("Application", "shop", status={"state": "Starting"}, Ready="False/InstancePending")
