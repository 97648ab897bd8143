"""kubectl get in all its forms, and describe."""

import json

import pytest

from tests.component.program import Program

KINDS = (
    "pod/alone",
    "service/web",
    "service/headless",
    "configmap/settings",
    "secret/password",
    "serviceaccount/runner",
    "deployment/web",
    "replicaset/plain",
    "statefulset/store",
    "daemonset/agent",
    "job/once",
    "cronjob/nightly",
    "ingress/front",
    "networkpolicy/closed",
    "poddisruptionbudget/web",
    "lease/leader",
    "role/reader",
    "rolebinding/reader",
    "namespace/sample-namespace",
    "node/sample-node",
    "clusterrole/sample-node-reader",
    "clusterrolebinding/sample-node-readers",
    "mutatingwebhookconfiguration/sample-mutating",
    "validatingwebhookconfiguration/sample-validating",
    "customresourcedefinition/widgets.clients.example",
    "widget/blue",
    "requeststate/sample",
)
# The columns that a person looks for first.
COLUMNS = {
    "pod/alone": "NAME READY STATUS RESTARTS AGE",
    "service/web": "NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE",
    "deployment/web": "NAME READY UP-TO-DATE AVAILABLE AGE",
    "job/once": "NAME STATUS COMPLETIONS DURATION AGE",
    "widget/blue": "NAME REPLICAS AGE",
    "requeststate/sample": "NAME JOB STATE WORKER AGE",
}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_described(name: str, sampled: Program) -> None:
    described = sampled("describe", name)

    assert described.splitlines()[0].split() == ["Name:", name.partition("/")[2]]
    assert "app=sample" in described or name == "poddisruptionbudget/web"


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_those_of_the_server(name: str, sampled: Program) -> None:
    header, row = sampled("get", name).splitlines()

    assert header.split() == COLUMNS[name].split()
    assert row.split()[0] == name.partition("/")[2]


def test_wide_shows_the_columns_of_lower_priority(sampled: Program) -> None:
    header, row = sampled("get", "widget", "-o", "wide").splitlines()

    assert header.split() == ["NAME", "REPLICAS", "COLOR", "AGE"]
    assert row.split()[:3] == ["blue", "1", "blue"]


def test_list_of_several_kinds_and_of_a_category(sampled: Program) -> None:
    several = sampled("get", "cm/settings", "svc/web", "wd/blue", "-o", "name")
    category = sampled("get", "samples", "-o", "name")
    everything = sampled("get", "all", "-o", "name", "-l", "app=sample").split()

    assert several.split() == ["configmap/settings", "service/web", "widget.clients.example/blue"]
    assert category.split() == ["widget.clients.example/blue"]
    assert {"pod/alone", "deployment.apps/web", "job.batch/once", "cronjob.batch/nightly"} <= set(everything)


def test_yaml_and_json_show_the_same_object(sampled: Program) -> None:
    as_json = json.loads(sampled("get", "wd/blue", "-o", "json"))
    as_yaml = sampled("get", "wd/blue", "-o", "yaml", "--show-managed-fields")

    assert as_json["spec"]["parts"] == [{"name": "wheel", "weight": 10}, {"name": "axle", "weight": 5}]
    assert "managedFields" not in as_json["metadata"]
    assert "manager: kubectl-client-side-apply" in as_yaml


def test_expressions_and_columns_of_ones_own(sampled: Program) -> None:
    path = sampled("get", "wd", "-o", "jsonpath={.items[*].spec.parts[?(@.weight>7)].name}")
    template = sampled("get", "wd/blue", "-o", "go-template={{.metadata.name}} is {{.spec.color}}")
    columns = sampled("get", "wd", "-o", "custom-columns=WHO:.metadata.name,COLOR:.spec.color")

    assert path == "wheel"
    assert template == "blue is blue"
    assert columns.split() == ["WHO", "COLOR", "blue", "blue"]


def test_sorting_needs_the_whole_objects_and_gets_them(sampled: Program) -> None:
    rows = sampled("get", "svc", "-l", "app=sample", "--sort-by=.spec.clusterIP", "--no-headers").splitlines()

    assert [row.split()[0] for row in rows] == ["web", "headless"]


def test_selectors_by_label_and_by_field(sampled: Program) -> None:
    by_label = sampled("get", "pods,cm", "-l", "app=sample,tier in (config)", "-o", "name")
    by_field = sampled("get", "wd", "--field-selector=spec.color=blue", "-o", "name")
    by_other_field = sampled("get", "wd", "--field-selector=spec.color!=blue", "-o", "name")
    by_type = sampled("get", "secrets", "--field-selector=type=Opaque", "-o", "name")
    refused = sampled("get", "wd", "--field-selector=spec.weight=1", code=1)

    assert by_label.split() == ["configmap/settings"]
    assert by_field.split() == ["widget.clients.example/blue"]
    assert by_other_field == ""
    assert by_type.split() == ["secret/password"]
    assert "field label not supported: spec.weight" in refused


def test_labels_as_columns_and_kinds_and_all_namespaces(sampled: Program) -> None:
    rows = sampled("get", "cm", "-A", "-L", "tier", "--show-kind", "-l", "tier=config").splitlines()

    assert rows[0].split() == ["NAMESPACE", "NAME", "DATA", "AGE", "TIER"]
    assert rows[1].split()[1:3] == ["configmap/settings", "3"]
    assert rows[1].split()[-1] == "config"


def test_chunks_are_put_together(sampled: Program) -> None:
    whole = sampled("get", "clusterroles", "-o", "name", "--chunk-size=0")
    chunked = sampled("get", "clusterroles", "-o", "name", "--chunk-size=5")

    assert len(whole.splitlines()) > 10
    assert chunked == whole


def test_status_as_a_subresource(sampled: Program) -> None:
    assert sampled("get", "deploy/web", "--subresource=status", "-o", "jsonpath={.kind}") == "Deployment"
    assert json.loads(sampled("get", "wd/blue", "--subresource=scale", "-o", "jsonpath={.spec}")) == {"replicas": 1}


def test_events_are_listed_and_shown_with_their_object(kubectl: Program, namespace: str) -> None:
    kubectl("create", "configmap", "watched")
    uid = kubectl("get", "cm/watched", "-o", "jsonpath={.metadata.uid}")
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "watched.seen"},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": "watched",
            "namespace": namespace,
            "uid": uid,
        },
        "reason": "Seen",
        "message": "somebody looked",
        "type": "Normal",
        "count": 1,
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
    }

    kubectl("create", "-f", "-", stdin=json.dumps(event))

    assert "somebody looked" in kubectl("get", "events", "--field-selector=reason=Seen", "-o", "wide")
    assert "somebody looked" in kubectl("get", "events.events.k8s.io", "watched.seen", "-o", "yaml")
    assert "somebody looked" in kubectl("events", "--for=configmap/watched", "--types=Normal")
    assert "somebody looked" in kubectl("describe", "cm/watched")


def test_raw_paths_are_answered(sampled: Program) -> None:
    assert sampled("get", "--raw", "/readyz") == "ok"
    assert json.loads(sampled("get", "--raw", "/version"))["major"] == "1"
    assert json.loads(sampled("get", "--raw", "/api/v1/nodes/sample-node"))["kind"] == "Node"


def test_what_is_not_there_is_said_so(sampled: Program) -> None:
    assert 'Error from server (NotFound): pods "nobody" not found' in sampled("get", "pod", "nobody", code=1)
    assert 'the server doesn\'t have a resource type "nothings"' in sampled("get", "nothings", code=1)
    assert "No resources found" in sampled.run("get", "pods", "-l", "app=nobody").stderr
