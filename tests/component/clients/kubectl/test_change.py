"""The commands that change a part of an object: scale, patch, label, annotate, set, and those for nodes."""

import json
from typing import Any

from tests.component.clients.kubectl.test_apply import a_widget
from tests.component.program import Program


def the(kubectl: Program, name: str) -> Any:
    return json.loads(kubectl("get", name, "-o", "json"))


def containers(kubectl: Program, name: str) -> Any:
    return the(kubectl, name)["spec"]["template"]["spec"]["containers"]


def test_deployment_is_scaled(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=a:1")

    assert kubectl("scale", "deploy/web", "--replicas=3") == "deployment.apps/web scaled\n"
    assert the(kubectl, "deploy/web")["spec"]["replicas"] == 3


def test_custom_resource_is_scaled_if_it_has_as_many_as_expected(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    kubectl("scale", "wd/one", "--current-replicas=1", "--replicas=4")
    refused = kubectl("scale", "wd/one", "--current-replicas=1", "--replicas=9", code=1)

    assert the(kubectl, "wd/one")["spec"] == {"color": "red", "replicas": 4}
    assert "Expected replicas to be 1, was 4" in refused


def test_patches_of_each_type(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=a:1")
    strategic = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "b:1"}]}}}}
    merge = {"metadata": {"labels": {"app": None, "color": "red"}}}
    replace = [
        {"op": "replace", "path": "/spec/replicas", "value": 4},
        {"op": "test", "path": "/metadata/name", "value": "web"},
    ]

    kubectl("patch", "deploy/web", "-p", json.dumps(strategic))
    kubectl("patch", "deploy/web", "--type=merge", "-p", json.dumps(merge))
    kubectl("patch", "deploy/web", "--type=json", "-p", json.dumps(replace))

    patched = the(kubectl, "deploy/web")
    assert [one["name"] for one in patched["spec"]["template"]["spec"]["containers"]] == ["side", "a"]
    assert patched["metadata"]["labels"] == {"color": "red"}
    assert patched["spec"]["replicas"] == 4


def test_strategic_patch_of_a_custom_resource_is_refused(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    refused = kubectl("patch", "wd/one", "-p", '{"spec":{"color":"blue"}}', code=1)

    assert "application/strategic-merge-patch+json is not supported by clients.example/v1, Kind=Widget" in refused


def test_json_patch_whose_test_fails_changes_nothing(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    wrong = [{"op": "test", "path": "/spec/color", "value": "blue"}, {"op": "remove", "path": "/spec/color"}]

    refused = kubectl("patch", "wd/one", "--type=json", "-p", json.dumps(wrong), code=1)

    assert "The request is invalid" in refused
    assert the(kubectl, "wd/one")["spec"]["color"] == "red"


def test_patch_that_changes_nothing_says_so(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    before = the(kubectl, "wd/one")

    said = kubectl("patch", "wd/one", "--type=merge", "-p", '{"spec":{"color":"red"}}')

    assert said == "widget.clients.example/one patched (no change)\n"
    assert the(kubectl, "wd/one") == before


def test_labels_and_annotations_are_set_and_removed(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    kubectl("label", "wd/one", "tier=back", "extra=1")
    taken = kubectl("label", "wd/one", "tier=front", code=1)
    kubectl("label", "wd/one", "tier=front", "extra-", "--overwrite")
    kubectl("annotate", "wd", "--all", "note=a b c")

    assert "'tier' already has a value (back), and --overwrite is false" in taken
    metadata = the(kubectl, "wd/one")["metadata"]
    assert metadata["labels"] == {"tier": "front"}
    assert metadata["annotations"] == {"note": "a b c"}


def test_parts_of_a_pod_template_are_set(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1")
    kubectl("create", "serviceaccount", "runner")

    kubectl("set", "image", "deploy/web", "web=registry.example/web:2")
    kubectl("set", "env", "deploy/web", "COLOR=blue")
    kubectl("set", "resources", "deploy/web", "--limits=cpu=200m,memory=512Mi")
    kubectl("set", "serviceaccount", "deploy/web", "runner")

    (container,) = containers(kubectl, "deploy/web")
    assert container["image"] == "registry.example/web:2"
    assert container["env"] == [{"name": "COLOR", "value": "blue"}]
    assert container["resources"] == {"limits": {"cpu": "200m", "memory": "512Mi"}}
    assert the(kubectl, "deploy/web")["spec"]["template"]["spec"]["serviceAccountName"] == "runner"


def test_selector_and_subjects_are_set(kubectl: Program) -> None:
    kubectl("create", "service", "clusterip", "web", "--tcp=80")
    kubectl("create", "rolebinding", "edit", "--clusterrole=edit", "--user=alice")

    kubectl("set", "selector", "svc/web", "app=other")
    kubectl("set", "subject", "rolebinding/edit", "--user=bob")

    assert the(kubectl, "svc/web")["spec"]["selector"] == {"app": "other"}
    assert [one["name"] for one in the(kubectl, "rolebinding/edit")["subjects"]] == ["alice", "bob"]


def test_node_is_cordoned_tainted_and_freed(kubectl: Program, namespace: str) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": namespace}}
    kubectl("create", "-f", "-", stdin=json.dumps(node))

    kubectl("cordon", namespace)
    kubectl("taint", "node", namespace, "dedicated=sample:NoSchedule")
    tainted = the(kubectl, f"node/{namespace}")["spec"]
    kubectl("uncordon", namespace)
    kubectl("taint", "node", namespace, "dedicated-")

    assert tainted["unschedulable"] is True
    assert {"key": "dedicated", "value": "sample", "effect": "NoSchedule"} in tainted["taints"]
    freed = the(kubectl, f"node/{namespace}")["spec"]
    assert "unschedulable" not in freed
    assert "dedicated" not in json.dumps(freed)
    kubectl("delete", "node", namespace)


def test_deployment_is_exposed_by_a_service(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=a:1")

    kubectl("expose", "deploy/web", "--port=80", "--target-port=8080")

    service = the(kubectl, "svc/web")["spec"]
    assert service["selector"] == {"app": "web"}
    assert [(one["port"], one["targetPort"]) for one in service["ports"]] == [(80, 8080)]
