"""The options of writes, read from the query and checked."""

import msgspec

from framework.apiserver.fields import FieldError, FieldProblem, required, unsupported
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.rest.request_info import Query
from framework.apiserver.status import invalid

_MAX_MANAGER_LENGTH = 128
APPLY = "application/apply-patch+yaml"


class WriteOptions(msgspec.Struct, frozen=True):
    is_dry_run: bool = False
    # Ignore, Warn or Strict.
    field_validation: str = "Warn"
    is_forced: bool = False


def write_options(query: Query, kind: str, patch_type: str = "") -> WriteOptions:
    """*kind* is CreateOptions, UpdateOptions or PatchOptions, for messages."""
    manager = query.get("fieldManager")
    errors: list[FieldError] = []
    if kind == "PatchOptions":
        if patch_type == APPLY and not manager:
            errors.append(required("fieldManager", "is required for apply patch"))
        if patch_type != APPLY and query.all("force"):
            errors.append(
                FieldError(FieldProblem.FORBIDDEN, "force", detail="may not be specified for non-apply patch")
            )
    errors.extend(_manager_errors(manager))
    errors.extend(dry_run_errors(query.all("dryRun")))
    validation = query.get("fieldValidation")
    if validation not in {"", "Ignore", "Warn", "Strict"}:
        errors.append(unsupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]))
    if errors:
        raise invalid(GroupKind("meta.k8s.io", kind), "", errors)
    return WriteOptions(bool(query.all("dryRun")), validation or "Warn", query.flag("force"))


def reviewed_options(query: Query, kind: str) -> Object:
    """The options as webhooks are told; a patch counts as an update or a creation."""
    options: Object = {"kind": kind, "apiVersion": "meta.k8s.io/v1"}
    if dry_run := query.all("dryRun"):
        options["dryRun"] = list(dry_run)
    for name in ("fieldManager", "fieldValidation"):
        if value := query.get(name):
            options[name] = value
    return options


def dry_run_errors(values: list[str]) -> list[FieldError]:
    return [] if all(value == "All" for value in values) else [unsupported("dryRun", values, ["All"])]


def _manager_errors(manager: str) -> list[FieldError]:
    errors = []
    if len(manager) > _MAX_MANAGER_LENGTH:
        detail = f"may not be more than {_MAX_MANAGER_LENGTH} bytes"
        errors.append(FieldError(FieldProblem.TOO_LONG, "fieldManager", manager, detail))
    if not manager.isprintable():
        position, odd = next((index, one) for index, one in enumerate(manager) if not one.isprintable())
        detail = f"invalid character U+{ord(odd):04X} (at position {position})"
        errors.append(FieldError(FieldProblem.INVALID, "fieldManager", manager, detail))
    return errors
