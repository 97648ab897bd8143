"""The discovery documents of one set of resources."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from framework.apiserver.discovery.entries import aggregated_entry, resource_entries
from framework.apiserver.discovery.order import groups_in_order, in_order_of_preference
from framework.apiserver.resource import Resource


class Document(msgspec.Struct, frozen=True):
    """A body, and the tag that changes exactly when the body does."""

    body: bytes
    etag: str


class DiscoveryDocuments:
    """Built from the resources of one moment: whoever changes the resources makes new documents."""

    def __init__(self, resources: Iterable[Resource], *, server_address: str = "") -> None:
        self._server_address = server_address
        # Group, then version in order of preference, then resources by name.
        self._groups: dict[str, dict[str, list[Resource]]] = {}
        by_group: dict[str, dict[str, list[Resource]]] = {}
        for resource in resources:
            by_group.setdefault(resource.group, {}).setdefault(resource.version, []).append(resource)
        for group in groups_in_order(by_group):
            versions = by_group[group]
            self._groups[group] = {
                version: sorted(versions[version], key=lambda resource: resource.plural)
                for version in in_order_of_preference(versions)
            }
        self._resource_lists: dict[tuple[str, str], bytes] = {}

    @cached_property
    def core_versions(self) -> bytes:
        """`/api`."""
        addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": self._server_address}]
        versions = list(self._groups.get("", {}))
        return _line({"kind": "APIVersions", "versions": versions, "serverAddressByClientCIDRs": addresses})

    @cached_property
    def group_list(self) -> bytes:
        """`/apis`."""
        groups = [_group(name, versions) for name, versions in self._groups.items() if name]
        return _line({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})

    def group(self, name: str) -> bytes | None:
        """`/apis/GROUP`."""
        versions = self._groups.get(name) if name else None
        return _line({"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}) if versions else None

    def resource_list(self, group: str, version: str) -> bytes | None:
        """`/api/v1` and `/apis/GROUP/VERSION`."""
        resources = self._groups.get(group, {}).get(version)
        if resources is None:
            return None
        if (group, version) not in self._resource_lists:
            self._resource_lists[group, version] = _line(_resource_list(group, version, resources))
        return self._resource_lists[group, version]

    @cached_property
    def aggregated_core(self) -> Document:
        """`/api` as an APIGroupDiscoveryList."""
        return self._aggregated([name for name in self._groups if not name])

    @cached_property
    def aggregated_groups(self) -> Document:
        """`/apis` as an APIGroupDiscoveryList."""
        return self._aggregated([name for name in self._groups if name])

    def group_versions(self) -> Sequence[tuple[str, str]]:
        return [(group, version) for group, versions in self._groups.items() for version in versions]

    def paths(self) -> Sequence[str]:
        """Where discovery and resources are found, for the list at `/`."""
        paths = {"/api", "/apis"}
        for group, version in self.group_versions():
            paths |= {f"/apis/{group}", f"/apis/{group}/{version}"} if group else {f"/api/{version}"}
        return sorted(paths)

    def _aggregated(self, groups: Sequence[str]) -> Document:
        items = [_aggregated_group(name, self._groups[name]) for name in groups]
        body = _line(
            {
                "kind": "APIGroupDiscoveryList",
                "apiVersion": "apidiscovery.k8s.io/v2",
                "metadata": {},
                "items": items,
            }
        )
        return Document(body, hashlib.sha512(body).hexdigest().upper())


def _group(name: str, versions: Mapping[str, Sequence[Resource]]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resource_list(group: str, version: str, resources: Sequence[Resource]) -> dict[str, Any]:
    # The core group's list has no apiVersion: a slip of the first days that clients have come to know.
    header = {"kind": "APIResourceList", **({"apiVersion": "v1"} if group else {})}
    entries = [entry for resource in resources for entry in resource_entries(resource)]
    return {**header, "groupVersion": f"{group}/{version}" if group else version, "resources": entries}


def _aggregated_group(name: str, versions: Mapping[str, Sequence[Resource]]) -> dict[str, Any]:
    return {
        "metadata": {"name": name} if name else {},
        "versions": [
            {
                "version": version,
                "resources": [aggregated_entry(resource) for resource in resources],
                "freshness": "Current",
            }
            for version, resources in versions.items()
        ],
    }


def _line(document: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(document) + b"\n"
