from typing import Any

from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
READ_THINGS = {"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}


def role(name: str, *rules: Any, **labels: str) -> Object:
    return {"kind": "ClusterRole", "metadata": {"name": name, "labels": labels}, "rules": list(rules)}


def aggregate(name: str, **labels: str) -> Object:
    selectors = [{"matchLabels": labels}]
    return {"kind": "ClusterRole", "metadata": {"name": name}, "aggregationRule": {"clusterRoleSelectors": selectors}}


def test_a_role_gets_the_rules_of_those_it_selects() -> None:
    cluster = Cluster()
    cluster.create(ROLES, aggregate("all", part="all"))
    cluster.create(ROLES, role("one", READ_THINGS, part="all"))

    cluster.settle()

    assert cluster.read(f"{ROLES}/all")["rules"] == [READ_THINGS]


def test_rules_go_with_the_role_they_came_from() -> None:
    cluster = Cluster()
    cluster.create(ROLES, aggregate("all", part="all"))
    cluster.create(ROLES, role("one", READ_THINGS, part="all"))
    cluster.settle()

    cluster.delete(f"{ROLES}/one")
    cluster.settle()

    assert not cluster.read(f"{ROLES}/all").get("rules")


def test_the_roles_of_every_cluster_are_filled_in() -> None:
    cluster = Cluster()

    cluster.settle()

    for name in ("admin", "edit", "view"):
        assert cluster.read(f"{ROLES}/{name}")["rules"], name


def test_settled_roles_are_not_written_again() -> None:
    cluster = Cluster()
    cluster.settle()
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.revision == before
