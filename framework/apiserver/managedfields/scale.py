"""managedFields of the scale subresource: those of the object behind it, as far as they are about its replicas."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from framework.apiserver.managedfields.entries import (
    BadEntry,
    Entry,
    Managed,
    Managers,
    decoded,
    encoded,
    entries_of,
)
from framework.apiserver.managedfields.fieldset import FieldSet, Path, difference, field_set, has, parsed
from framework.apiserver.managedfields.manager import SchemaFieldManager
from framework.apiserver.managedfields.refusals import failure, identified
from framework.apiserver.managedfields.schema import schema_from_json
from framework.apiserver.managedfields.values import are_equal
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager

SCALE_API_VERSION = "autoscaling/v1"
_REPLICAS: Path = ("f:spec", "f:replicas")
_EMPTY = {"apiVersion": SCALE_API_VERSION, "kind": "Scale"}
_INVALID_VERSION = f"request to convert CR to an invalid group/version: {SCALE_API_VERSION}"
_NUMBER = {"type": "integer", "format": "int32"}
_SCALE = schema_from_json(
    {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"replicas": _NUMBER}},
            "status": {"type": "object", "properties": {"replicas": _NUMBER, "selector": {"type": "string"}}},
        },
    }
)


class ScaleFieldManager:
    """Keeps managedFields through writes to the scale subresource of objects in *api_version*.

    *replicas* tells for each version of the kind where its number of replicas is; None for a version without a scale.
    With *is_custom*, an apply that would change the number fails, as it does for custom resources on the real server.
    """

    def __init__(
        self, *, api_version: str, replicas: Mapping[str, tuple[str, ...] | None], is_custom: bool = False
    ) -> None:
        self._api_version = api_version
        self._is_custom = is_custom
        self._paths = {version: _path(names) if names is not None else None for version, names in replicas.items()}
        self._of_scale = SchemaFieldManager(_SCALE, api_version=SCALE_API_VERSION, reset_fields={})

    def update(self, live: Object, old: Object, new: Object, manager: str, now: str) -> Sequence[Entry]:
        """The entries of *live* after its scale went from *old* to *new* by a PUT or a patch."""
        parents = _decoded(live)
        written = _without_zero(new)
        before = self._with_entries(_without_zero(old), parents)
        self._of_scale.update(before, written, Manager(manager, SCALE_API_VERSION, "scale"), now)
        return self._entries(parents, written)

    def apply(
        self, live: Object, old: Object, patch: Object, manager: str, now: str, *, force: bool
    ) -> tuple[Object, Sequence[Entry]]:
        """The scale that *patch* makes of *old*, without entries, and the entries of *live* then."""
        parents = _decoded(live)
        before = self._with_entries(_without_zero(old), parents)
        if self._is_custom and not before["metadata"]["managedFields"]:
            raise failure(
                "failed to create manager for existing fields: failed to convert live object "
                f"({identified(_EMPTY)}) to proper version: {_INVALID_VERSION}"
            )
        writer = Manager(manager, SCALE_API_VERSION, "scale")
        result = self._of_scale.apply(before, patch, writer, now, force=force)
        if self._is_custom and not are_equal(result["spec"], before["spec"]):
            raise failure(f"failed to convert new object ({identified(patch)}) to proper version: {_INVALID_VERSION}")
        entries = self._entries(parents, result)
        result["metadata"].pop("managedFields", None)
        return result, entries

    def _with_entries(self, scale: Object, parents: Managers) -> Object:
        replicas = field_set([_REPLICAS])
        managers = {
            identity: Managed(replicas, SCALE_API_VERSION, managed.time)
            for identity, managed in parents.items()
            if (path := self._paths.get(managed.api_version)) is not None and has(managed.fields, path)
        }
        return {**scale, "metadata": {**scale["metadata"], "managedFields": encoded(managers)}}

    def _entries(self, parents: Managers, scale: Object) -> Sequence[Entry]:
        owners = _decoded(scale)
        managers: Managers = {}
        for identity, managed in parents.items():
            if managed.api_version not in self._paths:
                continue
            path = self._paths[managed.api_version]
            if path is None or not has(managed.fields, path) or owners.pop(identity, None) is not None:
                managers[identity] = managed
            elif rest := difference(managed.fields, field_set([path])):
                managers[identity] = managed.with_fields(rest)
        # As on the real server, these are told apart from those above by the version of the scale, and have the time
        # of an entry of the same identity only, which in practice means none.
        path = self._paths[self._api_version] or ()
        for identity, managed in owners.items():
            if has(managed.fields, _REPLICAS):
                time = parents[identity].time if identity in parents else None
                managers[identity] = Managed(field_set([path]), self._api_version, time)
        return encoded(managers)


def _path(names: tuple[str, ...]) -> Path:
    return tuple(f"f:{name}" for name in names)


def _decoded(obj: Object) -> Managers:
    try:
        return decoded(entries_of(obj) or (), _read)
    except BadEntry as error:
        raise failure(str(error)) from None


def _read(document: Any, _api_version: str) -> tuple[FieldSet, bool]:
    fields = parsed(document)
    return fields, fields == document


def _without_zero(scale: Object) -> Object:
    """A copy of *scale* as the real server keeps it: no replicas and none at all are the same to it."""
    copied: Object = msgspec.json.decode(msgspec.json.encode(scale))
    copied["spec"] = spec = copied.get("spec") or {}
    if not spec.get("replicas"):
        spec.pop("replicas", None)
    return copied
