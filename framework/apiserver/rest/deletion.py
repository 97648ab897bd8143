"""What a DELETE asks for, and what it does to the object: goes at once, or waits for finalizers or a grace period."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from framework.apiserver.fields import FieldError, invalid_value, unsupported
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import Context, timestamp
from framework.apiserver.rest.decoding import decode_body
from framework.apiserver.rest.options import dry_run_errors
from framework.apiserver.rest.unrecognized import NO_HEAD, no_head, not_registered
from framework.apiserver.spelling import kind_of, spelled
from framework.apiserver.status import bad_request, conflict, invalid
from framework.errors import ApiError, BadRequest

_STRING = (str, "string")
_GO_TYPES: Mapping[str, tuple[type, str]] = {
    "gracePeriodSeconds": (int, "int64"),
    "preconditions": (dict, "v1.Preconditions"),
    "orphanDependents": (bool, "bool"),
    "propagationPolicy": (str, "v1.DeletionPropagation"),
    "dryRun": (list, "[]string"),
}
_PRECONDITION_TYPES: Mapping[str, tuple[type, str]] = {"uid": (str, "types.UID"), "resourceVersion": _STRING}
ORPHAN, FOREGROUND = "orphan", "foregroundDeletion"
_SCHEMA = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_POLICIES = ("Foreground", "Background", "Orphan")


class Preconditions(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    uid: str | None = None
    resource_version: str | None = None


class DeleteOptions(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    grace_period_seconds: int | None = None
    preconditions: Preconditions | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str | None = None
    dry_run: list[str] | None = None

    @property
    def is_dry_run(self) -> bool:
        return bool(self.dry_run)


def delete_options(context: Context) -> DeleteOptions:
    """From the body, or without one from the query."""
    body = context.request.body
    content_type = context.headers.get("content-type", "")
    return parse_delete_options(_decoded(content_type, body) if body else _from_query(context))


def _decoded(content_type: str, body: bytes) -> Any:
    try:
        return decode_body(content_type, body, _SCHEMA)
    except BadRequest as error:
        raise bad_request(f"{NO_HEAD}{error.status.message}") from None


def parse_delete_options(content: Any) -> DeleteOptions:
    options = msgspec.convert(_checked(content), DeleteOptions)
    errors = [*_policy_errors(options), *dry_run_errors(options.dry_run or [])]
    if errors:
        raise invalid(GroupKind("meta.k8s.io", "DeleteOptions"), "", errors)
    return options


def _checked(content: Any) -> Any:
    """*content*, all of which can be read."""
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise bad_request(no_head(content))
    if (kind := content.get("kind")) and kind != "DeleteOptions":
        raise bad_request(not_registered(content.get("apiVersion") or "", kind))
    _check_fields(content, "DeleteOptions", _GO_TYPES)
    _check_fields(content.get("preconditions") or {}, "Preconditions.preconditions", _PRECONDITION_TYPES)
    for value in content.get("dryRun") or ():
        _check_fields({"dryRun": value}, "DeleteOptions", {"dryRun": _STRING})
    return content


def _check_fields(content: dict[str, Any], struct: str, types: Mapping[str, tuple[type, str]]) -> None:
    for name, (kind, go_type) in types.items():
        value = content.get(name)
        if value is not None and type(value) is not kind:
            found = f"number {spelled(value)}" if isinstance(value, float) else kind_of(value)
            raise bad_request(f"json: cannot unmarshal {found} into Go struct field {struct}.{name} of type {go_type}")


def _from_query(context: Context) -> dict[str, Any]:
    query = context.query
    content: dict[str, Any] = {}
    if (grace := query.int64("gracePeriodSeconds")) is not None:
        content["gracePeriodSeconds"] = grace
    if policy := query.get("propagationPolicy"):
        content["propagationPolicy"] = policy
    if query.all("orphanDependents"):
        content["orphanDependents"] = query.flag("orphanDependents")
    if dry_run := query.all("dryRun"):
        content["dryRun"] = list(dry_run)
    # Also for a collection, where it says as well which state of it is meant.
    if wanted := {name: text for name in ("uid", "resourceVersion") if (text := query.get(name))}:
        content["preconditions"] = wanted
    return content


def _policy_errors(options: DeleteOptions) -> list[FieldError]:
    policy = options.propagation_policy
    if policy is None:
        return []
    errors: list[FieldError] = []
    if options.orphan_dependents is not None:
        detail = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(invalid_value("propagationPolicy", policy, detail))
    if policy not in _POLICIES:
        errors.append(unsupported("propagationPolicy", policy, [*_POLICIES, "nil"]))
    return errors


def check_preconditions(context: Context, options: DeleteOptions, obj: Object) -> None:
    wanted = options.preconditions
    if wanted is None:
        return
    metadata = obj["metadata"]
    if wanted.uid is not None and wanted.uid != metadata["uid"]:
        raise _refused(
            context,
            obj,
            f"the UID in the precondition ({wanted.uid}) does not match the UID in record ({metadata['uid']}). "
            "The object might have been deleted and then recreated",
        )
    version = metadata["resourceVersion"]
    if wanted.resource_version is not None and wanted.resource_version != version:
        raise _refused(
            context,
            obj,
            f"the ResourceVersion in the precondition ({wanted.resource_version}) does not match "
            f"the ResourceVersion in record ({version}). The object might have been modified",
        )


def _refused(context: Context, obj: Object, why: str) -> ApiError:
    # Here the real server names the kind where other messages name the resource.
    resource = context.resource.group_resource._replace(resource=context.resource.kind)
    return conflict(resource, obj["metadata"]["name"], why)


def finalizers_after(options: DeleteOptions, metadata: dict[str, Any]) -> list[str]:
    """The finalizers with which the collector is told what becomes of the dependents."""
    present = list(metadata.get("finalizers") or ())
    wanted = _collector_finalizer(options, present)
    kept = [finalizer for finalizer in present if finalizer not in {ORPHAN, FOREGROUND}]
    changed = [*kept, wanted] if wanted else kept
    return present if set(changed) == set(present) else changed


def _collector_finalizer(options: DeleteOptions, present: list[str]) -> str | None:
    if options.orphan_dependents is not None:
        return ORPHAN if options.orphan_dependents else None
    if options.propagation_policy is not None:
        return {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(options.propagation_policy)
    return next((finalizer for finalizer in present if finalizer in {ORPHAN, FOREGROUND}), None)


class Verdict(msgspec.Struct, frozen=True):
    """What becomes of the object: stored as *marked*, removed, one after the other, or left as it is."""

    is_removed: bool = False
    marked: Object | None = None


def judge(resource: Resource, options: DeleteOptions, obj: Object, now: datetime) -> Verdict:
    """Decide about *obj*, changing it to what is stored if it has to wait."""
    metadata = obj["metadata"]
    is_terminating = "deletionTimestamp" in metadata
    graceful = _begin_grace(resource, options, obj, now)
    if graceful is None:
        return Verdict()
    if resource.mark_deleted is not None and not is_terminating:
        resource.mark_deleted(obj)
    finalizers = finalizers_after(options, metadata)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if graceful:
        is_removed = not metadata["deletionGracePeriodSeconds"] and not resource.is_held(obj)
        return Verdict(is_removed=is_removed, marked=obj)
    if not resource.is_held(obj):
        return Verdict(is_removed=True)
    _mark(metadata, now, is_terminating=is_terminating)
    return Verdict(marked=obj)


def _mark(metadata: dict[str, Any], now: datetime, *, is_terminating: bool) -> None:
    if not is_terminating:
        _raise_generation(metadata)
    moment = timestamp(now)
    if not is_terminating or metadata["deletionTimestamp"] > moment:
        metadata["deletionTimestamp"] = moment
    metadata["deletionGracePeriodSeconds"] = 0


def _begin_grace(resource: Resource, options: DeleteOptions, obj: Object, now: datetime) -> bool | None:
    """Whether a grace period begins or gets shorter; None if one is running and stays as it is."""
    metadata, wanted = obj["metadata"], options.grace_period_seconds
    if wanted is not None and wanted < 0:
        wanted = 1
    if "deletionTimestamp" in metadata:
        running = metadata.get("deletionGracePeriodSeconds") or 0
        if not running:
            return False
        if wanted is None or wanted >= running:
            return None
        _shorten(metadata, wanted, running, now)
        return True
    grace = resource.strategy.grace_seconds(obj, wanted)
    if grace is None:
        return False
    metadata["deletionTimestamp"] = timestamp(now + _span(grace))
    metadata["deletionGracePeriodSeconds"] = grace
    _raise_generation(metadata)
    return True


def _shorten(metadata: dict[str, Any], wanted: int, running: int, now: datetime) -> None:
    planned = datetime.fromisoformat(metadata["deletionTimestamp"])
    moved = planned - _span(running) + _span(wanted)
    if moved < now:
        moved, wanted = now, min(wanted, 1)
    metadata["deletionTimestamp"] = timestamp(moved)
    metadata["deletionGracePeriodSeconds"] = wanted


def _span(seconds: int) -> timedelta:
    """As Go has it: nanoseconds in 64 bits, which turn round after 292 years."""
    nanoseconds = (seconds * 10**9 + 2**63) % 2**64 - 2**63
    return timedelta(microseconds=nanoseconds // 1000)


def _raise_generation(metadata: dict[str, Any]) -> None:
    if metadata.get("generation"):
        metadata["generation"] += 1
