from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import NODES, PODS, conditions, pod

SOLO = f"{PODS}/solo"


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


def running(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(PODS, pod(**spec))
    cluster.settle()
    return cluster.read(SOLO)


def test_a_pod_runs_and_is_ready(cluster: Cluster) -> None:
    status = running(cluster)["status"]

    assert status["phase"] == "Running"
    assert status["podIP"] == "10.244.0.2"
    assert status["podIPs"] == [{"ip": "10.244.0.2"}]
    assert status["hostIP"] == "192.0.2.1"
    (container,) = status["containerStatuses"]
    assert (container["name"], container["ready"], container["restartCount"]) == ("main", True, 0)
    assert "running" in container["state"]
    assert {name: told[0] for name, told in conditions({"status": status}).items()} == {
        "PodScheduled": "True",
        "PodReadyToStartContainers": "True",
        "Initialized": "True",
        "ContainersReady": "True",
        "Ready": "True",
    }


def test_containers_of_the_beginning_have_ended_and_sidecars_run(cluster: Cluster) -> None:
    inits = [{"name": "init", "image": "i"}, {"name": "sidecar", "image": "s", "restartPolicy": "Always"}]

    status = running(cluster, initContainers=inits)["status"]

    first, second = status["initContainerStatuses"]
    assert first["state"]["terminated"]["reason"] == "Completed"
    assert "running" in second["state"]


def test_a_readiness_gate_holds_readiness_back(cluster: Cluster) -> None:
    gate = "example.com/gate"
    made = running(cluster, readinessGates=[{"conditionType": gate}])
    assert conditions(made)["Ready"] == ("False", "ReadinessGatesNotReady")

    opened = [*made["status"]["conditions"], {"type": gate, "status": "True"}]
    cluster.patch(f"{SOLO}/status", {"status": {"conditions": opened}})
    cluster.settle()

    assert conditions(cluster.read(SOLO))["Ready"] == ("True", "")


def test_a_new_image_in_a_running_pod_restarts_its_container(cluster: Cluster) -> None:
    made = running(cluster)
    made["spec"]["containers"][0]["image"] = "web:2"

    cluster.request("PUT", SOLO, made)
    cluster.settle()

    (container,) = cluster.read(SOLO)["status"]["containerStatuses"]
    assert (container["image"], container["restartCount"]) == ("web:2", 1)


def test_a_deleted_pod_goes_without_waiting_for_its_grace(cluster: Cluster) -> None:
    running(cluster)

    cluster.delete(SOLO)
    assert cluster.read(SOLO)["metadata"]["deletionGracePeriodSeconds"] == 30
    cluster.settle()

    assert cluster.get(SOLO) is None


def test_a_deleted_pod_with_a_finalizer_has_ended(cluster: Cluster) -> None:
    running(cluster)
    cluster.patch(SOLO, {"metadata": {"finalizers": ["example.com/hold"]}})

    cluster.delete(SOLO)
    cluster.settle()

    assert cluster.read(SOLO)["status"]["phase"] == "Failed"
    before = cluster.revision
    cluster.settle_through(30)
    assert cluster.revision == before
    cluster.release(SOLO)
    assert cluster.get(SOLO) is None


def test_nothing_runs_on_a_node_that_is_not_there_or_not_ready(cluster: Cluster) -> None:
    made = running(cluster, nodeName="elsewhere")

    assert made["status"]["phase"] == "Pending"
    cluster.delete(SOLO)
    cluster.settle()
    assert cluster.get(SOLO) is None


def test_a_broken_node_lets_its_pods_hang(cluster: Cluster) -> None:
    running(cluster)
    broken = [{"type": "Ready", "status": "Unknown"}]
    cluster.patch(f"{NODES}/windlass-node/status", {"status": {"conditions": broken}})

    cluster.delete(SOLO)
    cluster.settle()

    assert "deletionTimestamp" in cluster.read(SOLO)["metadata"]


def test_pods_of_no_job_run_on_whatever_their_restart_policy(cluster: Cluster) -> None:
    assert running(cluster, restartPolicy="Never")["status"]["phase"] == "Running"
