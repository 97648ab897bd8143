"""A reader over a dict, and builders of RBAC objects."""

from collections.abc import Iterable, Sequence
from typing import Any

from framework.apiserver.auth import Attributes, UserInfo, bootstrap_roles
from framework.apiserver.objects import GroupResource, Object

RBAC = "rbac.authorization.k8s.io"
PLURALS = {
    "ClusterRole": GroupResource(RBAC, "clusterroles"),
    "ClusterRoleBinding": GroupResource(RBAC, "clusterrolebindings"),
    "Role": GroupResource(RBAC, "roles"),
    "RoleBinding": GroupResource(RBAC, "rolebindings"),
    "Namespace": GroupResource("", "namespaces"),
    "Node": GroupResource("", "nodes"),
    "Pod": GroupResource("", "pods"),
    "Secret": GroupResource("", "secrets"),
    "ServiceAccount": GroupResource("", "serviceaccounts"),
    "MutatingWebhookConfiguration": GroupResource("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    "ValidatingWebhookConfiguration": GroupResource("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
}
ALICE = UserInfo("alice", groups=("system:authenticated",))
ADMIN = UserInfo("admin", groups=("system:masters", "system:authenticated"))


class FakeReader:
    """Counts its reads, so that a test sees what is cached."""

    def __init__(self, *objects: Object) -> None:
        self._objects: dict[tuple[GroupResource, str, str], Object] = {}
        self._revisions: dict[GroupResource, int] = {}
        self.lists = 0
        self.put(*objects)

    def put(self, *objects: Object) -> None:
        for obj in objects:
            resource, metadata = PLURALS[obj["kind"]], obj["metadata"]
            self._objects[resource, metadata.get("namespace", ""), metadata["name"]] = obj
            self._revisions[resource] = self._revisions.get(resource, 0) + 1

    def remove(self, kind: str, namespace: str, name: str) -> None:
        del self._objects[PLURALS[kind], namespace, name]
        self._revisions[PLURALS[kind]] += 1

    def get(self, resource: GroupResource, namespace: str, name: str) -> Object | None:
        return self._objects.get((resource, namespace, name))

    def list(self, resource: GroupResource, namespace: str = "") -> Iterable[Object]:
        self.lists += 1
        keys = sorted(key for key in self._objects if key[0] == resource and namespace in {"", key[1]})
        return [self._objects[key] for key in keys]

    def revision_of(self, resource: GroupResource) -> int:
        return self._revisions.get(resource, 0)


def a_cluster(*objects: Object) -> FakeReader:
    """With the roles that every cluster starts with."""
    return FakeReader(*bootstrap_roles(), *objects)


def a_role(name: str, *rules: Object, namespace: str = "") -> Object:
    kind = "Role" if namespace else "ClusterRole"
    return {"kind": kind, "apiVersion": f"{RBAC}/v1", "metadata": _metadata(name, namespace), "rules": list(rules)}


def a_binding(name: str, role: str, *subjects: Object, namespace: str = "", kind: str = "ClusterRole") -> Object:
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "apiVersion": f"{RBAC}/v1",
        "metadata": _metadata(name, namespace),
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
        "subjects": list(subjects),
    }


def user(name: str) -> Object:
    return {"kind": "User", "apiGroup": RBAC, "name": name}


def rule(verbs: Sequence[str], groups: Sequence[str], resources: Sequence[str], names: Sequence[str] = ()) -> Object:
    document: Object = {"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources)}
    return {**document, "resourceNames": list(names)} if names else document


def asks(verb: str, resource: str = "", *, who: UserInfo = ALICE, **more: Any) -> Attributes:
    name, _, subresource = resource.partition("/")
    return Attributes(user=who, verb=verb, resource=name, subresource=subresource, **more)


def _metadata(name: str, namespace: str) -> Object:
    return {"name": name, "namespace": namespace} if namespace else {"name": name}
