"""What people write by mistake, and what upstream's own sample says, given to a real server by kubectl."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from apis.meta import Key
from tests.integration.peerpods.site import Site
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("peerpods")
SAMPLE = Path(__file__).parents[3] / "config" / "samples" / "peerpods" / "peerpodconfig.yaml"
# As it is in config/samples/_v1alpha1_peerpodconfig.yaml there.
UPSTREAM = """
apiVersion: confidentialcontainers.org/v1alpha1
kind: PeerPodConfig
metadata:
  labels:
    app.kubernetes.io/name: peerpodconfig
    app.kubernetes.io/instance: peerpodconfig-sample
    app.kubernetes.io/part-of: peerpodconfig-ctrl
    app.kubernetes.io/managed-by: kustomize
    app.kubernetes.io/created-by: peerpodconfig-ctrl
  name: peerpodconfig-sample
spec:
  cloudSecretName: "peer-pods-secret"
  configMapName: "peer-pods-cm"
  limit: "10"
  nodeSelector:
    matchLabels:
      node-role.kubernetes.io/worker: ""
"""


def applied(site: Site, **spec: Any) -> str:
    """What kubectl complains about; empty if the server took it."""
    manifest = {
        "apiVersion": "confidentialcontainers.org/v1alpha1",
        "kind": "PeerPodConfig",
        "metadata": {"name": "config", "namespace": site.namespace},
        "spec": spec,
    }
    return site.kubectl("apply", "-f", "-", input=yaml.safe_dump(manifest)).stderr


@pytest.mark.parametrize("limit", ["abc", "-1", "1.5", "0x10", 20, "1234567890"])
def test_a_limit_that_is_no_number_in_text_is_refused_by_the_server(empty_site: Site, limit: object) -> None:
    assert "spec.limit" in applied(empty_site, limit=limit)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"limitScope": "Both"}, "spec.limitScope"),
        ({"cloudSecretName": "No_Name"}, "spec.cloudSecretName"),
        ({"configMapName": ""}, "spec.configMapName"),
        ({"webhook": {"replicas": 9}}, "spec.webhook.replicas"),
        ({"nodeSelector": {"matchLabels": {"a": 1}}}, "spec.nodeSelector.matchLabels"),
    ],
)
def test_what_the_schema_knows_to_be_wrong_is_refused_by_the_server(
    empty_site: Site, spec: dict[str, Any], path: str
) -> None:
    assert path in applied(empty_site, **spec)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"nodeSelector": {"a": 1}}, "spec.nodeSelector['a']"),
        ({"nodeSelector": {"a b": "c"}}, "spec.nodeSelector['a b']"),
        ({"nodeSelector": {"a": "b c"}}, "spec.nodeSelector['a']"),
        ({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}, "operator"),
        ({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "values"),
        ({"nodeSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}, "values"),
    ],
)
def test_what_only_the_controller_knows_to_be_wrong_is_said_in_the_status_and_nothing_is_done(
    site: Site, spec: dict[str, Any], path: str
) -> None:
    site.node("a")

    assert applied(site, **spec) == ""

    key = Key(site.namespace, "config")
    eventually(lambda: site.says(key, "Accepted", "False", "InvalidSpec"), "it says so")
    assert path in site.message(key, "Accepted")
    assert site.status(key)["setupCompleted"] is False
    assert site.daemon_set() is None
    assert site.is_untouched("a")


def test_a_spec_that_becomes_bad_changes_nothing_until_it_is_repaired(site: Site) -> None:
    site.node("a")
    key = site.config(limit="3")
    site.wait_until_set_up(key)
    generation = site.daemon_set()["metadata"]["generation"]

    site.change(key, limit="9", nodeSelector={"a": 1})

    eventually(lambda: site.says(key, "Accepted", "False", "InvalidSpec"), "it says so")
    assert site.capacity("a") == ["3"]
    assert site.daemon_set()["metadata"]["generation"] == generation
    site.change(key, nodeSelector=None)
    site.wait_for_capacity({"a": "9"})
    site.wait_until_set_up(key)


@pytest.mark.parametrize(("limit", "number"), [("0", "0"), ("007", "7")])
def test_a_limit_of_nothing_and_one_with_zeros_in_front_are_numbers(site: Site, limit: str, number: str) -> None:
    site.node("a")

    site.config(limit=limit)

    site.wait_for_capacity({"a": number})


def test_a_namespace_for_operands_that_does_not_exist_is_said_to_be_missing(empty_site: Site) -> None:
    site = empty_site
    site.options = msgspec.structs.replace(site.options, namespace=f"missing-{site.name}")
    site.start()

    key = site.config()

    eventually(lambda: site.says(key, "SettingsResolved", "False", "OperandNamespaceMissing"), "it says so")


def test_a_config_without_a_spec_gets_the_usual_names(site: Site) -> None:
    manifest = "apiVersion: confidentialcontainers.org/v1alpha1\nkind: PeerPodConfig\nmetadata: {name: bare}\n"
    site.node("a")

    site.kubectl("apply", "-n", site.namespace, "--validate=strict", "-f", "-", input=manifest, check=True)

    key = Key(site.namespace, "bare")
    site.wait_until_set_up(key)
    site.wait_for_capacity({"a": "1"})


def test_the_sample_of_upstream_is_taken_and_means_what_it_says(site: Site) -> None:
    site.node("a", {"node-role.kubernetes.io/worker": ""})
    site.node("b", {"node.kubernetes.io/worker": ""})

    site.kubectl("apply", "-n", site.namespace, "--validate=strict", "-f", "-", input=UPSTREAM, check=True)

    site.wait_for_capacity({"a": "10", "b": None})


def test_our_sample_is_taken_field_by_field(empty_site: Site) -> None:
    text = SAMPLE.read_text().replace("namespace: confidential-containers-system", f"namespace: {empty_site.namespace}")

    empty_site.kubectl("apply", "--validate=strict", "-f", "-", input=text, check=True)
