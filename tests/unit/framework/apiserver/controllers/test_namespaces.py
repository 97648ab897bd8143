import pytest

from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster, config_map, config_maps
from tests.unit.framework.apiserver.controllers.definitions import DEFINITIONS, thing, thing_definition, things

HOLD = "example.com/hold"
REMAINING = "Some content in the namespace has finalizers remaining"
NAMESPACES = "/api/v1/namespaces"
TEAM = f"{NAMESPACES}/team"
PODS = f"{TEAM}/pods"


@pytest.fixture
def cluster() -> Cluster:
    started = Cluster()
    started.create(NAMESPACES, {"metadata": {"name": "team"}})
    started.settle()
    return started


def conditions_of(namespace: Object) -> dict[str, tuple[str, str, str]]:
    return {
        one["type"]: (one["status"], one["reason"], one["message"])
        for one in namespace["status"].get("conditions") or ()
    }


def test_an_empty_namespace_goes(cluster: Cluster) -> None:
    cluster.delete(TEAM)

    assert cluster.read(TEAM)["status"]["phase"] == "Terminating"
    cluster.settle()
    assert cluster.get(TEAM) is None


def test_everything_in_a_namespace_goes_with_it(cluster: Cluster) -> None:
    cluster.create(DEFINITIONS, thing_definition())
    cluster.create(things(namespace="team"), thing("one"))
    cluster.create(config_maps(namespace="team"), config_map("one"))
    cluster.create(config_maps(), config_map("elsewhere"))

    cluster.delete(TEAM)
    cluster.settle()

    assert cluster.get(TEAM) is None
    assert cluster.names("/apis/example.com/v1/things") == []
    assert cluster.names("/api/v1/configmaps") == ["elsewhere"]
    assert cluster.names("/api/v1/serviceaccounts") == ["default"] * 4


def test_a_namespace_waits_for_finalizers_and_says_for_which(cluster: Cluster) -> None:
    cluster.create(config_maps(namespace="team"), config_map("one", finalizers=(HOLD,)))
    cluster.create(config_maps(namespace="team"), config_map("two", finalizers=(HOLD, "example.com/other")))

    cluster.delete(TEAM)
    cluster.settle()

    conditions = conditions_of(cluster.read(TEAM))
    assert conditions == {
        "NamespaceDeletionDiscoveryFailure": (
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        "NamespaceDeletionGroupVersionParsingFailure": (
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        "NamespaceDeletionContentFailure": (
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        "NamespaceContentRemaining": (
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 2 resource instances",
        ),
        "NamespaceFinalizersRemaining": (
            "True",
            "SomeFinalizersRemain",
            f"{REMAINING}: example.com/hold in 2 resource instances, example.com/other in 1 resource instances",
        ),
    }


def test_a_namespace_goes_when_the_last_finalizer_in_it_does(cluster: Cluster) -> None:
    cluster.create(config_maps(namespace="team"), config_map("one", finalizers=(HOLD,)))
    cluster.delete(TEAM)
    cluster.settle()

    cluster.release(config_maps("one", namespace="team"))
    cluster.settle()

    assert cluster.get(TEAM) is None


def test_a_finalizer_of_the_namespace_itself_is_not_ours_to_remove(cluster: Cluster) -> None:
    cluster.patch(TEAM, {"metadata": {"finalizers": [HOLD]}})

    cluster.delete(TEAM)
    cluster.settle()

    namespace = cluster.read(TEAM)
    assert "finalizers" not in namespace["spec"]
    assert conditions_of(namespace)["NamespaceContentRemaining"][0] == "False"
    cluster.release(TEAM)
    assert cluster.get(TEAM) is None


def test_pods_go_before_everything_else(cluster: Cluster) -> None:
    spec = {"nodeName": "somewhere", "containers": [{"name": "main", "image": "app"}]}
    cluster.create(PODS, {"metadata": {"name": "one"}, "spec": spec})
    cluster.create(config_maps(namespace="team"), config_map("configuration"))

    cluster.delete(TEAM)
    cluster.settle()

    assert "deletionTimestamp" in cluster.read(f"{PODS}/one")["metadata"]
    assert cluster.names(config_maps(namespace="team")) == ["configuration"]
    cluster.delete(f"{PODS}/one", gracePeriodSeconds=0)
    cluster.settle()
    assert cluster.get(TEAM) is None


def test_a_deletion_is_carried_on_after_a_restart(cluster: Cluster) -> None:
    cluster.create(config_maps(namespace="team"), config_map("one"))
    cluster.delete(TEAM)

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.get(TEAM) is None


def test_waiting_for_a_finalizer_is_quiet(cluster: Cluster) -> None:
    cluster.create(config_maps(namespace="team"), config_map("one", finalizers=(HOLD,)))
    cluster.delete(TEAM)
    cluster.settle()
    before = cluster.revision

    cluster.create(config_maps(), config_map("elsewhere"))
    cluster.settle_through(30.0)

    assert cluster.revision == before + 1
