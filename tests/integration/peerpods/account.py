"""Somebody who may do what a manager declares, and nothing else: so every scenario shows that this is enough."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal

from apis.core.v1 import Namespace
from apis.meta import GroupVersionKind, Key, ResourceType
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import NotFound
from framework.manager import Manager
from framework.rights import AccessReviews, Need, Right, needs_of, roles_of
from tests.cluster import Cluster
from tests.integration.requeststate.processes import eventually

USER = "alice"
_GROUP = "rbac.authorization.k8s.io"


class Account:
    """One that has nothing; *name* is that of its roles."""

    def __init__(self, plane: Cluster, admin: Client, name: str) -> None:
        self._plane = plane
        self._admin = admin
        self._name = name

    def connected(self) -> Client:
        return connect(from_kubeconfig(str(self._plane.kubeconfig_for(USER)), clock=SystemClock()))

    def grant(self, manager: Manager, *, without: Right | None = None, beside: Iterable[Right] = ()) -> None:
        """What *manager* declares; returns when it is in force."""
        declared = [right for some in manager.rights().values() for right in some if right != without]
        rights = [*declared, *beside]
        roles = roles_of(rights)
        everywhere = [*roles.cluster, *roles.watched]
        for namespace, rules in roles.namespaces.items():
            if self._exists(namespace):
                self._bind("Role", {"name": self._name, "namespace": namespace}, rules)
            else:
                # Where there is no namespace there can be no Role.
                everywhere.extend(rules)
        self._bind("ClusterRole", {"name": self._name}, everywhere)
        self._wait_for(needs_of(rights, watched=("",), home=""))

    def revoke(self) -> None:
        """What is in a namespace goes with it."""
        for kind in ("ClusterRoleBinding", "ClusterRole"):
            with suppress(NotFound):
                self._admin.delete(_of(kind), Key("", self._name))

    def _wait_for(self, needs: Iterable[Need]) -> None:
        """One of each place: the server learns of each role as a whole, some time after it was written."""
        one_of_each = {need.namespace: need for need in needs}
        client = self.connected()
        reviews = AccessReviews(client)
        eventually(lambda: reviews.missing(one_of_each.values()) == (), f"{self._name} has its rights")
        client.connection.close()

    def _exists(self, namespace: str) -> bool:
        return namespace in {each.metadata.name for each in self._admin.list(Namespace)}

    def _bind(self, kind: str, metadata: Mapping[str, str], rules: Iterable[Any]) -> None:
        reference = {"apiGroup": _GROUP, "kind": kind, "name": self._name}
        subjects = [{"apiGroup": _GROUP, "kind": "User", "name": USER}]
        self._admin.apply(_of(kind), {"metadata": dict(metadata), "rules": list(rules)})
        binding = {"metadata": dict(metadata), "roleRef": reference, "subjects": subjects}
        self._admin.apply(_of(f"{kind}Binding"), binding)


def _of(kind: str) -> ResourceType:
    scope: Literal["Namespaced", "Cluster"] = "Cluster" if kind.startswith("Cluster") else "Namespaced"
    return ResourceType(GroupVersionKind(_GROUP, "v1", kind), f"{kind.lower()}s", scope)
