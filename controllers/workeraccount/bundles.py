"""The WorkerBundle of an account."""

from typing import Any

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import Key
from controllers.workers.bundle_patch import retired_image
from controllers.workers.keys import ACCOUNTS, COMPOSITION, IMAGE_SOURCE, LAST_IMAGE
from controllers.workers.names import bundle_object_name, label_value
from framework.apply import OwnedChildren
from framework.client import Client
from framework.listers import Lister


class BundleConflict(Exception):
    """The bundle is another's; the text says whose."""


class Bundles:
    def __init__(self, *, bundles: Lister[WorkerBundle], children: OwnedChildren, client: Client) -> None:
        self._bundles = bundles
        self._children = children
        self._client = client

    def ensure(self, account: WorkerAccount) -> WorkerBundle | None:
        """The bundle, with the options of *account*; None while it is being deleted. Raise BundleConflict."""
        key = Key(account.metadata.namespace, bundle_object_name(account.spec.worker_bundle_name))
        found = self._bundles.get(key)
        owner = found.metadata.controller_owner if found else None
        if owner is not None and owner.uid != account.metadata.uid:
            raise BundleConflict(f"WorkerBundle {key.name} is controlled by {owner.kind} {owner.name}")
        self._children.converge(account, [_manifest(account, key)])
        bundle = self._bundles.get(key)
        return None if bundle is None or bundle.metadata.is_being_deleted else bundle

    def empty(self, bundle: WorkerBundle) -> None:
        """Take out what a build of the account put in."""
        annotations = bundle.metadata.annotations
        if COMPOSITION not in annotations:
            return
        retired = retired_image(bundle, "")
        changed = {COMPOSITION: None, IMAGE_SOURCE: None, **({LAST_IMAGE: retired} if retired else {})}
        metadata = bundle.metadata
        self._client.merge_patch(
            WorkerBundle,
            bundle.key,
            {"metadata": {"annotations": changed}, "spec": {"workers": [], "podTemplate": {"image": None}}},
            resource_version=metadata.resource_version,
            uid=metadata.uid,
        )


def _manifest(account: WorkerAccount, key: Key) -> dict[str, Any]:
    """Not the image and the workers, which are the builds' to set."""
    pod, ingress = account.spec.pod_template, account.spec.ingress
    # What the encoder leaves out and the server fills in is said: else it could not be told from what others set.
    spec: dict[str, Any] = {
        "deploymentName": account.spec.worker_bundle_name,
        "podTemplate": {**msgspec.to_builtins(pod), "imagePullSecret": pod.image_pull_secret},
        "ingress": {**msgspec.to_builtins(ingress), "enabled": ingress.enabled, "mode": ingress.mode},
        "imageHistoryLimit": account.spec.image_history_limit,
    }
    if (scaling := pod.autoscaling) is not None:
        spec["podTemplate"]["autoscaling"] = {
            "minReplicas": scaling.min_replicas,
            "maxReplicas": scaling.max_replicas,
            "targetCPUUtilization": scaling.target_cpu_utilization,
        }
    return {
        "apiVersion": "api.worker-bundle/v1alpha1",
        "kind": "WorkerBundle",
        "metadata": {
            "name": key.name,
            "namespace": key.namespace,
            "labels": {ACCOUNTS: label_value(account.metadata.name)},
        },
        "spec": spec,
    }
