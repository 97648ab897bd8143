"""The rules of CustomResourceDefinitions themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import Object
from framework.apiserver.resource import Strategy
from framework.apiserver.schema import default_definition, validate_definition, validate_definition_update


class DefinitionStrategy:
    """What the schema of the kind says, and on top of it what makes a definition a good one."""

    allows_unconditional_update = False
    allows_create_on_update = False

    def __init__(self, generic: Strategy) -> None:
        self._generic = generic

    def prune(self, obj: Object) -> Sequence[str]:
        return self._generic.prune(obj)

    def default(self, obj: Object) -> None:
        self._generic.default(obj)
        default_definition(obj)

    def prepare_for_create(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        obj["status"] = {"storedVersions": [], "acceptedNames": {"plural": "", "kind": ""}, "conditions": None}
        _remember_storage_version(obj)

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        if subresource == "status":
            _keep_all_but_status(new, old)
            return
        new["status"] = old.get("status", {})
        _remember_storage_version(new)
        if new.get("spec") != old.get("spec"):
            new["metadata"]["generation"] = old["metadata"]["generation"] + 1

    def grace_seconds(self, obj: Object, requested: int | None) -> int | None:
        return self._generic.grace_seconds(obj, requested)

    def validate(self, obj: Object) -> Sequence[FieldError]:
        return validate_definition(obj)

    def validate_update(self, new: Object, old: Object, subresource: str) -> Sequence[FieldError]:
        if subresource == "status" or new.get("spec") == old.get("spec"):
            return ()
        return validate_definition_update(new, old)

    def warnings(self, obj: Object) -> Sequence[str]:
        return self._generic.warnings(obj)

    def update_warnings(self, new: Object, old: Object) -> Sequence[str]:
        return self._generic.update_warnings(new, old)

    def selectable_fields(self, obj: Object) -> Mapping[str, str]:
        return self._generic.selectable_fields(obj)

    def is_selectable(self, field: str) -> bool:
        return self._generic.is_selectable(field)


def _remember_storage_version(crd: Object) -> None:
    stored: list[str] = crd["status"].setdefault("storedVersions", [])
    versions: list[Any] = (crd.get("spec") or {}).get("versions") or []
    for version in versions:
        if version.get("storage") and version.get("name") not in stored:
            stored.append(version["name"])


def _keep_all_but_status(new: Object, old: Object) -> None:
    status, managed = new.get("status"), new["metadata"].get("managedFields")
    new.clear()
    new.update(old)
    new["metadata"] = {**old["metadata"]}
    if managed is not None:
        new["metadata"]["managedFields"] = managed
    if status is not None:
        new["status"] = status
