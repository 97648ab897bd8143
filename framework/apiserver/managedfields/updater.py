"""Who owns what after a write, and what an apply makes of an object.

Objects come here without their managedFields.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from framework.apiserver.managedfields.applied import fields_of, with_declared_fields
from framework.apiserver.managedfields.comparison import Comparison, compare
from framework.apiserver.managedfields.entries import Managed, ManagerId, Managers
from framework.apiserver.managedfields.fieldset import (
    FieldSet,
    difference,
    difference_with_children,
    intersection,
    paths_of,
    union,
)
from framework.apiserver.managedfields.merging import merge
from framework.apiserver.managedfields.node import Node
from framework.apiserver.managedfields.refusals import ConflictsFound, ManagerConflict
from framework.apiserver.managedfields.removal import without_fields
from framework.apiserver.managedfields.validation import validate
from framework.apiserver.managedfields.values import are_equal
from framework.apiserver.objects import Object

Convert: TypeAlias = Callable[[Object, str], Object]
# For each apiVersion, the fields that this endpoint never writes.
ResetFields: TypeAlias = Mapping[str, FieldSet]


class Versions:
    """The schemas of a kind by apiVersion, and the way from one to another."""

    def __init__(self, schemas: Mapping[str, Node], convert: Convert | None) -> None:
        self._schemas = schemas
        self._convert = convert

    def knows(self, api_version: str) -> bool:
        return api_version in self._schemas

    def schema(self, api_version: str) -> Node:
        return self._schemas[api_version]

    def converted(self, obj: Object, api_version: str) -> Object:
        if obj.get("apiVersion") == api_version:
            return obj
        result = {**obj, "apiVersion": api_version} if self._convert is None else self._convert(obj, api_version)
        validate(self._schemas[api_version], result)
        return result


class _Change:
    """One write, as the managers at each version see it."""

    def __init__(self, versions: Versions, old: Object, new: Object, resets: ResetFields) -> None:
        self._versions = versions
        self._old = old
        self._new = new
        self._resets = resets
        self._comparisons: dict[str, Comparison] = {}

    def at(self, api_version: str) -> Comparison:
        comparison = self._comparisons.get(api_version)
        if comparison is None:
            comparison = self._comparisons[api_version] = self._compared(api_version)
        return comparison

    def _compared(self, api_version: str) -> Comparison:
        old, new = (self._versions.converted(obj, api_version) for obj in (self._old, self._new))
        comparison = compare(self._versions.schema(api_version), old, new)
        reset = self._resets.get(api_version)
        return comparison if reset is None else comparison.without(reset)


class Updater:
    """Works on managers whose versions are known, and never changes what it is given."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions

    def update(
        self, old: Object, new: Object, api_version: str, managers: Managers, resets: ResetFields
    ) -> tuple[Managers, FieldSet]:
        """The other managers after a write that simply happened, and what the writer set."""
        change = _Change(self._versions, old, new, resets)
        set_fields = change.at(api_version).set_fields
        return self._remaining(change, managers), set_fields

    def apply(
        self,
        live: Object,
        patch: Object,
        applier: ManagerId,
        managers: Managers,
        resets: ResetFields,
        *,
        force: bool,
    ) -> tuple[Object | None, Managers]:
        """The object after *patch* (None if it does not change) and its managers; raises ConflictsFound."""
        api_version = patch["apiVersion"]
        schema = self._versions.schema(api_version)
        merged: Object = merge(schema, live, patch)
        last = managers.get(applier)
        fields = difference_with_children(fields_of(schema, patch), resets.get(api_version, {}))
        time = None if last is None else last.time
        managers = {**managers, applier: Managed(fields, api_version, time)}
        if last is not None and last.fields:
            merged = self._pruned(merged, managers, applier, last)
        change = _Change(self._versions, live, merged, resets)
        if not force:
            _raise_conflicts(change, managers, applier)
        remaining = self._remaining(change, managers, but=applier)
        return (None if are_equal(live, merged) else merged), remaining

    def _remaining(self, change: _Change, managers: Managers, *, but: ManagerId | None = None) -> Managers:
        """What is left to each manager after somebody else's write; managers of nothing are gone."""
        remaining: Managers = {}
        for identity, managed in managers.items():
            if identity != but:
                comparison = change.at(managed.api_version)
                fields = difference(difference(managed.fields, comparison.set_fields), comparison.removed)
                managed = managed.with_fields(fields)  # noqa: PLW2901 - the manager as it is now
            if managed.fields:
                remaining[identity] = managed
        return remaining

    def _pruned(self, merged: Object, managers: Managers, applier: ManagerId, last: Managed) -> Object:
        """*merged* without what *applier* applied last time, does not apply now, and nobody else owns."""
        now = managers[applier]
        if last.api_version == now.api_version and not difference(last.fields, now.fields):
            return merged
        schema = self._versions.schema(last.api_version)
        whole = self._versions.converted(merged, last.api_version)
        pruned: Object = without_fields(schema, whole, with_declared_fields(schema, last.fields))
        pruned = self._with_owned(whole, pruned, last.api_version, managers)
        return self._versions.converted(self._with_dangling(whole, pruned, last), now.api_version)

    def _with_owned(self, whole: Object, pruned: Object, first: str, managers: Managers) -> Object:
        """Give back to *pruned* what is in *whole* and somebody owns, version by version beginning with *first*."""
        owned: dict[str, FieldSet] = {first: {}}
        for managed in managers.values():
            owned[managed.api_version] = union(owned.get(managed.api_version, {}), managed.fields)
        for api_version, fields in owned.items():
            whole = self._versions.converted(whole, api_version)
            pruned = self._versions.converted(pruned, api_version)
            schema = self._versions.schema(api_version)
            kept = union(self._named(schema, pruned), with_declared_fields(schema, fields))
            pruned = without_fields(schema, whole, difference(self._named(schema, whole), kept))
        return pruned

    def _with_dangling(self, whole: Object, pruned: Object, last: Managed) -> Object:
        """Take from *whole* only what *last* owned: what nobody owns stays."""
        schema = self._versions.schema(last.api_version)
        pruned = self._versions.converted(pruned, last.api_version)
        gone = difference(self._named(schema, whole), self._named(schema, pruned))
        result: Object = without_fields(schema, whole, intersection(gone, with_declared_fields(schema, last.fields)))
        return result

    def _named(self, schema: Node, obj: Object) -> FieldSet:
        return with_declared_fields(schema, fields_of(schema, obj))


def _raise_conflicts(change: _Change, managers: Managers, applier: ManagerId) -> None:
    conflicts = [
        ManagerConflict(identity, path)
        for identity in sorted(managers, key=ManagerId.text)
        if identity != applier
        for path in paths_of(
            intersection(managers[identity].fields, change.at(managers[identity].api_version).set_fields)
        )
    ]
    if conflicts:
        raise ConflictsFound(conflicts)
