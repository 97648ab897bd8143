"""The CustomResourceDefinition of a kind, from one class for each of its versions."""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from apis.meta import KindDeclaration, KubeObject, declaration_of
from apis.schema.errors import SchemaError
from apis.schema.version import version_of

_VERSION = re.compile(r"v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
_PLURAL = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_GROUP = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")


def crd_of(*versions: type[KubeObject]) -> dict[str, Any]:
    """The CustomResourceDefinition of one kind; *versions* are its classes, in any order."""
    if not versions:
        raise SchemaError("a kind needs at least one version")
    classes = sorted(versions, key=lambda cls: declaration_of(cls).resource_type.gvk.version)
    declarations = [declaration_of(cls) for cls in classes]
    _check_versions(declarations)
    storage = next(declaration for declaration in declarations if declaration.storage)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": storage.resource_type.name},
        "spec": {
            "group": storage.resource_type.gvk.group,
            "names": _names(storage),
            "scope": storage.resource_type.scope,
            "versions": [version_of(cls) for cls in classes],
        },
    }


def crds_of(kinds: Iterable[type[KubeObject]]) -> list[dict[str, Any]]:
    """One CustomResourceDefinition for each group and kind among *kinds*, sorted by name."""
    return [crd_of(*versions) for versions in versions_by_kind(kinds)]


def versions_by_kind(kinds: Iterable[type[KubeObject]]) -> list[list[type[KubeObject]]]:
    return [list(versions) for _, versions in groupby(sorted(kinds, key=_identity), key=_identity)]


def _identity(cls: type[KubeObject]) -> tuple[str, str]:
    group, _, kind = declaration_of(cls).resource_type.gvk
    return group, kind


def _names(declaration: KindDeclaration) -> dict[str, Any]:
    names: dict[str, Any] = {
        "kind": declaration.resource_type.gvk.kind,
        "listKind": declaration.list_kind,
        "plural": declaration.resource_type.plural,
        "singular": declaration.singular,
    }
    lists = {"shortNames": list(declaration.short_names), "categories": list(declaration.categories)}
    return names | {key: value for key, value in lists.items() if value}


def _check_versions(declarations: list[KindDeclaration]) -> None:
    first = declarations[0]
    kind = first.resource_type.gvk.kind
    _check_storage(declarations, kind)
    for declaration in declarations:
        _check_naming(declaration, kind)
        if _common(declaration) != _common(first):
            versions = f"{first.resource_type.gvk.version} and {declaration.resource_type.gvk.version}"
            raise SchemaError(f"{kind}: group, names and scope must be the same in {versions}")


def _check_storage(declarations: list[KindDeclaration], kind: str) -> None:
    names = [declaration.resource_type.gvk.version for declaration in declarations]
    if len(set(names)) < len(names):
        raise SchemaError(f"{kind}: a version is declared twice among {', '.join(names)}")
    stored = [declaration.resource_type.gvk.version for declaration in declarations if declaration.storage]
    if len(stored) != 1:
        found = ", ".join(stored) or "none"
        raise SchemaError(f"{kind}: exactly one version is stored, not {found}; set storage=False on all but one")


def _check_naming(declaration: KindDeclaration, kind: str) -> None:
    (group, version, _), plural = declaration.resource_type.gvk, declaration.resource_type.plural
    if declaration.builtin:
        raise SchemaError(f"{kind}: the server brings this kind itself; it has no CRD")
    if not _GROUP.fullmatch(group):
        raise SchemaError(f"{kind}: the group {group!r} must be a domain with at least one dot")
    if not _VERSION.fullmatch(version):
        raise SchemaError(f"{kind}: the version {version!r} must look like v1, v1beta1 or v1alpha1")
    if not _PLURAL.fullmatch(plural):
        raise SchemaError(f"{kind}: the plural {plural!r} must be lower case letters, digits and dashes")


def _common(declaration: KindDeclaration) -> tuple[Any, ...]:
    resource_type = declaration.resource_type
    return resource_type.gvk.group, resource_type.gvk.kind, resource_type.scope, _names(declaration)
