"""Runs a web server for each Website: owns a Deployment, and tells how many of its replicas are ready."""

import os
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from apis.meta import ApiStruct, GroupVersionKind, KubeObject, PrinterColumn, Request, ResourceType, Unstructured, kind
from framework.apply import OwnedChildren
from framework.client import connect, find_credentials
from framework.controller import Owned, Primary
from framework.informers import SharedInformer
from framework.manager import Manager, stop_on_signals
from framework.reconcile import Result

DEPLOYMENTS = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")


class WebsiteSpec(ApiStruct, frozen=True, kw_only=True):
    image: Annotated[str, Meta(min_length=1)]
    replicas: Annotated[int, Meta(ge=0, le=100)] = 1


class WebsiteStatus(ApiStruct, frozen=True, kw_only=True):
    ready_replicas: int = 0


@kind(
    group="example.dev",
    version="v1",
    plural="websites",
    status=True,
    printer_columns=(PrinterColumn(name="Ready", json_path=".status.readyReplicas", type="integer"),),
)
class Website(KubeObject, frozen=True, kw_only=True):
    spec: WebsiteSpec
    status: WebsiteStatus = WebsiteStatus()


def deployment_of(website: Website) -> dict[str, Any]:
    name, labels = website.metadata.name, {"website": website.metadata.name}
    # Without a policy the server chooses one by the first image, and keeps it for every image that follows.
    pod = {"containers": [{"name": "web", "image": website.spec.image, "imagePullPolicy": "IfNotPresent"}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": website.spec.replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


class WebsiteReconciler:
    def __init__(self, manager: Manager) -> None:
        self.websites = manager.informer(Website).lister
        self.deployments: SharedInformer[Unstructured] = manager.informer(DEPLOYMENTS)
        self.client = manager.client_for("website")
        self.children = OwnedChildren(self.client, Website, [self.deployments])

    def reconcile(self, request: Request) -> Result:
        website = self.websites.get(request.key)
        if website is None:
            return Result.await_change()
        self.children.converge(website, [deployment_of(website)])
        deployment = self.deployments.lister.get(request.key)
        ready = deployment.content.get("status", {}).get("readyReplicas", 0) if deployment else 0
        if ready != website.status.ready_replicas:
            self.client.patch_status(website, {"readyReplicas": ready})
        return Result.await_change()


def register(manager: Manager) -> None:
    sources = [Primary(manager.informer(Website)), Owned(manager.informer(DEPLOYMENTS), Website)]
    manager.add_controller("website", WebsiteReconciler(manager), sources)


if __name__ == "__main__":
    manager = Manager(connect(find_credentials(environment=os.environ, home=Path.home())))
    register(manager)
    manager.run(stop_on_signals())
