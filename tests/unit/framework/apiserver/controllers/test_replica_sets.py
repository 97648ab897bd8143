from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import PODS, REPLICA_SETS, counts, pod, replica_set

WEB = f"{REPLICA_SETS}/web"


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


def running(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(REPLICA_SETS, replica_set(**spec))
    cluster.settle()
    return cluster.read(WEB)


def test_it_makes_pods_that_it_controls(cluster: Cluster) -> None:
    web = running(cluster, replicas=3)

    pods = cluster.items(PODS)
    assert [one["metadata"]["generateName"] for one in pods] == ["web-"] * 3
    assert [one["metadata"]["ownerReferences"] for one in pods] == [
        [
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": "web",
                "uid": web["metadata"]["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    ] * 3
    names = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
    assert counts(web, *names) == (3, 3, 3, 3, 1)
    assert web["status"]["terminatingReplicas"] == 0


def test_a_deleted_pod_is_replaced(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    first, second = cluster.names(PODS)

    cluster.delete(f"{PODS}/{first}")
    cluster.settle()

    assert second in cluster.names(PODS)
    assert first not in cluster.names(PODS)
    assert len(cluster.names(PODS)) == 2


def test_a_failed_pod_stays_and_is_replaced(cluster: Cluster) -> None:
    running(cluster, replicas=1)
    (name,) = cluster.names(PODS)

    cluster.patch(f"{PODS}/{name}/status", {"status": {"phase": "Failed"}})
    cluster.settle()

    assert name in cluster.names(PODS)
    assert len(cluster.names(PODS)) == 2
    assert counts(cluster.read(WEB), "replicas") == (1,)


def test_the_cheapest_pods_go_first(cluster: Cluster) -> None:
    running(cluster, replicas=3)
    dear, cheap, middling = cluster.names(PODS)
    for name, cost in ((dear, "10"), (cheap, "-5"), (middling, "0")):
        annotations = {"controller.kubernetes.io/pod-deletion-cost": cost}
        cluster.patch(f"{PODS}/{name}", {"metadata": {"annotations": annotations}})

    cluster.patch(WEB, {"spec": {"replicas": 1}})
    cluster.settle()

    assert cluster.names(PODS) == [dear]


def test_pods_whose_conditions_have_no_time_are_compared_too(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    for name in cluster.names(PODS):
        cluster.patch(f"{PODS}/{name}/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})

    cluster.patch(WEB, {"spec": {"replicas": 1}})
    cluster.settle()

    assert len(cluster.names(PODS)) == 1


def test_a_pod_that_is_relabelled_is_let_go_and_replaced(cluster: Cluster) -> None:
    running(cluster, replicas=1)
    (name,) = cluster.names(PODS)

    cluster.patch(f"{PODS}/{name}", {"metadata": {"labels": {"app": "debug"}}})
    cluster.settle()

    assert "ownerReferences" not in cluster.read(f"{PODS}/{name}")["metadata"]
    assert len(cluster.names(PODS)) == 2


def test_a_matching_pod_without_an_owner_is_adopted(cluster: Cluster) -> None:
    cluster.create(PODS, pod("solo"))
    cluster.settle()

    web = running(cluster, replicas=1)

    assert cluster.names(PODS) == ["solo"]
    assert cluster.read(f"{PODS}/solo")["metadata"]["ownerReferences"][0]["uid"] == web["metadata"]["uid"]


def test_it_makes_no_pods_while_it_is_being_deleted(cluster: Cluster) -> None:
    running(cluster, replicas=1)
    cluster.patch(WEB, {"metadata": {"finalizers": ["example.com/hold"]}})

    cluster.delete(WEB)
    cluster.delete(f"{PODS}/{cluster.names(PODS)[0]}")
    cluster.settle()

    assert cluster.names(PODS) == []


def test_pods_of_one_round_get_different_addresses(cluster: Cluster) -> None:
    running(cluster, replicas=20)

    addresses = [one["status"]["podIP"] for one in cluster.items(PODS)]

    assert len(set(addresses)) == 20
