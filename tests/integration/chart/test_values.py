"""Every values file of the chart gives objects that the real API server takes, and pods that are restricted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.component.program import Program
from tests.conftest import Kubectl
from tests.integration.chart.release import CHART, RESTRICTED, VALUES_FILES, by_kind
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("chart")
NAMESPACE = "chart-values"
FILES = pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.name.removesuffix("-values.yaml"))


@pytest.fixture(scope="module")
def restricted(kubectl: Kubectl) -> Iterator[str]:
    kubectl("create", "namespace", NAMESPACE, check=True)
    kubectl("label", "namespace", NAMESPACE, RESTRICTED, check=True)
    eventually(lambda: kubectl("get", "serviceaccount", "default", "-n", NAMESPACE).returncode == 0, "the account")
    yield NAMESPACE
    kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def rendered(helm: Program, *flags: str) -> list[dict[str, Any]]:
    text = helm("template", "windlass", str(CHART), "--namespace", NAMESPACE, *flags)
    return [document for document in yaml.safe_load_all(text) if document]


@pytest.fixture(scope="module")
def by_file(helm: Program) -> dict[Path, list[dict[str, Any]]]:
    return {file: rendered(helm, "--values", str(file)) for file in VALUES_FILES}


def test_lint_has_no_complaint_about_any_values(helm: Program) -> None:
    said = [helm("lint", "--strict", str(CHART), "--values", str(file)) for file in VALUES_FILES]

    assert ["0 chart(s) failed" in each for each in said] == [True] * len(VALUES_FILES)


@FILES
def test_values_are_accepted_by_the_server(
    file: Path, by_file: dict[Path, list[dict[str, Any]]], kubectl: Kubectl, restricted: str
) -> None:
    manifests = by_file[file]

    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests})
    apply = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")
    kubectl(*apply, "-f", "-", input=listed, check=True)


@FILES
def test_pods_are_accepted_where_only_restricted_ones_are(
    file: Path, by_file: dict[Path, list[dict[str, Any]]], kubectl: Kubectl, restricted: str
) -> None:
    workloads = by_kind(by_file[file], "Deployment", "Job")

    pods = [pod_of(workload, restricted) for workload in workloads]

    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
    done = kubectl("create", "--dry-run=server", "-f", "-", input=listed)
    assert (done.returncode, done.stdout.count("created")) == (0, len(workloads)), done.stderr


def pod_of(workload: Any, namespace: str) -> dict[str, Any]:
    template = workload["spec"]["template"]
    # An account that is there: a dry run makes none.
    spec = {**template["spec"], "serviceAccountName": "default"}
    metadata = {**template["metadata"], "name": workload["metadata"]["name"], "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def test_pod_that_is_not_restricted_is_refused_there(kubectl: Kubectl, restricted: str) -> None:
    container = {"name": "a", "image": "a", "securityContext": {"privileged": True}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}

    done = kubectl("create", "--dry-run=server", "-n", restricted, "-f", "-", input=json.dumps(pod))

    assert 'violates PodSecurity "restricted' in done.stderr


@pytest.mark.parametrize(
    ("flag", "word"),
    [
        ("--set=direktor.enabled=true", "direktor"),
        ("--set=director.replicass=2", "replicass"),
        ("--set=director.flags.jobz=JOB1", "jobz"),
        ("--set=worker.mode=director", "mode"),
        ("--set=defaults.logLevel=loud", "logLevel"),
        ("--set=defaults.ports.health=70000", "health"),
        ("--set=image.digest=sha256:abc", "digest"),
        ("--set=manager.flags.enable-cf-worker-group=true", "enable-cf-worker-group"),
        ("--set=manager.enabled=true,manager.controllers={lav}", "which is none of: laf"),
        ("--set=director.leaderElection.enabled=false,director.replicas=2", "would decide twice"),
        ("--set=manager.enabled=true,manager.leaderElection.enabled=false,manager.replicas=2", "would decide twice"),
        ("--set=director.gracePeriod=1m", "would be cut off"),
        ("--set=worker.replicas=2,defaults.podDisruptionBudget.minAvailable=1", "not both"),
        ("--set=rbac.clusterRoles=false", "needs a ClusterRole"),
        ("--set=webhook.enabled=true,webhook.certificate.source=secret", "webhook.certificate.caBundle"),
    ],
)
def test_values_that_are_wrong_are_refused_by_name(flag: str, word: str, helm: Program) -> None:
    said = helm("template", "windlass", str(CHART), flag, code=1)

    assert word in said


@pytest.mark.parametrize("is_on", [False, True])
def test_other_group_of_workers_has_definitions_rights_and_its_flag_only_if_it_is_on(
    helm: Program, *, is_on: bool
) -> None:
    name = "workerbundles.api.cf-worker"
    manifests = rendered(
        helm,
        "--set=manager.enabled=true,manager.controllers={workers}",
        f"--set=manager.cfWorkerGroup={str(is_on).lower()}",
    )

    ruled = {
        f"{resource}.{group}"
        for role in by_kind(manifests, "ClusterRole")
        for rule in role["rules"]
        for group in rule.get("apiGroups", ())
        for resource in rule["resources"]
    }
    (manager,) = [each for each in by_kind(manifests, "Deployment") if each["metadata"]["name"].endswith("-manager")]
    arguments = manager["spec"]["template"]["spec"]["containers"][0]["args"]
    definitions = {each["metadata"]["name"] for each in by_kind(manifests, "CustomResourceDefinition")}
    assert (name in definitions, name in ruled) == (is_on, is_on)
    assert ("workerbundles/status.api.cf-worker" in ruled, "-enable-cf-worker-group=true" in arguments) == (
        is_on,
        is_on,
    )


def test_cilium_variant_and_missing_kinds(helm: Program, kubectl: Kubectl, restricted: str) -> None:
    manifests = rendered(
        helm,
        "--set=networkPolicy.enabled=true,networkPolicy.flavor=cilium",
        "--set=metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.skipIfMissing=true",
    )

    names = {each["metadata"]["name"] for each in by_kind(manifests, "CiliumNetworkPolicy")}
    assert names == {"windlass-director", "windlass-worker", "windlass-jobs"}
    assert by_kind(manifests, "ServiceMonitor", "NetworkPolicy") == []


def test_jobs_of_helm_test_reach_the_metrics_where_few_may(helm: Program) -> None:
    monitoring = "networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus"
    manifests = rendered(helm, f"--set=networkPolicy.enabled=true,{monitoring}")

    policies = {each["metadata"]["name"]: each["spec"] for each in by_kind(manifests, "NetworkPolicy")}
    jobs = [each["spec"]["template"]["metadata"]["labels"] for each in by_kind(manifests, "Job")]
    selected = [
        peer["podSelector"]["matchLabels"].items()
        for rule in policies["windlass-worker"]["ingress"]
        for peer in rule.get("from", ())
    ]
    assert len(jobs) == 2
    assert all(any(wanted <= labels.items() for wanted in selected) for labels in jobs)
    own = policies["windlass-jobs"]["podSelector"]
    assert all(own["matchLabels"].items() <= labels.items() for labels in jobs)
    assert {labels["app.kubernetes.io/component"] for labels in jobs} <= set(own["matchExpressions"][0]["values"])


def test_certificate_of_the_chart_is_the_same_in_secret_and_configuration(helm: Program) -> None:
    manifests = rendered(helm, "--set=webhook.enabled=true")

    (secret,) = by_kind(manifests, "Secret")
    (configuration,) = by_kind(manifests, "MutatingWebhookConfiguration")
    assert configuration["webhooks"][0]["clientConfig"]["caBundle"] == secret["data"]["ca.crt"]


def test_webhook_has_neither_a_token_nor_a_role(helm: Program) -> None:
    manifests = rendered(helm, "--set=webhook.enabled=true,director.enabled=false,worker.enabled=false")

    (deployment,) = by_kind(manifests, "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert [volume for volume in pod["volumes"] if "projected" in volume] == []
    subjects = [each for one in by_kind(manifests, "RoleBinding", "ClusterRoleBinding") for each in one["subjects"]]
    assert pod["serviceAccountName"] not in [subject["name"] for subject in subjects]


def test_webhook_gets_no_arguments_as_it_takes_none(helm: Program) -> None:
    manifests = rendered(helm, "--set=webhook.enabled=true,defaults.extraArgs={-log-level=debug}")

    (webhook,) = [each for each in by_kind(manifests, "Deployment") if each["metadata"]["name"].endswith("-webhook")]
    assert webhook["spec"]["template"]["spec"]["containers"][0]["args"] == ["webhook"]


def test_names_of_two_releases_never_meet(helm: Program) -> None:
    def cluster_wide(namespace: str) -> set[str]:
        text = helm(
            "template",
            "windlass",
            str(CHART),
            "--namespace",
            namespace,
            "--set=crds.enabled=false,webhook.enabled=true",
        )
        documents = [document for document in yaml.safe_load_all(text) if document]
        return {one["metadata"]["name"] for one in documents if "namespace" not in one["metadata"]}

    assert cluster_wide("one")
    assert cluster_wide("one") & cluster_wide("two") == set()
