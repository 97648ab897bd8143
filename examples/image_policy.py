"""Refuses Deployments whose images have no fixed version, and pulls images only if they are not there yet."""

import os
from pathlib import Path
from typing import Any

from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.client import connect, find_credentials
from framework.manager import Manager, ManagerOptions, stop_on_signals
from framework.webhooks import AdmissionRequest, Denied, WebhookOptions

DEPLOYMENTS = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")


def containers_of(deployment: Unstructured) -> list[dict[str, Any]]:
    containers: list[dict[str, Any]] = deployment.content["spec"]["template"]["spec"]["containers"]
    return containers


def pull_once(request: AdmissionRequest[Unstructured]) -> Unstructured:
    for container in containers_of(request.object):
        container.setdefault("imagePullPolicy", "IfNotPresent")
    return request.object


def version_is_fixed(request: AdmissionRequest[Unstructured]) -> None:
    for container in containers_of(request.object):
        _, separator, tag = container["image"].rpartition(":")
        if not separator or "/" in tag or tag == "latest":
            raise Denied(f"container {container['name']}: image {container['image']} needs a tag other than latest")


def register(manager: Manager) -> None:
    manager.webhooks.mutate(DEPLOYMENTS, pull_once)
    manager.webhooks.validate(DEPLOYMENTS, version_is_fixed)


def options() -> WebhookOptions:
    """Behind the Service `image-policy` of this pod's namespace; on a machine of your own, on loopback."""
    namespace = os.environ.get("POD_NAMESPACE")
    if namespace:
        return WebhookOptions(service=Key(namespace, "image-policy"))
    return WebhookOptions(name="image-policy", address="127.0.0.1:0", url="https://127.0.0.1:{port}")


if __name__ == "__main__":
    client = connect(find_credentials(environment=os.environ, home=Path.home()))
    manager = Manager(client, options=ManagerOptions(webhooks=options()))
    register(manager)
    manager.run(stop_on_signals())
