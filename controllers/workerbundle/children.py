"""What is made for a bundle, and how it is kept so."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from apis.apps.v1 import Deployment
from apis.autoscaling.v2 import HorizontalPodAutoscaler
from apis.cfworker.workerbundle import BundleNames, WorkerBundle
from apis.core.v1 import Secret, Service
from apis.meta import Key, KubeObject
from apis.networking.v1 import Ingress
from controllers.reporting.recorder import Recorder
from controllers.workerbundle.deployment import deployment
from controllers.workerbundle.network import autoscaler, ingress, service
from controllers.workers.names import deployment_name, service_name
from framework.apply import OwnedChildren
from framework.client import Client
from framework.errors import Invalid, NotFound
from framework.listers import Lister

KINDS: Mapping[str, type[KubeObject]] = {
    "Deployment": Deployment,
    "Service": Service,
    "Ingress": Ingress,
    "HorizontalPodAutoscaler": HorizontalPodAutoscaler,
}
_ACTION = "Deploy"


class Refused(Exception):
    """The server does not take what the bundle asks for, or another has it; *reason* is that of the condition."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Recreating(Exception):
    """Something had to be deleted first; its end brings us back."""


class Applied(msgspec.Struct, frozen=True):
    names: BundleNames
    # None before the cache has it.
    deployment: Deployment | None
    has_deployed: bool


class BundleChildren:
    def __init__(
        self,
        *,
        children: OwnedChildren,
        deployments: Lister[Deployment],
        services: Lister[Service],
        secrets: Lister[Secret],
        client: Client,
        recorder: Recorder,
        ingress_host: str,
    ) -> None:
        self._children = children
        self._deployments = deployments
        self._services = services
        self._secrets = secrets
        self._client = client
        self._recorder = recorder
        self._ingress_host = ingress_host

    def apply(self, bundle: WorkerBundle) -> Applied:
        """Raise Refused or Recreating."""
        manifests = self._manifests(bundle)
        outcome = self._converge(bundle, manifests)
        self._replace_headless(bundle)
        names = {manifest["kind"]: manifest["metadata"]["name"] for manifest in manifests}
        changed = {child.resource_type.gvk.kind for child in (*outcome.created, *outcome.applied)}
        return Applied(
            BundleNames(deployment=names["Deployment"], service=names["Service"], ingress=names.get("Ingress", "")),
            self.deployment_of(bundle),
            "Deployment" in changed,
        )

    def remove(self, bundle: WorkerBundle) -> None:
        self._children.converge(bundle, [])

    def deployment_of(self, bundle: WorkerBundle) -> Deployment | None:
        return self._deployments.get(_key(bundle, deployment_name(bundle.spec.deployment_name)))

    def _manifests(self, bundle: WorkerBundle) -> list[dict[str, Any]]:
        made = (
            deployment(bundle, self._secrets),
            service(bundle),
            ingress(bundle, self._ingress_host),
            autoscaler(bundle),
        )
        return [each for each in made if each is not None]

    def _converge(self, bundle: WorkerBundle, manifests: Sequence[dict[str, Any]]) -> Any:
        self._check_names(bundle, manifests)
        try:
            return self._children.converge(bundle, manifests)
        except Invalid as error:
            kind = KINDS.get(error.details.kind)
            if kind is None or "immutable" not in str(error):
                raise Refused("Refused", str(error)) from None
            self._recreate(bundle, kind, error.details.name)
            raise Recreating from None

    def _check_names(self, bundle: WorkerBundle, manifests: Sequence[dict[str, Any]]) -> None:
        """What another controls is never touched; what nobody controls is adopted.

        Asked once, before anything is made: afterwards the names are ours.
        """
        names = bundle.status.names
        if names is not None and names.deployment == manifests[0]["metadata"]["name"]:
            return
        for manifest in manifests:
            kind, name = KINDS[manifest["kind"]], manifest["metadata"]["name"]
            owner = self._owner(bundle, kind, name)
            if owner is not None:
                raise Refused("NameTaken", f"{kind.__name__} {name} is controlled by {owner}")

    def _owner(self, bundle: WorkerBundle, kind: type[KubeObject], name: str) -> str | None:
        """Of something that is not this bundle's."""
        try:
            controller = self._client.get(kind, _key(bundle, name)).metadata.controller_owner
        except NotFound:
            return None
        is_ours = controller is None or controller.uid == bundle.metadata.uid
        return None if controller is None or is_ours else f"{controller.kind} {controller.name}"

    def _replace_headless(self, bundle: WorkerBundle) -> None:
        """One that upstream made has no address, and cannot get one."""
        name = service_name(bundle.spec.deployment_name)
        found = self._services.get(_key(bundle, name))
        if found is not None and found.spec.cluster_ip == "None":
            self._recreate(bundle, Service, name)
            raise Recreating

    def _recreate(self, bundle: WorkerBundle, kind: type[KubeObject], name: str) -> None:
        key = _key(bundle, name)
        with suppress(NotFound):
            live = self._client.get(kind, key)
            if not live.metadata.is_being_deleted:
                self._client.delete(kind, key, uid=live.metadata.uid, propagation="Background")
        note = f"{kind.__name__} {name} cannot be changed into what is wanted; it is deleted and made again"
        self._recorder.record(bundle, "Warning", "Recreated", note, action=_ACTION)


def _key(bundle: WorkerBundle, name: str) -> Key:
    return Key(bundle.metadata.namespace, name)
