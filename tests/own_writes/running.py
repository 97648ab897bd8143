"""Own writes that an answer does not show, with a cache that follows the server as usual."""

from typing import Any

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from framework.client import Client
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.testing.control_plane.waiting import wait_until

DEPLOYMENT = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
LIMIT_SECONDS = 60.0
ROUNDS = 20


def a_deployment(namespace: str) -> dict[str, Any]:
    labels = {"app": "web"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    return {
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": pod},
    }


def started(manager: Manager, kind: Any, namespace: str) -> SharedInformer[Any]:
    informer: SharedInformer[Any] = manager.informer(kind, InformerOptions(namespaces=(namespace,)))
    informer.start()
    assert wait_until(lambda: informer.has_synced, limit_seconds=LIMIT_SECONDS)
    return informer


def check_scale(client: Client, namespace: str) -> None:
    manager = Manager(client)
    informer = started(manager, DEPLOYMENT, namespace)
    writer = manager.client_for("widgets")
    key = Key(namespace, "web")
    applied: Unstructured = writer.apply(DEPLOYMENT, a_deployment(namespace))
    assert applied.content["spec"]["replicas"] == 0

    for replicas in range(1, ROUNDS):
        writer.scale(DEPLOYMENT, key, replicas)
        found = informer.lister.get(key)
        assert isinstance(found, Unstructured)
        assert found.content["spec"]["replicas"] == replicas
    informer.stop()


def check_delete_collection(client: Client, namespace: str) -> None:
    manager = Manager(client)
    informer = started(manager, ConfigMap, namespace)
    writer = manager.client_for("widgets")

    for number in range(ROUNDS):
        for name in ("kept", "gone"):
            finalizers = ["windlass.dev/test"] if name == "kept" else []
            meta = ObjectMeta(
                name=f"{name}-{number}", namespace=namespace, labels={"round": str(number)}, finalizers=finalizers
            )
            writer.create(ConfigMap(metadata=meta))
        writer.delete_collection(ConfigMap, namespace, labels=f"round={number}")

        found = informer.lister.list(namespace, f"round={number}")
        assert [each.metadata.name for each in found] == [f"kept-{number}"]
        assert found[0].metadata.is_being_deleted
        writer.merge_patch(ConfigMap, found[0].key, {"metadata": {"finalizers": []}})
        assert informer.lister.list(namespace, f"round={number}") == []
    informer.stop()
