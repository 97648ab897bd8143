"""A cluster with roles for alice and bob in three namespaces of their own."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from framework.apiserver.auth import Attributes, bootstrap_roles
from framework.testing.control_plane import ControlPlane
from tests.conformance.auth.cluster import RBAC, Cluster, a_user, wait_until
from tests.unit.framework.apiserver.auth.fakes import a_binding, a_role, rule, user


class Stage:
    """Where the play takes place: `here` has roles of its own, `there` the default ones, `ruin` bindings to nothing."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.suffix = uuid.uuid4().hex[:8]
        self.here, self.there, self.ruin = (f"{name}-{self.suffix}" for name in ("here", "there", "ruin"))

    def set_up(self) -> None:
        for name in (self.here, self.there, self.ruin):
            self.cluster.create("/api/v1/namespaces", {"metadata": {"name": name}})
        for obj in self._roles():
            namespace = obj["metadata"].get("namespace")
            prefix = f"{RBAC}/namespaces/{namespace}" if namespace else RBAC
            self.cluster.create(f"{prefix}/{obj['kind'].lower()}s", obj)
        wait_until(self._is_in_force)

    def _is_in_force(self) -> bool:
        """Whether the server decides by all of the roles and bindings.

        It follows each of the four kinds by a watch of its own: to see one of them tells nothing of the others. And
        the rules of `view` and `edit` are put together by the controller manager, some time after the server starts.
        """
        seen = [
            self._decision("alice", "list", "pods", self.here)["allowed"],
            self._decision("alice", "list", "nodes")["allowed"],
            self._decision("alice", "get", "pods", self.there)["allowed"],
            self._decision("bob", "update", "pods", self.there)["allowed"],
            # What it has from `view`.
            self._decision("bob", "get", "namespaces", self.there)["allowed"],
            f"gone-{self.suffix}" in self._decision("bob", "list", "pods", self.ruin).get("reason", ""),
        ]
        return all(seen) and self._are_aggregated()

    def _decision(self, name: str, verb: str, resource: str, namespace: str = "") -> Any:
        attributes = Attributes(user=a_user(name), verb=verb, resource=resource, namespace=namespace)
        return self.cluster.is_allowed(name, attributes)

    def _are_aggregated(self) -> bool:
        found = self.cluster.admin.get(f"{RBAC}/clusterroles").document["items"]
        stored = {item["metadata"]["name"]: item["rules"] for item in found}
        wanted = {obj["metadata"]["name"]: obj["rules"] for obj in bootstrap_roles() if "aggregationRule" in obj}
        return all(stored[name] == rules for name, rules in wanted.items())

    def tear_down(self) -> None:
        admin = self.cluster.admin
        for obj in self._roles():
            if "namespace" not in obj["metadata"]:
                admin.delete(f"{RBAC}/{obj['kind'].lower()}s/{obj['metadata']['name']}")
        for name in (self.here, self.there, self.ruin):
            admin.delete(f"/api/v1/namespaces/{name}")

    def _roles(self) -> list[Any]:
        alice, bob, wide = user("alice"), user("bob"), f"wide-{self.suffix}"
        rbac = "rbac.authorization.k8s.io"
        local = [
            rule(["get", "list", "watch"], [""], ["pods", "pods/log"]),
            rule(["get", "update"], [""], ["configmaps"], ["one", "two"]),
            rule(["get", "patch"], ["apps"], ["*/scale"]),
            rule(["*"], ["batch"], ["jobs"]),
            rule(["create", "update"], [rbac], ["roles", "rolebindings"]),
            rule(["bind"], [rbac], ["clusterroles"], ["view"]),
        ]
        urls = {"verbs": ["get"], "nonResourceURLs": ["/metrics", "/logs/*"]}
        return [
            a_role("local", *local, namespace=self.here),
            a_binding("local", "local", alice, namespace=self.here, kind="Role"),
            a_role(wide, rule(["list"], [""], ["nodes"]), rule(["get"], ["*"], ["leases"]), urls),
            a_binding(wide, wide, alice),
            a_binding("viewer", "view", alice, namespace=self.there),
            a_binding("lost", "gone", bob, namespace=self.ruin, kind="Role"),
            a_binding("lost-too", f"gone-{self.suffix}", bob, namespace=self.ruin),
            a_binding("editor", "edit", bob, namespace=self.there),
        ]


@pytest.fixture(scope="module")
def stage(control_plane: ControlPlane) -> Iterator[Stage]:
    cluster = Cluster(control_plane)
    stage = Stage(cluster)
    stage.set_up()
    yield stage
    stage.tear_down()
    cluster.close()
