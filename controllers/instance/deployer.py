"""Makes an Instance's objects on its cluster what they should be."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from apis.apps.v1 import Deployment
from apis.core.v1 import Namespace, Secret, Service
from apis.laf.instance import InstanceStatus, RemoteUids
from apis.meta import Key, KubeObject, ObjectMeta, Unstructured, resource_type_of
from controllers.instance.desired import Desired
from controllers.instance.problem import NotDeployable
from controllers.instance.remote_place import RemotePlace
from framework.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
)

T = TypeVar("T", bound=KubeObject)

_RETRY_TERMINATING_SECONDS = 10.0
# Not the word of the cluster about this object: somebody was faster, or it cannot answer now.
_NOT_A_VERDICT = (Unauthorized, NotFound, Conflict, AlreadyExists, TooManyRequests, ServerError)


class Deployed(msgspec.Struct, frozen=True):
    """What is on the cluster now, and what had to be done for it: the reason of an event, and what it tells."""

    uids: RemoteUids
    deployment: Deployment
    news: tuple[tuple[str, str], ...] = ()


class Deployer:
    """For one reconcile of one Instance."""

    def __init__(self, place: RemotePlace, desired: Desired) -> None:
        self._place = place
        self._desired = desired
        self._status: InstanceStatus = place.instance.status
        self._is_same_wish = self._status.applied_hash == desired.hash
        self._news: list[tuple[str, str]] = []
        self._has_namespace = False

    def settled(self) -> Deployed | None:
        """What is there, if the caches say that all of it is as it should be."""
        secret, deployment = self._place.cached(Secret), self._place.cached(Deployment)
        service = self._place.cached(Service)
        if secret is None or deployment is None or service is None:
            return None
        is_right = self._has_secret(secret) and self._has_deployment(deployment) and self._has_service(service)
        return self._outcome(secret, deployment, service) if is_right else None

    def ensure(self) -> Deployed:
        """Make it so; raises NotDeployable."""
        try:
            secret = self._ensure(Secret, self._has_secret, self._secret, self._secret_operations)
            deployment = self._ensure_deployment()
            service = self._ensure(Service, self._has_service, self._service, self._service_operations)
        except Forbidden as error:
            if error.has_cause("NamespaceTerminating"):
                raise self._terminating() from error
            raise NotDeployable("RemoteRejected", str(error)) from error
        except _NOT_A_VERDICT:
            raise
        except ApiError as error:
            raise NotDeployable("RemoteRejected", str(error)) from error
        return self._outcome(secret, deployment, service)

    def _outcome(self, secret: Secret, deployment: Deployment, service: Service) -> Deployed:
        uids = RemoteUids(deployment=deployment.metadata.uid, service=service.metadata.uid, secret=secret.metadata.uid)
        return Deployed(uids, deployment, tuple(self._news))

    def _ensure(
        self,
        kind: type[T],
        is_right: Callable[[T], bool],
        content: Callable[[], Mapping[str, Any]],
        operations: Callable[[], list[dict[str, Any]]],
    ) -> T:
        cached = self._place.cached(kind)
        if cached is not None and is_right(cached):
            return cached
        live = self._living(kind)
        if live is None:
            return self._create(kind, content())
        if is_right(live):
            return live
        patched = self._place.client.json_patch(kind, live.key, [*self._marking(live), *operations()])
        self._tell_of_change(live)
        return patched

    def _ensure_deployment(self) -> Deployment:
        cached = self._place.cached(Deployment)
        if cached is not None and self._has_deployment(cached):
            return cached
        live = self._living(Deployment)
        if live is not None and live.spec.selector.match_labels != dict(self._desired.selector):
            # A selector cannot be changed.
            self._place.client.delete(Deployment, live.key, uid=live.metadata.uid, propagation="Background")
            live = self._living(Deployment)
        if live is None:
            return self._create(Deployment, {"spec": self._desired.deployment_spec})
        if self._has_deployment(live):
            return live
        replaced = {"op": "replace", "path": "/spec", "value": self._desired.deployment_spec}
        patched = self._place.client.json_patch(Deployment, live.key, [*self._marking(live), replaced])
        self._tell_of_change(live)
        return patched

    def _living(self, kind: type[T]) -> T | None:
        """As the server has it; raises NotDeployable if it is not ours."""
        live = self._place.live(kind)
        if live is None:
            return None
        if not self._place.is_ours(live):
            text = f"{kind.__name__} {live.key} is on the cluster already, and was not made for this Instance"
            raise NotDeployable("NameCollision", text)
        if live.metadata.is_being_deleted:
            raise NotDeployable(
                "RemoteRejected", f"{kind.__name__} {live.key} is still being deleted", _RETRY_TERMINATING_SECONDS
            )
        return live

    def _create(self, kind: type[T], content: Mapping[str, Any]) -> T:
        self._ensure_namespace()
        key = self._place.key_of(kind)
        metadata = {
            "name": key.name,
            "namespace": key.namespace,
            "labels": dict(self._desired.labels),
            "annotations": dict(self._desired.annotations),
        }
        manifest = Unstructured(content={"metadata": metadata, **content})
        made = self._place.client.create(manifest, kind=resource_type_of(kind))
        if self._status.remote_uids is not None and self._is_same_wish:
            self._news.append(("DriftCorrected", f"{kind.__name__} {key.name} was gone, and was made again"))
        return self._place.client.codec_of(kind).decode_answer(msgspec.json.encode(made.content))

    def _ensure_namespace(self) -> None:
        """Only looked at when something must be made in it."""
        if self._has_namespace:
            return
        name = self._desired.namespace
        try:
            namespace = self._existing_namespace(name)
        except Forbidden as error:
            raise NotDeployable("RemoteNamespaceForbidden", str(error)) from error
        if namespace.metadata.is_being_deleted or namespace.status.phase == "Terminating":
            raise self._terminating()
        self._has_namespace = True

    def _existing_namespace(self, name: str) -> Namespace:
        try:
            return self._place.client.get(Namespace, Key("", name))
        except NotFound:
            labels = {"laf.dev/namespace.type": "app", "app.kubernetes.io/managed-by": "laf-controller"}
            return self._place.client.create(Namespace(metadata=ObjectMeta(name=name, labels=labels)))

    def _terminating(self) -> NotDeployable:
        text = f"namespace {self._desired.namespace} is being deleted on the cluster"
        return NotDeployable("RemoteNamespaceTerminating", text, _RETRY_TERMINATING_SECONDS)

    def _marking(self, live: KubeObject) -> list[dict[str, Any]]:
        """Our marks beside those of others; and nothing at all if the object is another by now."""
        metadata = live.metadata
        return [
            {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata.resource_version},
            {"op": "add", "path": "/metadata/labels", "value": {**metadata.labels, **self._desired.labels}},
            {
                "op": "add",
                "path": "/metadata/annotations",
                "value": {**metadata.annotations, **self._desired.annotations},
            },
        ]

    def _tell_of_change(self, live: KubeObject) -> None:
        kind = type(live).__name__
        if not self._status.applied_hash:
            # Found after a crash, or left behind by an earlier Instance of this name.
            return
        if self._is_same_wish:
            self._news.append(
                ("DriftCorrected", f"{kind} {live.metadata.name} was changed by others, and was set right")
            )
        elif isinstance(live, Deployment):
            self._news.append(("DeploymentUpdated", f"Deployment {live.metadata.name} was brought up to date"))

    def _is_marked(self, obj: KubeObject) -> bool:
        metadata = obj.metadata
        return (
            self._desired.labels.items() <= metadata.labels.items()
            and self._desired.annotations.items() <= metadata.annotations.items()
        )

    def _has_secret(self, secret: Secret) -> bool:
        return secret.data == self._desired.secret_data and self._is_marked(secret)

    def _has_deployment(self, deployment: Deployment) -> bool:
        """By what was recorded after the last write: then nobody else has changed the spec since."""
        status, metadata = self._status, deployment.metadata
        recorded = status.remote_uids or RemoteUids()
        is_as_recorded = (metadata.uid, metadata.generation) == (recorded.deployment, status.remote_generation)
        return is_as_recorded and self._is_same_wish and self._is_marked(deployment)

    def _has_service(self, service: Service) -> bool:
        spec, wanted = service.spec, self._desired.service_spec
        ports = [msgspec.to_builtins(port) for port in spec.ports]
        is_same = (spec.type, spec.selector, ports) == (wanted["type"], wanted["selector"], wanted["ports"])
        return is_same and self._is_marked(service)

    def _secret(self) -> Mapping[str, Any]:
        return {"type": "Opaque", "data": msgspec.to_builtins(dict(self._desired.secret_data))}

    def _secret_operations(self) -> list[dict[str, Any]]:
        return [{"op": "add", "path": "/data", "value": msgspec.to_builtins(dict(self._desired.secret_data))}]

    def _service(self) -> Mapping[str, Any]:
        return {"spec": self._desired.service_spec}

    def _service_operations(self) -> list[dict[str, Any]]:
        wanted = self._desired.service_spec
        return [{"op": "add", "path": f"/spec/{name}", "value": wanted[name]} for name in ("type", "selector", "ports")]
