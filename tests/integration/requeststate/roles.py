"""The generated roles, bound to users of a test."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from apis.meta import GroupVersionKind, Key, ResourceType
from framework.client import Client
from framework.rights import Right, roles_of

GENERATED = Path(__file__).parents[3] / "charts" / "windlass" / "files" / "rbac.yaml"
_GROUP = "rbac.authorization.k8s.io"
_ROLES = ResourceType(GroupVersionKind(_GROUP, "v1", "Role"), "roles")
_CLUSTER_ROLES = ResourceType(GroupVersionKind(_GROUP, "v1", "ClusterRole"), "clusterroles", "Cluster")
_CLUSTER_BINDINGS = ResourceType(GroupVersionKind(_GROUP, "v1", "ClusterRoleBinding"), "clusterrolebindings", "Cluster")
_BINDINGS = ResourceType(GroupVersionKind(_GROUP, "v1", "RoleBinding"), "rolebindings")


def generated_rules(*components: str, places: Sequence[str] = ("watched", "home")) -> list[dict[str, Any]]:
    """Those of the chart; by default for a process whose Lease is in the namespace that it watches."""
    parts = yaml.safe_load(GENERATED.read_text())
    return [rule for name in components for part in places for rule in parts[name].get(part, [])]


def rules_for(rights: Iterable[Right]) -> list[dict[str, Any]]:
    roles = roles_of(rights)
    return [*roles.watched, *roles.home]


def bind(admin: Client, namespace: str, user: str, rules: list[dict[str, Any]]) -> None:
    """Let *user* do in *namespace* exactly what *rules* say, whatever was bound before."""
    key = Key(namespace, f"{user}-role")
    metadata = {"name": key.name, "namespace": key.namespace}
    admin.apply(_ROLES, {"metadata": metadata, "rules": rules})
    reference = {"apiGroup": _GROUP, "kind": "Role", "name": key.name}
    subjects = [{"apiGroup": _GROUP, "kind": "User", "name": user}]
    admin.apply(_BINDINGS, {"metadata": metadata, "roleRef": reference, "subjects": subjects})


@contextmanager
def bound_everywhere(admin: Client, name: str, user: str, rules: list[dict[str, Any]]) -> Iterator[None]:
    """Let *user* do in all namespaces what *rules* say, for a while."""
    metadata = {"name": name}
    admin.apply(_CLUSTER_ROLES, {"metadata": metadata, "rules": rules})
    reference = {"apiGroup": _GROUP, "kind": "ClusterRole", "name": name}
    subjects = [{"apiGroup": _GROUP, "kind": "User", "name": user}]
    admin.apply(_CLUSTER_BINDINGS, {"metadata": metadata, "roleRef": reference, "subjects": subjects})
    try:
        yield
    finally:
        for kind in (_CLUSTER_BINDINGS, _CLUSTER_ROLES):
            admin.delete(kind, Key("", name))
