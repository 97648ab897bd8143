import pytest

from framework.apiserver.controllers.conditions import find_condition
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.definitions import DEFINITIONS, THING, thing, thing_definition, things

HOLD = "example.com/hold"


@pytest.fixture
def cluster() -> Cluster:
    started = Cluster()
    started.create(DEFINITIONS, thing_definition())
    started.settle()
    return started


def terminating_reason(cluster: Cluster) -> str:
    condition = find_condition(cluster.read(THING)["status"]["conditions"], "Terminating")
    return "" if condition is None else condition["reason"]


def test_a_definition_without_instances_goes(cluster: Cluster) -> None:
    cluster.delete(THING)
    cluster.settle()

    assert cluster.get(THING) is None


def test_the_instances_of_a_definition_go_with_it_in_all_namespaces(cluster: Cluster) -> None:
    cluster.create(things(), thing("one"))
    cluster.create(things(namespace="kube-public"), thing("two"))

    cluster.delete(THING)
    cluster.settle()

    assert cluster.get(THING) is None
    cluster.create(DEFINITIONS, thing_definition())
    assert cluster.names("/apis/example.com/v1/things") == []


def test_a_definition_waits_for_instances_with_finalizers_and_says_so(cluster: Cluster) -> None:
    cluster.create(things(), thing("one", HOLD))

    cluster.delete(THING)

    assert terminating_reason(cluster) == "InstanceDeletionPending"
    cluster.settle()
    assert terminating_reason(cluster) == "InstanceDeletionInProgress"
    assert "deletionTimestamp" in cluster.read(things("one"))["metadata"]
    cluster.release(things("one"))
    cluster.settle()
    assert cluster.get(THING) is None


def test_a_definition_that_serves_no_version_takes_its_instances_along(cluster: Cluster) -> None:
    cluster.create(things(), thing("one"))
    definition = cluster.read(THING)
    definition["spec"]["versions"][0]["served"] = False
    assert cluster.request("PUT", THING, definition)["kind"] == "CustomResourceDefinition"

    cluster.delete(THING)
    cluster.settle()

    assert cluster.get(THING) is None
    cluster.create(DEFINITIONS, thing_definition())
    assert cluster.names(things()) == []


def test_a_deletion_is_carried_on_after_a_restart(cluster: Cluster) -> None:
    cluster.create(things(), thing("one"))
    cluster.delete(THING)

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.get(THING) is None


def test_waiting_for_an_instance_is_quiet(cluster: Cluster) -> None:
    cluster.create(things(), thing("one", HOLD))
    cluster.delete(THING)
    cluster.settle()
    before = cluster.revision

    cluster.settle_through(30.0)

    assert cluster.revision == before
