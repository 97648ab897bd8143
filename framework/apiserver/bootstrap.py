"""What every cluster has from the start."""

from collections.abc import Iterator
from functools import cache

from apis.meta import Key
from framework.apiserver.auth import bootstrap_roles
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.rest.context import Services

_NAMESPACES = GroupResource("", "namespaces")
_RBAC = "rbac.authorization.k8s.io"
_PLURALS = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}


def write_bootstrap_objects(services: Services) -> None:
    """Create what is missing; what somebody has changed stays as it is."""
    if all(services.storage.table(resource).get(key) is not None for resource, key in _places()):
        return
    missing = []
    for resource, obj in _objects():
        key = _key(obj)
        if services.storage.table(resource).get(key) is None:
            obj["metadata"]["uid"] = services.new_uid()
            obj["metadata"]["creationTimestamp"] = services.now()
            missing.append((resource, key, obj))
    services.storage.create_all(missing)


@cache
def _places() -> tuple[tuple[GroupResource, Key], ...]:
    return tuple((resource, _key(obj)) for resource, obj in _objects())


def _key(obj: Object) -> Key:
    return Key(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


def _objects() -> Iterator[tuple[GroupResource, Object]]:
    for name in ("default", "kube-node-lease", "kube-public", "kube-system"):
        yield _NAMESPACES, _namespace(name)
    for role in bootstrap_roles():
        yield GroupResource(_RBAC, _PLURALS[role["kind"]]), role


def _namespace(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }
