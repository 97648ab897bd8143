from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import (
    LABELS,
    PODS,
    REPLICA_SETS,
    conditions,
    counts,
    replica_set,
)

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster(EVERYTHING)
    made.create(REPLICA_SETS, replica_set(replicas=3))
    made.settle()
    return made


def budget(cluster: Cluster, **spec: Any) -> Object:
    made = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": LABELS}, **spec}}
    cluster.create(BUDGETS, made)
    cluster.settle()
    return cluster.read(f"{BUDGETS}/web")


def evict(cluster: Cluster, name: str, **options: Any) -> Any:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **options}
    return cluster.request("POST", f"{PODS}/{name}/eviction", eviction)


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"minAvailable": 2}, 1),
        ({"minAvailable": "100%"}, 0),
        ({"maxUnavailable": 2}, 2),
        ({"maxUnavailable": "50%"}, 2),
        ({"minAvailable": 5}, 0),
    ],
)
def test_a_budget_tells_how_many_pods_may_go(cluster: Cluster, spec: dict[str, Any], allowed: int) -> None:
    web = budget(cluster, **spec)

    assert counts(web, "expectedPods", "currentHealthy", "disruptionsAllowed") == (3, 3, allowed)
    reason = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
    assert conditions(web)["DisruptionAllowed"] == reason


def test_an_eviction_removes_the_pod_and_spends_from_the_budget(cluster: Cluster) -> None:
    budget(cluster, minAvailable=2)
    name = cluster.names(PODS)[0]

    answer = evict(cluster, name)

    assert answer == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    evicted = cluster.read(f"{PODS}/{name}")
    assert evicted["metadata"]["deletionGracePeriodSeconds"] == 30
    assert conditions(evicted)["DisruptionTarget"] == ("True", "EvictionByEvictionAPI")
    assert counts(cluster.read(f"{BUDGETS}/web"), "disruptionsAllowed") == (0,)
    cluster.settle()
    assert counts(cluster.read(f"{BUDGETS}/web"), "disruptionsAllowed") == (1,)
    assert len(cluster.names(PODS)) == 3


def test_an_eviction_beyond_the_budget_is_refused(cluster: Cluster) -> None:
    budget(cluster, minAvailable=3)

    answer = evict(cluster, cluster.names(PODS)[0])

    assert (answer["code"], answer["reason"]) == (429, "TooManyRequests")
    assert answer["message"] == "Cannot evict pod as it would violate the pod's disruption budget."
    assert answer["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget web needs 3 healthy pods and has 3 currently",
        }
    ]


def test_an_eviction_does_not_ask_about_pods_that_do_not_run(cluster: Cluster) -> None:
    budget(cluster, minAvailable=3)
    name = cluster.names(PODS)[0]
    cluster.patch(f"{PODS}/{name}/status", {"status": {"phase": "Failed"}})

    assert evict(cluster, name)["status"] == "Success"
    assert cluster.get(f"{PODS}/{name}") is None


def test_two_budgets_for_one_pod_are_an_error(cluster: Cluster) -> None:
    budget(cluster, minAvailable=1)
    cluster.create(BUDGETS, {"metadata": {"name": "two"}, "spec": {"selector": {}, "minAvailable": 1}})

    answer = evict(cluster, cluster.names(PODS)[0])

    assert answer["code"] == 500
    assert "more than one PodDisruptionBudget" in answer["message"]


def test_an_eviction_without_a_budget_is_a_deletion(cluster: Cluster) -> None:
    name = cluster.names(PODS)[0]

    evict(cluster, name, deleteOptions={"gracePeriodSeconds": 0})

    assert cluster.get(f"{PODS}/{name}") is None


def test_a_dry_run_evicts_nothing(cluster: Cluster) -> None:
    budget(cluster, minAvailable=2)
    name = cluster.names(PODS)[0]
    before = cluster.revision

    assert evict(cluster, name, deleteOptions={"dryRun": ["All"]})["status"] == "Success"

    assert cluster.revision == before


def test_the_eviction_of_another_pod_than_the_one_meant_is_refused(cluster: Cluster) -> None:
    name = cluster.names(PODS)[0]

    answer = evict(cluster, name, deleteOptions={"preconditions": {"uid": "another"}})

    assert answer["reason"] == "Conflict"
    assert evict(cluster, "nobody")["reason"] == "NotFound"


def test_a_settled_budget_is_quiet(cluster: Cluster) -> None:
    budget(cluster, minAvailable=2)
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle_through(30)

    assert cluster.revision == before
