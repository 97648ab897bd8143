"""The FieldManager of a kind with a schema."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from framework.apiserver.managedfields.cap import capped
from framework.apiserver.managedfields.entries import (
    APPLY,
    UPDATE,
    BadEntry,
    Managed,
    ManagerId,
    Managers,
    encoded,
    entries_of,
    is_reset,
    manager_id,
)
from framework.apiserver.managedfields.fieldset import FieldSet, difference, field_set, has, union
from framework.apiserver.managedfields.lastapplied import (
    KUBECTL,
    fields_of_client_side_apply,
    follow_server_side_apply,
)
from framework.apiserver.managedfields.node import Node
from framework.apiserver.managedfields.reader import EntryReader
from framework.apiserver.managedfields.refusals import ConflictsFound, apply_conflict, failure, identified
from framework.apiserver.managedfields.updater import Convert, ResetFields, Updater, Versions
from framework.apiserver.managedfields.validation import validate
from framework.apiserver.managedfields.values import BadValue, are_equal
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager
from framework.errors import ApiError

_BEFORE_FIRST_APPLY = "before-first-apply"
_SET_BY_THE_SERVER = (
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
)
# What no manager owns.
_UNOWNED = field_set(
    [("f:apiVersion",), ("f:kind",), ("f:metadata",), *(("f:metadata", f"f:{name}") for name in _SET_BY_THE_SERVER)]
)


class SchemaFieldManager:
    """Keeps managedFields of objects with *schema*, which come in *api_version*.

    *reset_fields* tells for each subresource ("" is the object itself) the fields that its endpoint never writes.
    *other_versions* are the schemas of the kind's other versions, for managers that write those; *convert* turns an
    object into another version, by default by its apiVersion alone.

    Custom resources differ in two ways: a manager at a version that nobody knows is an error, and otherwise dropped;
    and an empty list of entries says nothing, where it otherwise resets them (`[{}]` always does).
    """

    def __init__(
        self,
        schema: Node,
        *,
        api_version: str,
        reset_fields: Mapping[str, Sequence[tuple[str, ...]]],
        other_versions: Mapping[str, Node] | None = None,
        convert: Convert | None = None,
        is_custom: bool = False,
    ) -> None:
        schemas = {**(other_versions or {}), api_version: schema}
        self._schema = schema
        self._api_version = api_version
        self._versions = Versions(schemas, convert)
        self._updater = Updater(self._versions)
        self._reader = EntryReader(self._versions)
        self._is_custom = is_custom
        # The endpoint of the object itself only looks after its own version; so does the real server.
        self._resets = {
            subresource: _resets(paths, schemas if subresource else (api_version,))
            for subresource, paths in reset_fields.items()
        }

    def update(self, live: Object | None, new: Object, manager: Manager, now: str) -> None:
        """Entries that stay as they are become part of *new* without a copy."""
        managers = self._managers_for_update(live, new, manager)
        metadata = new.setdefault("metadata", {})
        metadata.pop("managedFields", None)
        if live is not None and not managers:
            # Nobody is tracked any more, until somebody applies.
            return
        try:
            managers = self._updated(live, new, manager, managers, now)
        except (BadValue, ApiError):
            # As the real server: rather no managers than wrong ones.
            return
        if managers:
            metadata["managedFields"] = encoded(managers)

    def apply(self, live: Object | None, patch: Object, manager: Manager, now: str, *, force: bool) -> Object:
        """The result shares nothing with *live* and *patch*, except for entries that stay as they are."""
        managers = self._managers_for_apply(live)
        before = _new_object(patch) if live is None else _without_managed_fields(live)
        if live is not None and not managers:
            managers = self._managers_before_first_apply(before, manager.subresource, now)
        self._check(before, patch)
        applier = manager_id(manager.name, APPLY, self._api_version, manager.subresource)
        try:
            merged, managers = self._applied(before, patch, applier, managers, force=force)
        except ConflictsFound as found:
            raise apply_conflict(found.conflicts) from None
        except BadValue as error:
            raise failure(f"failed to merge config: {error}") from None
        if merged is not None and applier in managers:
            managers[applier] = Managed(managers[applier].fields, self._api_version, now)
        result: Object = msgspec.json.decode(msgspec.json.encode(before if merged is None else merged))
        if manager.name == KUBECTL:
            follow_server_side_apply(result, patch)
        return _with_entries(result, managers)

    def _managers_for_update(self, live: Object | None, new: Object, manager: Manager) -> Managers:
        entries = entries_of(new)
        if not manager.subresource:
            if is_reset(entries) and (entries or not self._is_custom):
                return {}
            # A client that does not know managedFields, or wrote nonsense, must not make the server forget.
            if entries and (managers := self._usable(entries)):
                return managers
        return self._usable(entries_of(live) or ())

    def _usable(self, entries: Sequence[Object]) -> Managers:
        try:
            return self._reader.managers(entries)
        except BadEntry:
            return {}

    def _managers_for_apply(self, live: Object | None) -> Managers:
        try:
            return self._reader.managers(entries_of(live) or ())
        except BadEntry as error:
            raise failure(f"failed to decode managed fields: {error}") from None

    def _managers_before_first_apply(self, live: Object, subresource: str, now: str) -> Managers:
        manager = Manager(_BEFORE_FIRST_APPLY, self._api_version, subresource)
        try:
            return self._updated(None, live, manager, {}, now)
        except BadValue as error:
            raise failure(f"failed to create manager for existing fields: {error}") from None

    def _updated(self, live: Object | None, new: Object, manager: Manager, managers: Managers, now: str) -> Managers:
        old = _new_object(new) if live is None else _without_managed_fields(live)
        resets = self._resets.get(manager.subresource, {})
        self._check_reset(old, new, resets)
        known = self._known(managers)
        remaining, set_fields = self._updater.update(old, new, self._api_version, known, resets)
        if owned := difference(set_fields, _UNOWNED):
            writer = manager_id(manager.name, UPDATE, self._api_version, manager.subresource)
            if writer in remaining:
                owned = union(remaining[writer].fields, owned)
            remaining[writer] = Managed(owned, self._api_version, now)
        return capped(remaining)

    def _check_reset(self, old: Object, new: Object, resets: ResetFields) -> None:
        """What is about to be dropped is looked at nowhere else."""
        for element in resets.get(self._api_version, {}):
            name = element[2:]
            child = self._schema.map_type.child(name) if self._schema.map_type is not None else None
            if child is not None and name in new and not are_equal(old.get(name), new[name]):
                validate(child, new[name], allows_duplicates=True)

    def _check(self, live: Object, patch: Object) -> None:
        try:
            validate(self._schema, patch)
        except BadValue as error:
            raise failure(f"failed to create typed patch object ({identified(patch)}): {error}") from None
        try:
            validate(self._schema, live, allows_duplicates=True)
        except BadValue as error:
            raise failure(f"failed to create typed live object ({identified(live)}): {error}") from None

    def _applied(
        self, live: Object, patch: Object, applier: ManagerId, managers: Managers, *, force: bool
    ) -> tuple[Object | None, Managers]:
        resets: ResetFields = self._resets.get(applier.subresource, {})
        known = self._known(managers)
        try:
            merged, remaining = self._updater.apply(live, patch, applier, known, resets, force=force)
        except ConflictsFound as found:
            if applier.name != KUBECTL:
                raise
            allowed = fields_of_client_side_apply(self._schema, live, self._api_version)
            conflicts = [conflict for conflict in found.conflicts if not has(allowed, conflict.path)]
            if conflicts:
                raise ConflictsFound(conflicts) from None
            merged, remaining = self._updater.apply(live, patch, applier, known, resets, force=True)
        return merged, _without_unowned(remaining, applier)

    def _known(self, managers: Managers) -> Managers:
        unknown = [
            managed.api_version for managed in managers.values() if not self._versions.knows(managed.api_version)
        ]
        if unknown and self._is_custom:
            raise failure(f"request to convert CR to an invalid group/version: {unknown[0]}")
        if not unknown:
            return managers
        return {
            identity: managed for identity, managed in managers.items() if self._versions.knows(managed.api_version)
        }


def _resets(paths: Iterable[tuple[str, ...]], api_versions: Iterable[str]) -> dict[str, FieldSet]:
    fields = field_set(tuple(f"f:{name}" for name in path) for path in paths)
    return dict.fromkeys(api_versions, fields) if fields else {}


def _without_unowned(managers: Managers, applier: ManagerId) -> Managers:
    if applier in managers:
        managed = managers[applier]
        fields = difference(managed.fields, _UNOWNED)
        managers[applier] = managed.with_fields(fields)
        if not fields:
            del managers[applier]
    return managers


def _new_object(obj: Object) -> Object:
    """What is there before an object is created."""
    return {name: obj[name] for name in ("apiVersion", "kind") if name in obj}


def _without_managed_fields(obj: Object) -> Object:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def _with_entries(obj: Object, managers: Managers) -> Object:
    # An apply may send null.
    obj["metadata"] = obj.get("metadata") or {}
    if managers:
        obj["metadata"]["managedFields"] = encoded(managers)
    else:
        obj["metadata"].pop("managedFields", None)
    return obj
