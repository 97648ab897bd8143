"""What the real API server says to manifests of laf: the part of the bad-input table that the schema answers."""

import json
import subprocess
from collections.abc import Callable

import pytest

from tests.integration.laf.manifests import (
    APPLICATION,
    BUNDLE,
    CLUSTER,
    EVERY_KIND,
    FORM,
    INSTANCE,
    RUNTIME,
    Manifest,
    having,
    with_spec,
)

Kubectl = Callable[..., subprocess.CompletedProcess[str]]
IMAGE = RUNTIME["spec"]["image"]

# What is wrong: the manifest, and the field that the refusal must name.
REFUSED = {
    "bundle: not a quantity": (having(BUNDLE, requestCPU="much"), "spec.requestCPU"),
    "bundle: 1e1.5": (having(BUNDLE, limitCPU="1e1.5"), "spec.limitCPU"),
    "bundle: no CPU": (having(BUNDLE, requestCPU=0), "spec.requestCPU"),
    "bundle: negative memory": (having(BUNDLE, limitMemory="-1Mi"), "spec.limitMemory"),
    "bundle: negative capacity": (having(BUNDLE, storageCapacity="-1Gi"), "spec.storageCapacity"),
    "bundle: negative bandwidth": (having(BUNDLE, networkBandwidthInbound=-1), "spec.networkBandwidthInbound"),
    "bundle: request above limit": (having(BUNDLE, requestCPU="2"), "spec.requestCPU"),
    "bundle: memory above limit": (having(BUNDLE, requestMemory="1Gi"), "spec.requestMemory"),
    "bundle: priority": (having(BUNDLE, priority=1001), "spec.priority"),
    "bundle: missing field": (having(BUNDLE, databaseCapacity=None), "spec.databaseCapacity"),
    "runtime: no main image": (having(RUNTIME, image={"init": "a"}), "spec.image.main"),
    "runtime: empty main image": (having(RUNTIME, image={"main": ""}), "spec.image.main"),
    "runtime: numeric version": (having(RUNTIME, version={"version": 1.0}), "spec.version.version"),
    "runtime: port 0": (having(RUNTIME, port=0), "spec.port"),
    "runtime: relative health path": (having(RUNTIME, healthPath="healthz"), "spec.healthPath"),
    "cluster: nothing in spec": (with_spec(CLUSTER, {}), "spec.region"),
    "cluster: empty kubeconfig": (having(CLUSTER, clientConfig=""), "spec.clientConfig"),
    "cluster: region -a": (having(CLUSTER, region="-a"), "spec.region"),
    "cluster: region A": (having(CLUSTER, region="A"), "spec.region"),
    "cluster: region too long": (having(CLUSTER, region="a" * 64), "spec.region"),
    "cluster: negative capacity": (having(CLUSTER, capacity={"cpu": -1}), "spec.capacity.cpu"),
    "instance: no region": (having(INSTANCE, region=None), "spec.region"),
    "instance: no appid": (having(INSTANCE, appid=None), "spec.appid"),
    "instance: no bundle": (having(INSTANCE, bundle=None), "spec.bundle"),
    "instance: no runtime": (having(INSTANCE, runtime=None), "spec.runtime"),
    "instance: appid with a space": (having(INSTANCE, appid="a b"), "spec.appid"),
    "instance: replica -1": (having(INSTANCE, replica=-1), "spec.replica"),
    "instance: replica 1001": (having(INSTANCE, replica=1001), "spec.replica"),
    "instance: unknown state": (having(INSTANCE, state="Paused"), "spec.state"),
    "application: appid ab": (having(APPLICATION, appid="ab"), "spec.appid"),
    "application: appid Abc": (having(APPLICATION, appid="Abc"), "spec.appid"),
    "application: appid ab_c": (having(APPLICATION, appid="ab_c"), "spec.appid"),
    "application: appid too long": (having(APPLICATION, appid="a" * 25), "spec.appid"),
    "application: unknown state": (having(APPLICATION, state="Paused"), "spec.state"),
    "application: empty bundle": (having(APPLICATION, bundleName=""), "spec.bundleName"),
    "application: no runtime": (having(APPLICATION, runtimeName=None), "spec.runtimeName"),
    "form: short name": (having(FORM, displayName="ab"), "spec.displayName"),
    "form: region with capitals": (having(FORM, region="East"), "spec.region"),
}
# What was applied first, what then, and the field that the refusal must name.
REFUSED_LATER = {
    "cluster: another region": (CLUSTER, having(CLUSTER, region="west"), "spec.region"),
    "instance: another region": (INSTANCE, having(INSTANCE, region="west"), "spec.region"),
    "instance: another appid": (INSTANCE, having(INSTANCE, appid="other"), "spec.appid"),
    "application: another appid": (APPLICATION, having(APPLICATION, appid="other1"), "spec.appid"),
    "application: another region": (APPLICATION, having(APPLICATION, region="west"), "spec.region"),
    "form: edited": (FORM, having(FORM, displayName="Another"), "spec"),
}
ACCEPTED = {
    "application: short appid": having(APPLICATION, appid="abc"),
    "bundle: numbers as quantities": having(BUNDLE, requestCPU=1, limitCPU=2),
    "bundle: priority 0": having(BUNDLE, priority=0),
    "instance: bundle inline": having(INSTANCE, bundle=BUNDLE["spec"], runtime=RUNTIME["spec"]),
    "instance: bundle is a number": having(INSTANCE, bundle=7),
    "instance: bundle is a list": having(INSTANCE, bundle=["small"]),
    "runtime: all fields": having(RUNTIME, port=1, healthPath="/", command=["a"], image={**IMAGE, "sidecar": ""}),
}


