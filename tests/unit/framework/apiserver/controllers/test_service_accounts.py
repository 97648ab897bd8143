from tests.unit.framework.apiserver.controllers.cluster import Cluster

TEAM = "/api/v1/namespaces/team"
ACCOUNT = f"{TEAM}/serviceaccounts/default"


def a_cluster() -> Cluster:
    cluster = Cluster()
    cluster.create("/api/v1/namespaces", {"metadata": {"name": "team"}})
    cluster.settle()
    return cluster


def test_each_namespace_gets_its_default_account() -> None:
    cluster = a_cluster()

    accounts = [account["metadata"]["namespace"] for account in cluster.items("/api/v1/serviceaccounts")]

    assert accounts == ["default", "kube-node-lease", "kube-public", "kube-system", "team"]


def test_a_deleted_default_account_comes_back() -> None:
    cluster = a_cluster()
    before = cluster.read(ACCOUNT)

    cluster.delete(ACCOUNT)
    cluster.settle()

    assert cluster.read(ACCOUNT)["metadata"]["uid"] != before["metadata"]["uid"]


def test_a_namespace_that_is_being_deleted_gets_none() -> None:
    cluster = a_cluster()
    cluster.patch(TEAM, {"metadata": {"finalizers": ["example.com/hold"]}})

    cluster.delete(TEAM)
    cluster.settle()

    assert cluster.get(ACCOUNT) is None
