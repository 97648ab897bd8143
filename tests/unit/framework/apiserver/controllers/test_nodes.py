import pytest

from framework.apiserver.controllers import EVERYTHING
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import NODES, PODS, conditions, node, pod

LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


def test_there_is_one_ready_node_if_nobody_makes_any(cluster: Cluster) -> None:
    cluster.settle()

    assert cluster.names(NODES) == ["windlass-node"]
    made = cluster.read(f"{NODES}/windlass-node")
    assert conditions(made)["Ready"] == ("True", "KubeletReady")
    assert not made["spec"].get("taints")


def test_nodes_that_somebody_makes_are_ready_and_enough(cluster: Cluster) -> None:
    cluster.create(NODES, node("mine"))

    cluster.settle()

    assert cluster.names(NODES) == ["mine"]
    assert conditions(cluster.read(f"{NODES}/mine"))["Ready"][0] == "True"


def test_a_node_that_somebody_declares_not_ready_stays_so(cluster: Cluster) -> None:
    cluster.settle()
    not_ready = [{"type": "Ready", "status": "False", "reason": "Broken"}]

    cluster.patch(f"{NODES}/windlass-node/status", {"status": {"conditions": not_ready}})
    cluster.settle_through(60)

    assert conditions(cluster.read(f"{NODES}/windlass-node")) == {"Ready": ("False", "Broken")}


def test_its_lease_is_renewed_and_nothing_else_is_written(cluster: Cluster) -> None:
    cluster.settle()
    before, renewed = cluster.revision, cluster.read(f"{LEASE}/windlass-node")["spec"]["renewTime"]

    cluster.settle_through(39)
    assert cluster.revision == before
    cluster.settle_through(2)

    assert cluster.revision == before + 1
    assert cluster.read(f"{LEASE}/windlass-node")["spec"]["renewTime"] > renewed


def test_the_lease_goes_with_the_node(cluster: Cluster) -> None:
    cluster.create(NODES, node("one"))
    cluster.create(NODES, node("two"))
    cluster.settle()

    cluster.delete(f"{NODES}/one")
    cluster.settle()

    assert cluster.names(LEASE) == ["two"]


def test_pods_are_spread_over_the_nodes(cluster: Cluster) -> None:
    cluster.create(NODES, node("one"))
    cluster.create(NODES, node("two"))

    for number in range(6):
        cluster.create(PODS, pod(f"pod-{number}"))
    cluster.settle()

    places = [one["spec"]["nodeName"] for one in cluster.items(PODS)]
    assert (places.count("one"), places.count("two")) == (3, 3)


def test_a_pod_waits_for_a_node_that_it_selects(cluster: Cluster) -> None:
    cluster.create(PODS, pod(nodeSelector={"disk": "fast"}))

    cluster.settle()

    waiting = cluster.read(f"{PODS}/solo")
    assert conditions(waiting) == {"PodScheduled": ("False", "Unschedulable")}
    assert waiting["status"]["conditions"][0]["message"] == (
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
    )
    cluster.create(NODES, node("fast", labels={"disk": "fast"}))
    cluster.settle()
    assert cluster.read(f"{PODS}/solo")["spec"]["nodeName"] == "fast"
    assert conditions(cluster.read(f"{PODS}/solo"))["Ready"][0] == "True"


@pytest.mark.parametrize(
    ("tolerations", "is_let_in"),
    [
        ([], False),
        ([{"operator": "Exists"}], True),
        ([{"key": "example.com/private", "operator": "Exists"}], True),
        ([{"key": "example.com/private", "value": "yes"}], True),
        ([{"key": "example.com/private", "value": "no"}], False),
        ([{"key": "example.com/private", "value": "yes", "effect": "NoExecute"}], False),
    ],
)
def test_a_taint_keeps_out_whoever_does_not_tolerate_it(
    cluster: Cluster, tolerations: list[dict[str, str]], *, is_let_in: bool
) -> None:
    taint = {"key": "example.com/private", "value": "yes", "effect": "NoSchedule"}
    cluster.create(NODES, node("private", taints=[taint]))

    cluster.create(PODS, pod(tolerations=tolerations))
    cluster.settle()

    assert ("nodeName" in cluster.read(f"{PODS}/solo")["spec"]) is is_let_in


def test_no_pod_is_put_on_a_cordoned_node(cluster: Cluster) -> None:
    cluster.create(NODES, node("one", unschedulable=True))

    cluster.create(PODS, pod())
    cluster.settle()

    assert "nodeName" not in cluster.read(f"{PODS}/solo")["spec"]


def test_gated_pods_and_those_of_other_schedulers_wait(cluster: Cluster) -> None:
    cluster.create(PODS, pod("gated", schedulingGates=[{"name": "example.com/gate"}]))
    cluster.create(PODS, pod("other", schedulerName="mine"))

    cluster.settle()

    assert all("nodeName" not in one["spec"] for one in cluster.items(PODS))
    cluster.patch(f"{PODS}/gated", {"spec": {"schedulingGates": []}})
    cluster.settle()
    assert cluster.read(f"{PODS}/gated")["spec"]["nodeName"] == "windlass-node"
