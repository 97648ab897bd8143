"""Transforms that keep a part of each object, so that a cache costs what its readers need."""

from functools import cache
from typing import Any

import msgspec

from apis.meta import KubeObject

# Holds a copy of the whole object, as kubectl last applied it.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Path = str | tuple[str, ...]
# By name; a part without parts of its own is kept whole.
_Parts = dict[str, Any]


class KeepFields(msgspec.Struct, frozen=True):
    """Keeps the metadata, without managed fields and copies of the whole, and the fields at *paths*."""

    paths: tuple[Path, ...]

    def __call__(self, content: dict[str, Any]) -> dict[str, Any]:
        identity: dict[str, Any] = {name: content[name] for name in ("apiVersion", "kind") if name in content}
        # Last: a path into the metadata does not narrow it.
        return {**_kept(content, _parts(self.paths)), **identity, "metadata": _slim(content.get("metadata", {}))}


class KeepDeclared(msgspec.Struct, frozen=True):
    """Keeps the fields that the Struct *kind* declares: whatever can be read through it."""

    kind: type[KubeObject]

    def __call__(self, content: dict[str, Any]) -> dict[str, Any]:
        declared: dict[str, Any] = msgspec.to_builtins(msgspec.convert(content, self.kind))
        declared["metadata"] = _slim(declared.get("metadata", {}))
        return declared


def keep_fields(*paths: Path) -> KeepFields:
    """A transform for `InformerOptions`; a path is `spec.replicas`, or a tuple if a name has dots.

    A path leads through lists to each of their elements. Fields that are not
    kept have their default in a typed object: prefer `keep_declared`.
    """
    return KeepFields(paths)


def keep_declared(kind: type[KubeObject]) -> KeepDeclared:
    """A transform for `InformerOptions`: of objects of a large kind, the fields of a small Struct."""
    return KeepDeclared(kind)


@cache
def _parts(paths: tuple[Path, ...]) -> _Parts:
    parts: _Parts = {}
    for path in paths:
        names = path.split(".") if isinstance(path, str) else path
        here: _Parts | None = parts
        for name in names[:-1]:
            here = None if here is None else here.setdefault(name, {})
        if here is not None:
            # None, and for good: what is kept whole is not narrowed by another path.
            here[names[-1]] = None
    return parts


def _kept(value: Any, parts: _Parts | None) -> Any:
    if parts is None:
        return value
    if isinstance(value, list):
        return [_kept(each, parts) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _kept(value[name], deeper) for name, deeper in parts.items() if name in value}


def _slim(metadata: dict[str, Any]) -> dict[str, Any]:
    slim = {name: value for name, value in metadata.items() if name != "managedFields"}
    if LAST_APPLIED in (slim.get("annotations") or {}):
        slim["annotations"] = {name: text for name, text in slim["annotations"].items() if name != LAST_APPLIED}
    return slim
