from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import (
    DAEMON_SETS,
    NODES,
    PODS,
    counts,
    daemon_set,
    images,
    node,
    set_image,
    template,
)

WEB = f"{DAEMON_SETS}/web"


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster(EVERYTHING)
    made.create(NODES, node("one"))
    made.create(NODES, node("two", labels={"disk": "fast"}))
    made.settle()
    return made


def running(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(DAEMON_SETS, daemon_set(**spec))
    cluster.settle()
    return cluster.read(WEB)


def places(cluster: Cluster) -> list[str]:
    return sorted(one["spec"]["nodeName"] for one in cluster.items(PODS))


def test_each_node_gets_one_pod(cluster: Cluster) -> None:
    web = running(cluster)

    assert places(cluster) == ["one", "two"]
    names = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "numberAvailable")
    assert counts(web, *names, "updatedNumberScheduled", "numberUnavailable") == (2, 2, 2, 2, 2, 0)


def test_only_nodes_that_are_selected_get_one(cluster: Cluster) -> None:
    running(cluster, template=template(nodeSelector={"disk": "fast"}))

    assert places(cluster) == ["two"]


def test_a_new_node_gets_one(cluster: Cluster) -> None:
    running(cluster)

    cluster.create(NODES, node("three"))
    cluster.settle()

    assert places(cluster) == ["one", "three", "two"]


def test_a_tainted_node_gets_none(cluster: Cluster) -> None:
    taint = {"key": "example.com/private", "effect": "NoSchedule"}
    cluster.patch(f"{NODES}/two", {"spec": {"taints": [taint]}})

    running(cluster)

    assert places(cluster) == ["one"]


def test_a_cordoned_node_gets_one_all_the_same(cluster: Cluster) -> None:
    cluster.patch(f"{NODES}/two", {"spec": {"unschedulable": True}})

    running(cluster)

    assert places(cluster) == ["one", "two"]


def test_a_node_that_no_longer_fits_loses_its_pod(cluster: Cluster) -> None:
    running(cluster, template=template(nodeSelector={"disk": "fast"}))

    cluster.patch(f"{NODES}/two", {"metadata": {"labels": {"disk": "slow"}}})
    cluster.settle()

    assert places(cluster) == []
    assert counts(cluster.read(WEB), "desiredNumberScheduled", "currentNumberScheduled") == (0, 0)


def test_a_new_image_is_rolled_out(cluster: Cluster) -> None:
    running(cluster)

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    assert images(cluster) == ["web:2", "web:2"]
    assert counts(cluster.read(WEB), "updatedNumberScheduled", "numberAvailable", "observedGeneration") == (2, 2, 2)


def test_on_delete_old_pods_stay_until_somebody_deletes_them(cluster: Cluster) -> None:
    running(cluster, updateStrategy={"type": "OnDelete"})
    set_image(cluster, WEB, "web:2")
    cluster.settle()
    assert images(cluster) == ["web:1", "web:1"]

    cluster.delete(f"{PODS}/{cluster.names(PODS)[0]}")
    cluster.settle()

    assert images(cluster) == ["web:1", "web:2"]


def test_a_settled_set_is_quiet(cluster: Cluster) -> None:
    running(cluster)
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle_through(30)

    assert cluster.revision == before
