"""Owner references."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.spelling import spelled_json

_FIELD = "metadata.ownerReferences"
# In the order in which the real server shows them.
_SHOWN = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
_ALWAYS_SHOWN = _SHOWN[:4]

Owner = Mapping[str, Any]


def owner_errors(owners: Sequence[Owner]) -> Sequence[FieldError]:
    errors: list[FieldError] = []
    controller = ""
    for owner in owners:
        errors += _errors_of(owner)
        if not owner.get("controller"):
            continue
        name = f"{owner.get('kind') or ''}/{owner.get('name') or ''}"
        if controller:
            errors.append(_second_controller(owners, controller, name))
        else:
            controller = name
    return errors


def _errors_of(owner: Owner) -> Sequence[FieldError]:
    api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
    errors = []
    if not _has_version(api_version):
        errors.append(invalid_value(f"{_FIELD}.apiVersion", api_version, "version must not be empty"))
    missing = [name for name in ("kind", "name", "uid") if not owner.get(name)]
    errors += [invalid_value(f"{_FIELD}.{name}", "", "must not be empty") for name in missing]
    if (api_version, kind) == ("v1", "Event"):
        errors.append(invalid_value(_FIELD, _shown(owner), "/v1, Kind=Event is disallowed from being an owner"))
    return errors


def _has_version(api_version: str) -> bool:
    match api_version.split("/"):
        case [version] | [_, version]:
            return bool(version)
    return False


def _second_controller(owners: Sequence[Owner], first: str, second: str) -> FieldError:
    detail = f'Only one reference can have Controller set to true. Found "true" in references for {first} and {second}'
    shown = ",".join(str(_shown(owner)) for owner in owners)
    return invalid_value(_FIELD, _Shown(f"[{shown}]"), detail)


def _shown(owner: Owner) -> "_Shown":
    pairs = [(name, owner.get(name, "" if name in _ALWAYS_SHOWN else None)) for name in _SHOWN]
    members = (f"{spelled_json(name)}:{spelled_json(value)}" for name, value in pairs if value is not None)
    return _Shown("{" + ",".join(members) + "}")


class _Shown(msgspec.Struct, frozen=True):
    """A value that messages show as it is written here: the members of a Go struct are not sorted."""

    text: str

    def __str__(self) -> str:
        return self.text
