"""The entries of metadata.managedFields: who manages what, since when."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from framework.apiserver.managedfields.elements import BadElement
from framework.apiserver.managedfields.fieldset import FieldSet, in_order

APPLY, UPDATE = "Apply", "Update"
_OPERATIONS = {APPLY, UPDATE}
_TEXTS = ("manager", "operation", "apiVersion", "fieldsType", "subresource", "time")
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

Entry: TypeAlias = dict[str, Any]
# Reads fieldsV1 of an apiVersion; tells also whether it is already written as the result would be.
FieldsReader: TypeAlias = Callable[[Any, str], tuple[FieldSet, bool]]


class BadEntry(Exception):
    """An entry that the real server would not write."""


class ManagerId(NamedTuple):
    """What tells managers apart. An applier is the same at all versions: its api_version is empty here."""

    name: str
    operation: str
    api_version: str
    subresource: str

    def text(self) -> str:
        """By which the real server sorts managers."""
        fields = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return json.dumps({name: value for name, value in fields.items() if value}, separators=(",", ":"))

    def __str__(self) -> str:
        """As conflicts name it."""
        name = json.dumps(self.name, ensure_ascii=False)
        if self.subresource:
            name += f" with subresource {json.dumps(self.subresource, ensure_ascii=False)}"
        return f"{name} using {self.api_version}" if self.operation == UPDATE else name


class Managed(NamedTuple):
    """The fields of one manager, named as in *api_version*."""

    fields: FieldSet
    api_version: str
    time: str | None
    # The entry that says exactly this, if there is one: then nothing needs to be written anew.
    entry: Entry | None = None

    def with_fields(self, fields: FieldSet) -> "Managed":
        return self if fields is self.fields else Managed(fields, self.api_version, self.time)


Managers: TypeAlias = dict[ManagerId, Managed]


def manager_id(name: str, operation: str, api_version: str, subresource: str) -> ManagerId:
    return ManagerId(name or "unknown", operation, api_version if operation == UPDATE else "", subresource)


def entries_of(obj: Mapping[str, Any] | None) -> Sequence[Entry] | None:
    """None if the object has no list of entries."""
    metadata = obj.get("metadata") if obj is not None else None
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    if not isinstance(entries, list):
        return None
    for entry in entries:
        if type(entry) is not dict:
            return None
    return entries


def is_reset(entries: Sequence[Entry] | None) -> bool:
    """Whether a client asks with these to forget all managers."""
    if entries is None or len(entries) > 1:
        return False
    return not entries or not any(value or isinstance(value, dict) for value in entries[0].values())


def decoded(entries: Sequence[Entry], read_fields: FieldsReader) -> Managers:
    """Raises BadEntry if one cannot be used."""
    managers: Managers = {}
    for index, entry in enumerate(entries):
        _check(index, entry)
        api_version, operation = entry["apiVersion"], entry["operation"]
        try:
            fields, is_verbatim = read_fields(entry.get("fieldsV1"), api_version)
        except BadElement as error:
            raise BadEntry(f"error decoding set: {error}") from None
        time = _normal_time(entry.get("time"))
        is_verbatim = is_verbatim and time == entry.get("time")
        # Not manager_id: an entry without a name stays without.
        identity = ManagerId(
            entry.get("manager") or "",
            operation,
            api_version if operation == UPDATE else "",
            entry.get("subresource") or "",
        )
        managers[identity] = Managed(fields, api_version, time, entry if is_verbatim else None)
    return managers


def encoded(managers: Managers) -> list[Entry]:
    """In the order of the real server: appliers first, then by time, then by name."""
    ordered = sorted(managers.items(), key=_order)
    return [managed.entry or _entry(identity, managed) for identity, managed in ordered]


def _order(item: tuple[ManagerId, Managed]) -> tuple[str, str, str, str, str]:
    identity, managed = item
    return identity.operation, managed.time or "", identity.name, managed.api_version, identity.subresource


def _entry(identity: ManagerId, managed: Managed) -> Entry:
    entry: Entry = {}
    if identity.name:
        entry["manager"] = identity.name
    entry["operation"] = identity.operation
    entry["apiVersion"] = managed.api_version
    if managed.time is not None:
        entry["time"] = managed.time
    entry["fieldsType"] = "FieldsV1"
    entry["fieldsV1"] = in_order(managed.fields)
    if identity.subresource:
        entry["subresource"] = identity.subresource
    return entry


def _check(index: int, entry: Entry) -> None:
    for name in _TEXTS:
        value = entry.get(name)
        if value and type(value) is not str:
            raise BadEntry(f"managed fields entry {index} is not of the right types")
    if entry.get("operation") not in _OPERATIONS:
        raise BadEntry("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise BadEntry("apiVersion must not be empty")
    fields_type = entry.get("fieldsType") or ""
    if not fields_type:
        raise BadEntry(f"missing fieldsType in managed fields entry {index}")
    if fields_type != "FieldsV1":
        raise BadEntry(f'invalid fieldsType "{fields_type}" in managed fields entry {index}')


def _normal_time(time: str | None) -> str | None:
    """In UTC and whole seconds, as the server writes times: then texts sort as times do."""
    if not time or (len(time) == len("2006-01-02T15:04:05Z") and time.endswith("Z")):
        return time or None
    try:
        return datetime.fromisoformat(time).astimezone(UTC).strftime(_TIME_FORMAT)
    except ValueError:
        raise BadEntry(f"not a time: {time}") from None
