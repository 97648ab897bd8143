"""A real API server, its objects as dictionaries: what is written and read here knows nothing of our types."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from framework.client import connect, from_kubeconfig
from framework.client.call import Call
from framework.clock import SystemClock
from framework.errors import NotFound
from tests.cluster import Cluster

Manifest = dict[str, Any]

_GROUPS = {
    "Application": "application.laf.dev/v1",
    "Bundle": "application.laf.dev/v1",
    "CreationForm": "application.laf.dev/v1",
    "Cluster": "instance.laf.dev/v1",
    "Instance": "instance.laf.dev/v1",
    "Runtime": "runtime.laf.dev/v1",
    "Database": "database.laf.dev/v1",
    "User": "oss.laf.dev/v1",
    "Gateway": "gateway.laf.dev/v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
}
_MERGE = "application/merge-patch+json"


def path_of(kind: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    group = _GROUPS.get(kind)
    parts = [f"apis/{group}" if group else "api/v1"]
    if namespace:
        parts += ["namespaces", namespace]
    return "/" + "/".join([*parts, f"{kind.lower()}s", *filter(None, (name, subresource))])


class Server:
    """As its administrator."""

    def __init__(self, plane: Cluster) -> None:
        self.plane = plane
        self._client = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))

    def close(self) -> None:
        self._client.connection.close()

    def find(self, kind: str, name: str, namespace: str = "") -> Manifest | None:
        """None if it is not there."""
        try:
            return self.get(kind, name, namespace)
        except NotFound:
            return None

    def get(self, kind: str, name: str, namespace: str = "") -> Manifest:
        found: Manifest = json.loads(self._client.raw_get(path_of(kind, namespace, name)))
        return found

    def all_of(self, kind: str, namespace: str = "") -> list[Manifest]:
        found: list[Manifest] = self.read(path_of(kind, namespace))["items"]
        return found

    def read(self, path: str) -> Any:
        return json.loads(self._client.raw_get(path))

    def version_of_all(self, kind: str, namespace: str) -> str:
        found: str = self.read(path_of(kind, namespace))["metadata"]["resourceVersion"]
        return found

    def history(self, kind: str, namespace: str, since: str) -> list[Manifest]:
        """Every state that any of them had after the version *since*, in order."""
        query = f"watch=true&resourceVersion={since}&timeoutSeconds=1"
        lines = self._client.raw_get(f"{path_of(kind, namespace)}?{query}").splitlines()
        return [json.loads(line)["object"] for line in lines]

    def create(self, manifest: Manifest) -> Manifest:
        namespace = manifest["metadata"].get("namespace", "")
        return self._send("POST", path_of(manifest["kind"], namespace), manifest)

    def account(self, name: str, namespace: str, role: str) -> str:
        """A token of a new service account, to which the cluster role *role* is bound."""
        rbac = "rbac.authorization.k8s.io"
        self.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}})
        self.create(
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": name},
                "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
            }
        )
        wanted = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token: str = self._send("POST", path_of("ServiceAccount", namespace, name, "token"), wanted)["status"]["token"]
        return token

    def patch(self, kind: str, name: str, namespace: str = "", subresource: str = "", **fields: Any) -> Manifest:
        """Merge *fields*, those of the whole object."""
        return self._send("PATCH", path_of(kind, namespace, name, subresource), fields, _MERGE)

    def edit(self, kind: str, name: str, namespace: str = "", **fields: Any) -> Manifest:
        """Merge *fields* into its spec."""
        return self.patch(kind, name, namespace, spec=fields)

    def tell(self, kind: str, name: str, namespace: str = "", **fields: Any) -> Manifest:
        """Merge *fields* into its status."""
        return self.patch(kind, name, namespace, "status", status=fields)

    def annotate(self, kind: str, name: str, namespace: str, annotations: Mapping[str, str]) -> Manifest:
        return self.patch(kind, name, namespace, metadata={"annotations": annotations})

    def json_patch(self, kind: str, name: str, namespace: str, *operations: Mapping[str, Any]) -> Manifest:
        return self._send("PATCH", path_of(kind, namespace, name), operations, "application/json-patch+json")

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        self._send("DELETE", path_of(kind, namespace, name), {"propagationPolicy": "Background"})

    def wipe(self, kind: str, namespace: str) -> None:
        """Delete all of them, whatever finalizers say."""
        for each in self.all_of(kind, namespace):
            self.wipe_one(kind, each["metadata"]["name"], namespace)

    def wipe_one(self, kind: str, name: str, namespace: str) -> None:
        with suppress(NotFound):
            self.delete(kind, name, namespace)
            self.patch(kind, name, namespace, metadata={"finalizers": None})

    def _send(self, method: str, path: str, body: Any, content_type: str = "application/json") -> Manifest:
        call = Call(method.lower(), method, path, {}, json.dumps(body).encode(), content_type)
        answer: Manifest = json.loads(self._client.connection.send(call).body)
        return answer
