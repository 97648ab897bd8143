from typing import Any

import pytest

from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import PODS, conditions, pod


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster()
    made.create(PODS, pod())
    return made


def bind(cluster: Cluster, node: str = "one", name: str = "solo", **metadata: Any) -> Any:
    target = {"kind": "Node", "name": node}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, **metadata}, "target": target}
    return cluster.request("POST", f"{PODS}/{name}/binding", binding)


def test_a_binding_puts_a_pod_on_a_node(cluster: Cluster) -> None:
    answer = bind(cluster, annotations={"example.com/why": "test"})

    assert answer == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    bound = cluster.read(f"{PODS}/solo")
    assert bound["spec"]["nodeName"] == "one"
    assert bound["metadata"]["annotations"] == {"example.com/why": "test"}
    assert conditions(bound)["PodScheduled"] == ("True", "")


def test_a_pod_is_bound_once(cluster: Cluster) -> None:
    bind(cluster)

    answer = bind(cluster, "two")

    assert (answer["code"], answer["reason"]) == (409, "Conflict")
    assert answer["message"] == (
        'Operation cannot be fulfilled on pods/binding "solo": pod solo is already assigned to node "one"'
    )


def test_a_pod_that_is_being_deleted_is_not_bound(cluster: Cluster) -> None:
    cluster.patch(f"{PODS}/solo", {"metadata": {"finalizers": ["example.com/hold"]}})
    cluster.delete(f"{PODS}/solo")

    assert "is being deleted, cannot be assigned to a host" in bind(cluster)["message"]


def test_a_gated_pod_is_not_bound(cluster: Cluster) -> None:
    cluster.create(PODS, pod("gated", schedulingGates=[{"name": "example.com/gate"}]))

    assert "has non-empty .spec.schedulingGates" in bind(cluster, name="gated")["message"]


def test_another_pod_than_the_one_meant_is_not_bound(cluster: Cluster) -> None:
    answer = bind(cluster, uid="another")

    assert answer["reason"] == "Conflict"
    assert "Precondition failed: UID in precondition: another" in answer["message"]


def test_what_is_wrong_with_a_binding_is_told(cluster: Cluster) -> None:
    assert bind(cluster, name="nobody")["reason"] == "NotFound"
    assert bind(cluster, "")["message"] == "target.name: Required value"
    mismatch = cluster.request("POST", f"{PODS}/solo/binding", {"metadata": {"name": "x"}, "target": {"name": "one"}})
    assert mismatch["message"] == "name in URL does not match name in Binding object"
