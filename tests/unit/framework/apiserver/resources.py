"""Resources for tests that look at what is said about them, not at what they do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import KindRules, Resource

_CRDS = Path(__file__).parents[4] / "crds"


def requeststate_definition() -> Object:
    [path] = _CRDS.glob("*requeststates.yaml")
    return msgspec.yaml.decode(path.read_bytes(), type=dict[str, Any])


def builtin() -> Sequence[Resource]:
    return [
        _resource(
            group=one.group,
            version=one.version,
            kind=one.kind,
            plural=one.plural,
            singular=one.singular,
            list_kind=one.list_kind,
            is_namespaced=one.is_namespaced,
            verbs=one.verbs,
            subresources=frozenset(subresource.name for subresource in one.subresources),
            short_names=one.short_names,
            categories=one.categories,
            storage=one.storage,
            storage_api_version="v1" if one.plural == "events" else one.api_version,
        )
        for one in builtin_resources()
    ]


def custom(definition: Mapping[str, Any]) -> Sequence[Resource]:
    spec = definition["spec"]
    names = spec["names"]
    return [
        _resource(
            group=spec["group"],
            version=version["name"],
            kind=names["kind"],
            plural=names["plural"],
            singular=names["singular"],
            list_kind=names["listKind"],
            is_namespaced=spec["scope"] == "Namespaced",
            is_custom=True,
            subresources=frozenset(version.get("subresources", {})),
            short_names=tuple(names.get("shortNames", ())),
            categories=tuple(names.get("categories", ())),
            storage=GroupResource(spec["group"], names["plural"]),
            storage_api_version=f"{spec['group']}/{version['name']}",
        )
        for version in spec["versions"]
        if version["served"]
    ]


def a_definition(group: str = "example.com", kind: str = "Widget", **version: Any) -> Object:
    """A CustomResourceDefinition with one version, v1 if *version* has no other name."""
    plural = f"{kind.lower()}s"
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    versions = [{"name": "v1", "served": True, "storage": True, **version}]
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": versions}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


def _resource(**fields: Any) -> Resource:
    return Resource(rules=cast("KindRules", None), **fields)
