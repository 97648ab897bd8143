from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import (
    PODS,
    STATEFUL_SETS,
    counts,
    images,
    set_image,
    stateful_set,
)

WEB = f"{STATEFUL_SETS}/web"
WITHOUT_KUBELET = {name: make for name, make in EVERYTHING.items() if name != "kubelet"}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


def running(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(STATEFUL_SETS, stateful_set(**spec))
    cluster.settle()
    return cluster.read(WEB)


def test_pods_have_numbers_and_names_of_their_own(cluster: Cluster) -> None:
    web = running(cluster, replicas=3)

    assert cluster.names(PODS) == ["web-0", "web-1", "web-2"]
    assert counts(web, "replicas", "readyReplicas", "availableReplicas", "updatedReplicas") == (3, 3, 3, 3)
    assert web["status"]["currentRevision"] == web["status"]["updateRevision"]
    second = cluster.read(f"{PODS}/web-1")
    assert second["spec"]["hostname"] == "web-1"
    assert second["metadata"]["labels"]["apps.kubernetes.io/pod-index"] == "1"


def test_numbers_may_begin_elsewhere(cluster: Cluster) -> None:
    running(cluster, replicas=2, ordinals={"start": 5})

    assert cluster.names(PODS) == ["web-5", "web-6"]


def test_one_begins_only_when_the_one_before_is_ready() -> None:
    cluster = Cluster(WITHOUT_KUBELET)

    running(cluster, replicas=3)

    assert cluster.names(PODS) == ["web-0"]


def test_in_parallel_all_begin_at_once() -> None:
    cluster = Cluster(WITHOUT_KUBELET)

    running(cluster, replicas=3, podManagementPolicy="Parallel")

    assert cluster.names(PODS) == ["web-0", "web-1", "web-2"]


def test_the_last_go_first(cluster: Cluster) -> None:
    running(cluster, replicas=3)
    start = cluster.revision

    cluster.patch(WEB, {"spec": {"replicas": 1}})
    cluster.settle()

    gone = [one.record.key.name for one in cluster.changes_since(start, "", "pods") if one.type == "DELETED"]
    assert gone == ["web-2", "web-1"]


def test_a_new_image_is_rolled_out_from_the_last_to_the_first(cluster: Cluster) -> None:
    running(cluster, replicas=3)
    start = cluster.revision

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    gone = [one.record.key.name for one in cluster.changes_since(start, "", "pods") if one.type == "DELETED"]
    assert gone == ["web-2", "web-1", "web-0"]
    assert images(cluster) == ["web:2"] * 3
    web = cluster.read(WEB)
    assert web["status"]["currentRevision"] == web["status"]["updateRevision"]
    assert counts(web, "updatedReplicas", "currentReplicas", "readyReplicas") == (3, 3, 3)


def test_an_update_stops_at_its_partition(cluster: Cluster) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    running(cluster, replicas=3, updateStrategy=strategy)

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    assert images(cluster) == ["web:1", "web:1", "web:2"]
    web = cluster.read(WEB)
    assert counts(web, "updatedReplicas", "currentReplicas") == (1, 2)
    assert web["status"]["currentRevision"] != web["status"]["updateRevision"]


def test_a_deleted_pod_comes_back_under_its_name(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    before = cluster.read(f"{PODS}/web-0")["metadata"]["uid"]

    cluster.delete(f"{PODS}/web-0")
    cluster.settle()

    assert cluster.names(PODS) == ["web-0", "web-1"]
    assert cluster.read(f"{PODS}/web-0")["metadata"]["uid"] != before


def test_a_settled_set_is_quiet(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle_through(30)

    assert cluster.revision == before
