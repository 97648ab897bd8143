"""Workloads for tests, and what they come to."""

from typing import Any

from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster

APPS = "/apis/apps/v1/namespaces/default"
DEPLOYMENTS, REPLICA_SETS = f"{APPS}/deployments", f"{APPS}/replicasets"
STATEFUL_SETS, DAEMON_SETS = f"{APPS}/statefulsets", f"{APPS}/daemonsets"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS, NODES = "/api/v1/namespaces/default/pods", "/api/v1/nodes"
LABELS = {"app": "web"}


def pod_spec(image: str = "web:1", **fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": image}], **fields}


def template(image: str = "web:1", **fields: Any) -> dict[str, Any]:
    return {"metadata": {"labels": LABELS}, "spec": pod_spec(image, **fields)}


def deployment(name: str = "web", **spec: Any) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": LABELS}, "template": template(), **spec},
    }


def replica_set(name: str = "web", **spec: Any) -> Object:
    return {**deployment(name, **spec), "kind": "ReplicaSet"}


def stateful_set(name: str = "web", **spec: Any) -> Object:
    return {**deployment(name, serviceName="web", **spec), "kind": "StatefulSet"}


def daemon_set(name: str = "web", **spec: Any) -> Object:
    return {**deployment(name, **spec), "kind": "DaemonSet"}


def job(name: str = "work", **spec: Any) -> Object:
    made = {"spec": pod_spec("work:1", restartPolicy="Never")}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": made, **spec}}


def pod(name: str = "solo", **spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": LABELS}, "spec": pod_spec(**spec)}


def node(name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


def conditions(obj: Object) -> dict[str, tuple[str, str]]:
    """The status and the reason of each condition."""
    found = obj["status"].get("conditions") or ()
    return {one["type"]: (one["status"], one.get("reason", "")) for one in found}


def counts(obj: Object, *names: str) -> tuple[int, ...]:
    return tuple(obj["status"].get(name, 0) for name in names)


def images(cluster: Cluster) -> list[str]:
    return sorted(one["spec"]["containers"][0]["image"] for one in cluster.items(PODS))


def set_image(cluster: Cluster, path: str, image: str) -> None:
    cluster.patch(path, {"spec": {"template": {"spec": pod_spec(image)}}})
