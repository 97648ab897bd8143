"""The rules of custom resources: one schema per version."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.definitions.scale_fields import replicas_errors, selector_errors
from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objectmeta import finalizer_warnings, subdomain_name, validate_change, validate_new
from framework.apiserver.objects import Object
from framework.apiserver.resource import ScalePaths
from framework.apiserver.schema import StructuralSchema

FieldPath = tuple[str, ...]


class CustomStrategy:
    allows_unconditional_update = False
    allows_create_on_update = False

    def __init__(
        self,
        *,
        api_version: str,
        kind: str,
        is_namespaced: bool,
        schema: StructuralSchema,
        has_status: bool,
        scale: ScalePaths | None,
        selectable: Mapping[str, FieldPath],
    ) -> None:
        self._api_version = api_version
        self._kind = kind
        self._is_namespaced = is_namespaced
        self._schema = schema
        self._has_status = has_status
        self._scale = scale
        self._selectable = selectable

    def prune(self, obj: Object) -> Sequence[str]:
        return self._schema.prune(obj)

    def default(self, obj: Object) -> None:
        self._schema.default(obj)

    def prepare_for_create(self, obj: Object) -> None:
        if self._has_status:
            obj.pop("status", None)
        obj["metadata"]["generation"] = 1

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        if subresource == "status":
            self._take_status_only(new, old)
            return
        if self._has_status:
            if "status" in old:
                new["status"] = old["status"]
            else:
                new.pop("status", None)
        if self._desired(new) != self._desired(old):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def grace_seconds(self, obj: Object, requested: int | None) -> int | None:  # noqa: ARG002 - nobody to wait for
        return None

    def validate(self, obj: Object) -> Sequence[FieldError]:
        if errors := self._type_errors(obj):
            return errors
        errors = validate_new(obj, is_namespaced=self._is_namespaced, name_rule=subdomain_name)
        return [*errors, *self._schema.validate(obj, errors), *self._scale_errors(obj)]

    def validate_update(self, new: Object, old: Object, subresource: str) -> Sequence[FieldError]:
        if errors := self._type_errors(new):
            return errors
        errors = validate_change(new, old)
        if subresource == "status":
            return [*errors, *self._schema.validate_status_update(new, old), *self._status_scale_errors(new)]
        return [*errors, *self._schema.validate_update(new, old), *self._scale_errors(new)]

    def warnings(self, obj: Object) -> Sequence[str]:
        return finalizer_warnings(obj, None)

    def update_warnings(self, new: Object, old: Object) -> Sequence[str]:
        return finalizer_warnings(new, old)

    def selectable_fields(self, obj: Object) -> Mapping[str, str]:
        return {field: _text(_at(obj, path)) for field, path in self._selectable.items()}

    def is_selectable(self, field: str) -> bool:
        return field in self._selectable

    def _desired(self, obj: Object) -> Object:
        """All that generation counts: everything but metadata, and but status where it has its own endpoint."""
        return {name: value for name, value in obj.items() if name != "metadata" and not self._is_status(name)}

    def _is_status(self, name: str) -> bool:
        return self._has_status and name == "status"

    def _take_status_only(self, new: Object, old: Object) -> None:
        status, managed = new.get("status"), new["metadata"].get("managedFields")
        has_status = "status" in new
        new.clear()
        new.update(old)
        new["metadata"] = {**old["metadata"]}
        if managed:
            new["metadata"]["managedFields"] = managed
        else:
            new["metadata"].pop("managedFields", None)
        if has_status:
            new["status"] = status
        else:
            new.pop("status", None)

    def _type_errors(self, obj: Object) -> list[FieldError]:
        errors = []
        if obj.get("kind") != self._kind:
            errors.append(invalid_value("kind", obj.get("kind"), f"must be {self._kind}"))
        if obj.get("apiVersion") != self._api_version:
            errors.append(invalid_value("apiVersion", obj.get("apiVersion"), f"must be {self._api_version}"))
        return errors

    def _scale_errors(self, obj: Object) -> list[FieldError]:
        if self._scale is None:
            return []
        return [*replicas_errors(obj, self._scale.spec_replicas), *self._status_scale_errors(obj)]

    def _status_scale_errors(self, obj: Object) -> list[FieldError]:
        if self._scale is None:
            return []
        errors = replicas_errors(obj, self._scale.status_replicas)
        return errors + selector_errors(obj, self._scale.selector) if self._scale.selector else errors


def _at(obj: Any, path: FieldPath) -> Any:
    for name in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(name)
    return obj


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
