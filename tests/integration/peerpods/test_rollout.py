"""What is rolled out beside the numbers of nodes, and how it goes again, on a real control plane."""

from typing import Any

import pytest

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Node, Secret
from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured, controller_reference, resource_type_of
from controllers.peerpods.names import CONFIG_LABEL
from tests.integration.peerpods.site import USUAL, Site
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("peerpods")
POLICIES, BINDINGS = (
    ResourceType(GroupVersionKind("admissionregistration.k8s.io", "v1", kind), plural, "Cluster")
    for kind, plural in (
        ("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
        ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
    )
)


def test_all_of_a_deleted_config_goes_and_the_settings_stay(site: Site) -> None:
    site.secret("peer-pods-secret", KEY="value")
    site.node("bare")
    site.node("full", status={"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}})
    key = site.config(limit="6")
    site.wait_for_capacity({"bare": "3", "full": "3"})
    site.wait_until_set_up(key)

    site.client.delete(PeerPodConfig, key)

    eventually(lambda: site.is_gone(key), "the config is gone")
    assert site.is_untouched("bare")
    assert site.is_untouched("full")
    eventually(lambda: site.daemon_set() is None, "and its DaemonSet")
    site.client.get(ConfigMap, Key(site.namespace, "peer-pods-cm"))
    site.client.get(Secret, Key(site.namespace, "peer-pods-secret"))


def test_a_config_stays_and_says_why_while_a_node_cannot_be_released(site: Site) -> None:
    site.node("a")
    site.node("b")
    key = site.config(limit="6")
    site.wait_until_set_up(key)
    protect(site, site.node_name("a"))

    site.client.delete(PeerPodConfig, key)

    eventually(lambda: site.says(key, "Released", "False", "ReleaseFailed"), "it says so")
    assert site.node_name("a") in site.message(key, "Released")
    eventually(lambda: site.is_untouched("b"), "the other node is released all the same")
    unprotect(site)
    eventually(lambda: site.is_gone(key), "gone when it may")
    assert site.is_untouched("a")


def test_what_a_config_left_that_was_taken_away_by_force_is_cleared_up_at_the_start(site: Site) -> None:
    site.node("a")
    key = site.config(limit="6", namespace=site.elsewhere)
    site.wait_until_set_up(key)
    site.stop()
    site.client.merge_patch(PeerPodConfig, key, {"metadata": {"finalizers": None}})
    site.client.delete(PeerPodConfig, key)
    assert site.capacity("a") == ["6"]

    site.start()

    eventually(lambda: site.is_untouched("a"), "the node is released")
    eventually(lambda: site.daemon_set() is None, "the DaemonSet is deleted")


@pytest.mark.parametrize(
    ("public", "private", "reason"),
    [
        ({"CLOUD_PROVIDER": "aws"}, {"CLOUD_PROVIDER": b"azure"}, "CloudProviderConflict"),
        ({"REGION": "east"}, {"CLOUD_PROVIDER": b""}, "CloudProviderUnset"),
        ({"CLOUD_PROVIDER": "AWS"}, {}, "InvalidCloudProvider"),
        ({"CLOUD_PROVIDER": "nimbus"}, {}, "InvalidCloudProvider"),
        ({"CLOUD_PROVIDER": "aws\n"}, {}, "InvalidCloudProvider"),
        ({"CLOUD_PROVIDER": "aws"}, {"KEY": b"\xff"}, "InvalidSettings"),
        (None, None, "SettingsNotFound"),
    ],
)
def test_unusable_settings_roll_nothing_out_until_they_are_mended(
    empty_site: Site, public: dict[str, str] | None, private: dict[str, bytes] | None, reason: str
) -> None:
    site = empty_site
    if public is not None:
        site.settings("peer-pods-cm", **public)
    if private is not None:
        site.client.apply(Secret, Secret(metadata=site.named("peer-pods-secret"), data=private))
    site.node("a")
    site.start()

    key = site.config(limit="3")

    eventually(lambda: site.says(key, "SettingsResolved", "False", reason), "it says so")
    assert site.status(key)["setupCompleted"] is False
    assert site.daemon_set() is None
    assert site.is_untouched("a")
    generation = site.client.get(PeerPodConfig, key).metadata.generation
    if reason == "InvalidSettings":
        site.client.delete(Secret, Key(site.namespace, "peer-pods-secret"))
    agreed = (private or {}).get("CLOUD_PROVIDER", b"").decode()
    site.settings("peer-pods-cm", CLOUD_PROVIDER=agreed or "aws")
    site.wait_until_set_up(key)
    site.wait_for_capacity({"a": "3"})
    assert site.client.get(PeerPodConfig, key).metadata.generation == generation


def test_settings_have_the_names_that_the_config_says(empty_site: Site) -> None:
    site = empty_site
    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
    site.secret("mine", CLOUD_PROVIDER="azure", PASSWORD="one")
    site.settings("ours", REGION="east", PASSWORD="two")
    site.node("a")
    site.start()

    key = site.config(cloudSecretName="mine", configMapName="ours", instanceType="Standard_D2")

    site.wait_until_set_up(key)
    container = site.container()
    assert site.status(key)["cloudProvider"] == "azure"
    assert [next(iter(each.values()))["name"] for each in container["envFrom"]] == ["mine", "ours"]
    assert {"name": "AZURE_INSTANCE_SIZE", "value": "Standard_D2"} in container["env"]
    eventually(lambda: "SettingsOverlap" in site.event_reasons(key), "people are told")
    assert "PASSWORD" in site.message(key, "SettingsResolved")
    assert "two" not in site.message(key, "SettingsResolved")


def test_other_settings_restart_the_adaptor_if_that_is_wanted(site: Site) -> None:
    site.node("a")
    key = site.config()
    site.wait_until_set_up(key)
    first = site.daemon_set()["metadata"]["generation"]

    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws", REGION="west")
    eventually(lambda: site.daemon_set()["metadata"]["generation"] == first + 1, "restarted")
    site.change(key, restartOnSettingsChange=False)
    eventually(lambda: "annotations" not in site.daemon_set()["spec"]["template"]["metadata"], "no hash any more")
    last = site.daemon_set()["metadata"]["generation"]
    site.settings("peer-pods-cm", CLOUD_PROVIDER="azure", REGION="north")

    eventually(lambda: site.status(key)["cloudProvider"] == "azure", "the change is seen")
    assert site.daemon_set()["metadata"]["generation"] == last


def test_two_configs_divide_each_its_own_nodes_and_the_older_one_has_the_shared_one(site: Site) -> None:
    site.node("a", {"for": "one"})
    site.node("b", {"for": "both"})
    site.node("c", {"for": "two"})
    older = site.config("older", limit="4", nodeSelector={"matchExpressions": [_in("one", "both")]})
    site.wait_for_capacity({"a": "2", "b": "2", "c": None})
    younger = site.config("younger", limit="6", nodeSelector={"matchExpressions": [_in("two", "both")]})
    site.wait_for_capacity({"a": "2", "b": "2", "c": "6"})
    site.wait_until_set_up(younger)
    names = [site.status(key)["daemonSetName"] for key in (older, younger)]
    assert names[0] == USUAL
    assert names[1].startswith(f"{USUAL}-")
    assert f"1 went to {older}" in site.message(younger, "NodesAdvertised")
    eventually(lambda: "NodeContested" in site.event_reasons(younger), "people are told")
    version = site.client.list_page(Node, "", {"limit": "1"}).metadata.resource_version

    site.client.delete(PeerPodConfig, older)

    eventually(lambda: site.is_gone(older), "the older one is gone")
    site.wait_for_capacity({"a": None, "b": "3", "c": "3"})
    assert {each for each in seen_since(site, version, "b") if each} <= {"2", "3"}
    eventually(lambda: site.daemon_set(names[0]) is None, "with its DaemonSet")
    assert site.daemon_set(names[1]) is not None


def test_a_config_in_another_namespace_works_and_is_cleaned_up(site: Site) -> None:
    site.node("a")
    key = site.config(limit="2", namespace=site.elsewhere)
    site.wait_until_set_up(key)
    assert "ownerReferences" not in site.daemon_set()["metadata"]

    site.client.delete(PeerPodConfig, key)

    eventually(lambda: site.is_gone(key), "it is gone")
    assert site.is_untouched("a")
    eventually(lambda: site.daemon_set() is None, "with its DaemonSet")


def test_a_daemon_set_that_others_change_or_delete_is_restored(empty_site: Site) -> None:
    site = empty_site
    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
    site.node("a")
    site.start(adaptor_image="images.example/adaptor-{provider}:1")
    key = site.config(instanceType="t3.small")
    site.wait_until_set_up(key)
    image = "images.example/adaptor-aws:1"
    assert site.container()["image"] == image
    assert {"name": "PODVM_INSTANCE_TYPE", "value": "t3.small"} in site.container()["env"]

    whole = site.daemon_set()
    whole["spec"]["template"]["spec"]["containers"][0]["image"] = "evil:1"
    spoilt = whole["spec"]["template"]["spec"]
    site.client.merge_patch(
        DaemonSet, Key(site.namespace, USUAL), {"spec": {"template": {"spec": {"containers": spoilt["containers"]}}}}
    )
    eventually(lambda: site.container()["image"] == image, "restored")
    uid = whole["metadata"]["uid"]
    site.client.delete(DaemonSet, Key(site.namespace, USUAL))

    eventually(lambda: (site.daemon_set() or whole)["metadata"]["uid"] != uid, "made again")


def test_a_foreign_object_keeps_its_name(site: Site) -> None:
    site.node("a")
    site.client.create(_foreign(site), kind=resource_type_of(DaemonSet))

    key = site.config()

    site.wait_until_set_up(key)
    assert site.status(key)["daemonSetName"].startswith(f"{USUAL}-")
    assert site.container()["image"] == "foreign:1"
    eventually(lambda: "NameTaken" in site.event_reasons(key), "people are told")


def test_a_daemon_set_that_the_predecessor_made_is_taken_over_without_what_only_that_one_knew(site: Site) -> None:
    site.stop()
    site.node("a")
    key = site.config()
    config = site.client.get(PeerPodConfig, key)
    reference = controller_reference(config)
    for name in (USUAL, "peer-pod-controller-caa-daemon"):
        site.client.create(_foreign(site, name, [reference]), kind=resource_type_of(DaemonSet))
    uid = site.daemon_set()["metadata"]["uid"]

    site.start()

    site.wait_until_set_up(key)
    assert site.daemon_set()["metadata"]["uid"] == uid
    container = site.container()
    assert container["name"] == "caa-pod"
    assert "args" not in container
    assert site.daemon_set()["metadata"]["labels"][CONFIG_LABEL] == config.metadata.uid
    eventually(lambda: site.daemon_set("peer-pod-controller-caa-daemon") is None, "the oldest one goes")


def _in(*values: str) -> dict[str, Any]:
    return {"key": "for", "operator": "In", "values": list(values)}


def _foreign(site: Site, name: str = USUAL, owners: list[Any] | None = None) -> Unstructured:
    labels = {"name": name}
    pod = {"containers": [{"name": "caa-pod", "image": "foreign:1", "args": ["--old"]}], "nodeSelector": {"old": ""}}
    references = [
        {
            "apiVersion": each.api_version,
            "kind": each.kind,
            "name": each.name,
            "uid": each.uid,
            "controller": True,
        }
        for each in owners or []
    ]
    return Unstructured(
        content={
            "metadata": {"name": name, "namespace": site.namespace, "ownerReferences": references},
            "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
        }
    )


def protect(site: Site, node: str) -> None:
    """Nobody may write the status of *node*, except the one who can undo this."""
    name = f"protect-{site.name}"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["nodes/status"]}
    policy = {
        "metadata": {"name": name},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": f"object.metadata.name != '{node}'", "message": "it is protected"}],
        },
    }
    binding = {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}}
    site.client.create(Unstructured(content=policy), kind=POLICIES)
    site.client.create(Unstructured(content=binding), kind=BINDINGS)
    # A policy is obeyed some time after it was made.
    beat = ("patch", "node", node, "--subresource=status", "--type=merge")
    numbers = iter(range(10_000))
    eventually(
        lambda: (
            site.kubectl(*beat, "-p", f'{{"status":{{"nodeInfo":{{"machineID":"{next(numbers)}"}}}}}}').returncode != 0
        ),
        "the node is protected",
    )


def unprotect(site: Site) -> None:
    site.client.delete(BINDINGS, Key("", f"protect-{site.name}"))
    site.client.delete(POLICIES, Key("", f"protect-{site.name}"))


def seen_since(site: Site, version: str, name: str) -> list[str | None]:
    """Every number that the node had after *version*."""
    path = f"/api/v1/nodes?watch=true&resourceVersion={version}&timeoutSeconds=1"
    codec = site.client.codec_of(Node)
    lines = site.client.raw_get(path).splitlines()
    objects = [codec.decode(line.partition(b'"object":')[2].rstrip()[:-1]) for line in lines]
    mine = [each for each in objects if each.metadata.name == site.node_name(name)]
    return [each.status.capacity.get("kata.peerpods.io/vm") for each in mine]
