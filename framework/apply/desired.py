"""What a controller wants, as the manifest that is applied."""

from collections.abc import Mapping
from typing import Any

import msgspec

from apis.meta import GroupVersionKind, Key, KubeObject, OwnerReference, ResourceType, Unstructured, resource_type_of
from framework.errors import TerminalError

Desired = KubeObject | Mapping[str, Any]


def gvk_of(desired: Desired) -> GroupVersionKind:
    if isinstance(desired, KubeObject) and not isinstance(desired, Unstructured):
        return resource_type_of(type(desired)).gvk
    content = desired.content if isinstance(desired, Unstructured) else desired
    if not content.get("apiVersion") or not content.get("kind"):
        raise TerminalError("a desired child that is no typed object must say its apiVersion and kind")
    return GroupVersionKind.parse(content["apiVersion"], content["kind"])


def manifest_of(desired: Desired, resource_type: ResourceType, default_namespace: str) -> dict[str, Any]:
    """A copy of *desired* in plain JSON values, with apiVersion, kind and namespace."""
    content = desired.content if isinstance(desired, Unstructured) else desired
    manifest: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(content))
    metadata = manifest.setdefault("metadata", {})
    if not metadata.get("name"):
        raise TerminalError(f"a desired {resource_type.gvk.kind} has no metadata.name; a child needs a fixed one")
    if resource_type.is_namespaced and default_namespace:
        metadata.setdefault("namespace", default_namespace)
    return {"apiVersion": resource_type.gvk.api_version, "kind": resource_type.gvk.kind, **manifest}


def key_of(manifest: Mapping[str, Any]) -> Key:
    return Key(manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])


def owned_by(manifest: dict[str, Any], reference: OwnerReference) -> dict[str, Any]:
    """*manifest* with *reference*, in place of one to the same owner."""
    metadata = manifest["metadata"]
    others = [each for each in metadata.get("ownerReferences", ()) if each.get("uid") != reference.uid]
    references = [*others, msgspec.to_builtins(reference)]
    return {**manifest, "metadata": {**metadata, "ownerReferences": references}}


def aimed_at(manifest: dict[str, Any], uid: str) -> dict[str, Any]:
    """*manifest*, which the server then refuses to apply to, or to create as, another object of that name."""
    return {**manifest, "metadata": {**manifest["metadata"], "uid": uid}}
