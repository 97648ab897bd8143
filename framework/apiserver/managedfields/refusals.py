"""The errors of server-side apply, as the real server words them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from framework.apiserver.managedfields.elements import spelled_from_entry
from framework.apiserver.managedfields.entries import ManagerId
from framework.apiserver.managedfields.fieldset import Path
from framework.apiserver.status import bad_request
from framework.errors import ApiError, Status, StatusCause, StatusDetails, api_error


class ManagerConflict(NamedTuple):
    """Another manager has another value."""

    manager: ManagerId
    path: Path

    @property
    def field(self) -> str:
        return "".join(spelled_from_entry(element) for element in self.path)


class ConflictsFound(Exception):
    def __init__(self, conflicts: Sequence[ManagerConflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = conflicts


def apply_conflict(conflicts: Sequence[ManagerConflict]) -> ApiError:
    causes = [
        StatusCause("FieldManagerConflict", f"conflict with {conflict.manager}", conflict.field)
        for conflict in conflicts
    ]
    return api_error(Status(409, "Conflict", _conflict_message(conflicts), StatusDetails(causes=causes)))


def failure(message: str) -> ApiError:
    """What the real server did not foresee: no reason, and no details."""
    return api_error(Status(500, "", message))


def check_applied(patch: Mapping[str, Any], api_version: str, kind: str) -> None:
    """Refuse a configuration that is not for *kind* at *api_version*, or that sets managedFields."""
    if (patch.get("apiVersion"), patch.get("kind")) != (api_version, kind):
        raise bad_request(f"invalid object type: {group_version_kind(patch)}")
    metadata = patch.get("metadata")
    if isinstance(metadata, dict) and metadata.get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")


def identified(obj: Mapping[str, Any]) -> str:
    """`namespace/name; group/version, Kind=kind`, as messages name an object."""
    metadata = obj.get("metadata")
    names = metadata if isinstance(metadata, dict) else {}
    return f"{names.get('namespace') or ''}/{names.get('name') or ''}; {group_version_kind(obj)}"


def group_version_kind(obj: Mapping[str, Any]) -> str:
    api_version = str(obj.get("apiVersion") or "")
    return f"{api_version if '/' in api_version else f'/{api_version}'}, Kind={obj.get('kind') or ''}"


def _conflict_message(conflicts: Sequence[ManagerConflict]) -> str:
    if len(conflicts) == 1:
        return f"Apply failed with 1 conflict: conflict with {conflicts[0].manager}: {conflicts[0].field}"
    by_manager: dict[ManagerId, list[str]] = {}
    for conflict in conflicts:
        by_manager.setdefault(conflict.manager, []).append(conflict.field)
    lines: list[str] = []
    for manager in sorted(by_manager, key=ManagerId.text):
        lines.append(f"conflicts with {manager}:")
        lines.extend(f"- {field}" for field in by_manager[manager])
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