def apply(kubectl: Kubectl, namespace: str, manifest: Manifest) -> subprocess.CompletedProcess[str]:
    return kubectl(
        "apply", "--server-side", "--force-conflicts", "-n", namespace, "-f", "-", input=json.dumps(manifest)
    )


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_meant_is_refused_with_its_field(what: str, kubectl: Kubectl, namespace: str) -> None:
    manifest, field = REFUSED[what]

    answer = apply(kubectl, namespace, manifest)

    assert answer.returncode != 0
    assert field in answer.stderr


@pytest.mark.parametrize("what", REFUSED_LATER)
def test_what_may_not_change_is_refused_with_its_field(what: str, kubectl: Kubectl, namespace: str) -> None:
    first, later, field = REFUSED_LATER[what]
    assert apply(kubectl, namespace, first).returncode == 0

    answer = apply(kubectl, namespace, later)

    assert answer.returncode != 0
    assert field in answer.stderr


@pytest.mark.parametrize("what", ACCEPTED)
def test_what_the_controllers_judge_is_accepted(what: str, kubectl: Kubectl, namespace: str) -> None:
    answer = apply(kubectl, namespace, ACCEPTED[what])

    assert answer.returncode == 0, answer.stderr


def test_one_object_of_every_kind_is_accepted_and_shown_in_columns(kubectl: Kubectl, namespace: str) -> None:
    for manifest in EVERY_KIND:
        assert apply(kubectl, namespace, manifest).returncode == 0, manifest["kind"]

    shown = {kind: kubectl("get", "-n", namespace, kind, check=True).stdout for kind in ("clusters", "applications")}
    assert shown["clusters"].split()[:4] == ["NAME", "REGION", "READY", "INSTANCES"]
    assert shown["applications"].split()[:5] == ["NAME", "APPID", "REGION", "DESIRED", "STATE"]


@pytest.mark.parametrize("manifest", [CLUSTER, APPLICATION], ids=["cluster", "application"])
def test_a_spec_can_be_empty_and_be_completed_and_then_not_be_removed(
    manifest: Manifest, kubectl: Kubectl, namespace: str
) -> None:
    # Not server-side: there a null is a value that is wanted, and not, as in a create, an empty line.
    kubectl("apply", "-n", namespace, "-f", "-", input=json.dumps(with_spec(manifest, None)), check=True)
    kubectl("apply", "-n", namespace, "-f", "-", input=json.dumps(manifest), check=True)

    removal = ["--type=json", "-p", '[{"op": "remove", "path": "/spec"}]']
    answer = kubectl("patch", "-n", namespace, manifest["kind"], manifest["metadata"]["name"], *removal)

    assert answer.returncode != 0
    assert "spec cannot be removed" in answer.stderr


def test_an_instance_is_scaled_like_a_deployment(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, INSTANCE)

    kubectl("scale", "-n", namespace, "instance/shop", "--replicas=3", check=True)

    found = json.loads(kubectl("get", "-n", namespace, "instance", "shop", "-o", "json", check=True).stdout)
    assert found["spec"]["replica"] == 3
    assert found["spec"]["state"] == "Running"
