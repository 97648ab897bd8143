"""What discovery says about one resource and its subresources."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.resource import Resource

# The real server lists the verbs of custom resources in this order, and those of its own by name.
_CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
# While their definition is being deleted.
_LAST_VERBS = ("delete", "deletecollection", "get", "list", "watch")


class Subresource(msgspec.Struct, frozen=True):
    """*group*, *version* and *kind* say what it reads and writes."""

    name: str
    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]


def resource_entries(resource: Resource) -> Sequence[dict[str, Any]]:
    """The entries of an APIResourceList: the resource, then its subresources."""
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.is_namespaced,
        "kind": resource.kind,
        "verbs": _verbs(resource),
        **_names(resource),
    }
    if "list" in resource.verbs:
        entry["storageVersionHash"] = _storage_version_hash(resource)
    return [entry, *(_subresource_entry(resource, subresource) for subresource in subresources_of(resource))]


def aggregated_entry(resource: Resource) -> dict[str, Any]:
    """The entry of an APIGroupDiscoveryList: the subresources stand inside it."""
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": _response_kind(resource, resource.group, resource.version, resource.kind),
        "scope": "Namespaced" if resource.is_namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": _verbs(resource),
        **_names(resource),
    }
    subresources = [
        {
            "subresource": one.name,
            "responseKind": _response_kind(resource, one.group, one.version, one.kind),
            "verbs": one.verbs,
        }
        for one in subresources_of(resource)
    ]
    if subresources:
        entry["subresources"] = subresources
    return entry


def subresources_of(resource: Resource) -> Sequence[Subresource]:
    """Those that *resource* serves, in the order of discovery."""
    known = _builtin_subresources().get((resource.group, resource.version, resource.plural))
    if known is None:
        known = _custom_subresources(resource)
    return [subresource for subresource in known if subresource.name in resource.subresources]


def is_custom(resource: Resource) -> bool:
    return (resource.group, resource.version, resource.plural) not in _builtin_subresources()


def _subresource_entry(resource: Resource, subresource: Subresource) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": f"{resource.plural}/{subresource.name}",
        "singularName": "",
        "namespaced": resource.is_namespaced,
    }
    if (subresource.group, subresource.version) != (resource.group, resource.version):
        entry |= {"group": subresource.group, "version": subresource.version}
    return entry | {"kind": subresource.kind, "verbs": subresource.verbs}


def _response_kind(resource: Resource, group: str, version: str, kind: str) -> dict[str, str]:
    is_own = (group, version) == (resource.group, resource.version)
    # Of its own kinds the real server leaves group and version to the reader.
    if is_own and not is_custom(resource):
        return {"group": "", "version": "", "kind": kind}
    return {"group": group, "version": version, "kind": kind}


def _verbs(resource: Resource) -> Sequence[str]:
    if is_custom(resource):
        known = _LAST_VERBS if resource.is_terminating else _CUSTOM_VERBS
        return [verb for verb in known if verb in resource.verbs]
    return resource.verbs


def _names(resource: Resource) -> Mapping[str, Sequence[str]]:
    names = {"shortNames": resource.short_names, "categories": resource.categories}
    return {name: values for name, values in names.items() if values}


def _storage_version_hash(resource: Resource) -> str:
    version = resource.storage_api_version
    stored = f"{version if resource.storage.group else f'/{version}'}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(stored.encode()).digest()[:8]).decode()


def _custom_subresources(resource: Resource) -> Sequence[Subresource]:
    verbs = ("get", "patch", "update")
    return (
        Subresource("status", resource.group, resource.version, resource.kind, verbs),
        Subresource("scale", "autoscaling", "v1", "Scale", verbs),
    )


@cache
def _builtin_subresources() -> Mapping[tuple[str, str, str], Sequence[Subresource]]:
    return {
        (resource.group, resource.version, resource.plural): [
            Subresource(one.name, one.group, one.version, one.kind, one.verbs) for one in resource.subresources
        ]
        for resource in builtin_resources()
    }
