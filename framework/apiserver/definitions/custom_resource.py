"""From a definition to the resources that it makes the server serve."""

from typing import Any

from framework.apiserver.definitions.conditions import is_true
from framework.apiserver.definitions.conversion import ConversionWebhook, converter
from framework.apiserver.definitions.custom_rules import Convert, CustomRules
from framework.apiserver.definitions.scale_paths import scale_paths
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import Resource


def custom_resources(crd: Object, webhook: ConversionWebhook) -> list[Resource]:
    """One for each served version."""
    versions = crd["spec"]["versions"]
    storage_version = next(version["name"] for version in versions if version.get("storage"))
    convert = converter(crd, webhook)
    return [_resource(crd, version, storage_version, convert) for version in versions if version.get("served")]


def _resource(crd: Object, version: Any, storage_version: str, convert: Convert | None) -> Resource:
    spec, names = crd["spec"], crd["status"]["acceptedNames"]
    group = spec["group"]
    subresources = version.get("subresources") or {}
    return Resource(
        group=group,
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        list_kind=names.get("listKind") or names["kind"] + "List",
        is_namespaced=spec["scope"] == "Namespaced",
        rules=CustomRules(crd, version, convert),
        is_custom=True,
        is_terminating=is_true(crd, "Terminating"),
        subresources=frozenset(name for name in ("status", "scale") if name in subresources),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        scale=scale_paths(subresources),
        storage=GroupResource(group, names["plural"]),
        storage_api_version=f"{group}/{storage_version}",
        convert=convert,
    )
