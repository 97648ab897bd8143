"""kubectl delete, and what becomes of the children."""

import json

import pytest

from tests.component.clients.conftest import manifest
from tests.component.clients.kubectl.test_apply import a_widget
from tests.component.program import Program


def make_family(kubectl: Program) -> None:
    """A widget that owns a ConfigMap, which owns another."""
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    adopt(kubectl, "child", owner="wd/one")
    adopt(kubectl, "grandchild", owner="cm/child")


def adopt(kubectl: Program, name: str, owner: str) -> None:
    found = json.loads(kubectl("get", owner, "-o", "json"))
    reference = {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "name": found["metadata"]["name"],
        "uid": found["metadata"]["uid"],
        "blockOwnerDeletion": True,
    }
    kubectl("create", "configmap", name, "--from-literal=a=b")
    kubectl("patch", f"cm/{name}", "-p", json.dumps({"metadata": {"ownerReferences": [reference]}}))


@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_children_go_with_their_owner(cascade: str, kubectl: Program) -> None:
    make_family(kubectl)

    kubectl("delete", "wd/one", f"--cascade={cascade}")

    kubectl("wait", "cm/child", "cm/grandchild", "--for=delete", "--timeout=20s")
    assert kubectl("get", "wd", "-o", "name") == ""


def test_children_go_before_their_owner_in_the_foreground(kubectl: Program) -> None:
    make_family(kubectl)
    kubectl("patch", "cm/grandchild", "-p", '{"metadata":{"finalizers":["clients.example/keep"]}}')

    kubectl("delete", "wd/one", "--cascade=foreground", "--wait=false")
    kubectl("wait", "cm/grandchild", "--for=jsonpath={.metadata.deletionTimestamp}", "--timeout=20s")
    waiting = kubectl("get", "wd/one", "-o", "jsonpath={.metadata.finalizers}")
    kubectl("patch", "cm/grandchild", "-p", '{"metadata":{"finalizers":null}}')

    assert json.loads(waiting) == ["foregroundDeletion"]
    kubectl("wait", "wd/one", "--for=delete", "--timeout=20s")


def test_children_stay_without_their_owner(kubectl: Program) -> None:
    make_family(kubectl)

    kubectl("delete", "wd/one", "--cascade=orphan")

    assert kubectl("get", "cm/child", "-o", "jsonpath={.metadata.ownerReferences}") == ""
    assert kubectl("get", "cm/grandchild", "-o", "jsonpath={.metadata.ownerReferences[*].name}") == "child"


def test_everything_of_a_file_is_deleted(kubectl: Program) -> None:
    kubectl("apply", "-f", manifest("core.yaml"))

    said = kubectl("delete", "-f", manifest("core.yaml"), "--now")

    assert len(said.splitlines()) == 6
    assert kubectl("get", "cm,secret,svc,pod", "-l", "app=sample", "-o", "name") == ""


def test_objects_are_deleted_by_label_and_all_at_once(kubectl: Program) -> None:
    for name, tier in (("a", "back"), ("b", "back"), ("c", "front")):
        kubectl("create", "configmap", name)
        kubectl("label", "cm", name, f"tier={tier}")

    by_label = kubectl("delete", "cm", "-l", "tier=back", "-o", "name")
    left = kubectl("get", "cm", "-l", "tier", "-o", "name")
    kubectl("delete", "cm", "--all")

    assert by_label.split() == ["configmap/a", "configmap/b"]
    assert left.split() == ["configmap/c"]
    assert kubectl("get", "cm", "-l", "tier", "-o", "name") == ""


def test_deleting_twice_is_an_error_unless_one_says_it_is_not(kubectl: Program) -> None:
    refused = kubectl("delete", "cm", "nobody", code=1)
    ignored = kubectl("delete", "cm", "nobody", "--ignore-not-found")

    assert 'Error from server (NotFound): configmaps "nobody" not found' in refused
    assert ignored == ""


def test_pod_that_runs_nowhere_is_deleted_at_once(kubectl: Program) -> None:
    kubectl("run", "alone", "--image=a:1", "--restart=Never", "--overrides", '{"spec":{"schedulerName":"nobody"}}')

    kubectl("delete", "pod", "alone", "--force", "--grace-period=0")

    assert kubectl("get", "pods", "-o", "name") == ""


def test_namespace_is_emptied_and_goes(kubectl: Program, namespace: str) -> None:
    other = f"{namespace}-other"
    kubectl("create", "namespace", other)
    kubectl("create", "-n", other, "-f", "-", stdin=a_widget(color="red"))

    kubectl("delete", "namespace", other)

    assert "NotFound" in kubectl("get", "namespace", other, code=1)
    assert kubectl("get", "wd", "-n", other, "-o", "name") == ""


def test_definition_takes_its_objects_with_it(kubectl: Program, namespace: str) -> None:
    group = f"{namespace}.example"
    kubectl("apply", "-f", "-", stdin=definition_in(group))
    kubectl("wait", "--for=condition=Established", f"crd/things.{group}")
    thing = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "one"}}
    kubectl("create", "-f", "-", stdin=json.dumps(thing))

    kubectl("delete", f"crd/things.{group}")

    assert "NotFound" in kubectl("get", f"crd/things.{group}", code=1)
    assert "doesn't have a resource type" in kubectl("get", f"things.{group}", code=1)


def definition_in(group: str) -> str:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Thing", "plural": "things"}
    return json.dumps(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
        }
    )
