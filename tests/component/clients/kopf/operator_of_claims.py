"""An operator in the manner of kopf's tutorial: a claim has a child, here a ConfigMap that says its size."""

from typing import Any

import kopf
import kubernetes

# Its annotations are partial.
_official: Any = kubernetes
CONFLICT = 409
CLAIMS = ("kopf.example", "v1", "ephemeralvolumeclaims")


@kopf.on.startup()
def connect(**_: Any) -> None:
    _official.config.load_kube_config()


def create_config_map(namespace: str | None, body: Any) -> None:
    """Create it unless it is there: a handler runs again when its outcome could not be written."""
    try:
        _official.client.CoreV1Api().create_namespaced_config_map(namespace, body)
    except _official.client.ApiException as error:
        if error.status != CONFLICT:
            raise


@kopf.on.create(*CLAIMS)
def create_child(spec: kopf.Spec, name: str, namespace: str | None, retry: int, **_: Any) -> dict[str, str]:
    if not spec.get("size"):
        raise kopf.PermanentError(f"size must be set, got {spec.get('size')!r}")
    if spec.get("isShy") and retry == 0:
        raise kopf.TemporaryError("not at the first try", delay=0.1)
    child = {"metadata": {"name": f"child-of-{name}"}, "data": {"size": spec["size"]}}
    kopf.adopt(child)
    create_config_map(namespace, child)
    return {"child": f"child-of-{name}"}


@kopf.on.update(*CLAIMS, field="spec.size")
def update_child(new: Any, status: kopf.Status, namespace: str | None, **_: Any) -> None:
    child = status["create_child"]["child"]
    _official.client.CoreV1Api().patch_namespaced_config_map(child, namespace, {"data": {"size": new}})


@kopf.on.field(*CLAIMS, field="metadata.labels")
def relabel_child(old: Any, new: Any, status: kopf.Status, namespace: str | None, **_: Any) -> None:
    child = status.get("create_child", {}).get("child")
    if child is not None:
        removed = dict.fromkeys(set(old or {}) - set(new or {}))
        labels = {**removed, **(new or {})}
        _official.client.CoreV1Api().patch_namespaced_config_map(child, namespace, {"metadata": {"labels": labels}})


@kopf.on.delete(*CLAIMS)
def say_farewell(name: str, namespace: str | None, body: kopf.Body, **_: Any) -> None:
    farewell = {"metadata": {"name": f"farewell-of-{name}"}, "data": {"deleted": body.metadata["deletionTimestamp"]}}
    create_config_map(namespace, farewell)


@kopf.timer(*CLAIMS, interval=0.2, when=lambda spec, **_: spec.get("isTimed", False))
def count(patch: kopf.Patch, status: kopf.Status, **_: Any) -> None:
    patch.status["ticks"] = status.get("ticks", 0) + 1


@kopf.on.event("configmaps", labels={"watched": "yes"})
def note_event(event: Any, body: kopf.Body, **_: Any) -> None:
    if event["type"] != "DELETED":
        kopf.event(body, type="Normal", reason="Noted", message=f"{body.metadata.name} was seen")
