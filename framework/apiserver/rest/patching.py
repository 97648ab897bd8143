"""PATCH in its four ways."""

from typing import Any

from framework.apiserver.managedfields import check_applied, group_version_kind, identified
from framework.apiserver.objects import Object
from framework.apiserver.patch import (
    decode_apply_patch,
    decode_json,
    json_patch,
    merge_patch,
)
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.creating import refuse_uid_without_object
from framework.apiserver.rest.decoding import (
    media_type,
    normalise,
    normalise_patched,
    patch_refused,
    unsupported_format,
    yaml_problems,
)
from framework.apiserver.rest.defaulting import fill_defaults
from framework.apiserver.rest.metadata import ensure_name, ensure_namespace, nameless
from framework.apiserver.rest.options import APPLY, WriteOptions, write_options
from framework.apiserver.rest.unrecognized import head_problem, not_registered
from framework.apiserver.rest.updating import Transform, update
from framework.apiserver.spelling import kind_of
from framework.apiserver.status import (
    Unreadable,
    bad_request,
    failure,
    internal_error,
    media_type_refused,
    not_found,
)
from framework.errors import BadRequest

_JSON, _MERGE, _STRATEGIC = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
# A list is taken for the outcome of the patch, unless it is looked at strictly before.
_NO_OBJECT = (
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type "
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


def patch(context: Context) -> tuple[Object, bool]:
    """Answer a PATCH; whether it created the object, as an apply may."""
    patch_type = media_type(context.headers.get("content-type", ""))
    accepted = [_JSON, _MERGE, APPLY] if context.resource.is_custom else [_JSON, _MERGE, _STRATEGIC, APPLY]
    if patch_type not in accepted:
        raise unsupported_format(accepted) if context.resource.is_custom else media_type_refused()
    options = write_options(context.query, "PatchOptions", patch_type)
    if patch_type == APPLY:
        return update(context, _apply(context, options), options, may_create=True)
    return update(context, _patch(context, options, patch_type), options)


def _patched(context: Context, patch_type: str, live: Object, *, is_strict: bool) -> Object:
    content = _content(context, patch_type, is_strict=is_strict)
    if patch_type == _JSON:
        if not is_strict and not isinstance(content, list | None):
            raise bad_request(f"json: cannot unmarshal {kind_of(content)} into Go value of type jsonpatch.Patch")
        return json_patch(live, content)
    if patch_type == _MERGE:
        if not is_strict and not isinstance(content, dict):
            raise patch_refused(_NO_OBJECT) if isinstance(content, list) else bad_request("Invalid JSON Patch")
        return merge_patch(live, content)
    merger = context.resource.merger
    assert merger is not None  # noqa: S101 - the content type was accepted
    return merger.strategic_merge(live, content)


def _content(context: Context, patch_type: str, *, is_strict: bool) -> Any:
    try:
        return decode_json(context.request.body)
    except BadRequest as error:
        if patch_type == _STRATEGIC:
            raise
        if is_strict:
            raise bad_request(f"error decoding patch: {error.status.message}") from None
        if patch_type == _MERGE:
            raise bad_request("Invalid JSON Patch") from None
        raise


def _patch(context: Context, options: WriteOptions, patch_type: str) -> Transform:
    def transform(live: Object | None) -> Object:
        if live is None:
            raise not_found(context.resource.group_resource, context.info.name)
        # Only now: whether a patch can be read does not matter where nothing is to be patched.
        new = _patched(context, patch_type, live, is_strict=options.field_validation != "Ignore")
        _check_head(context, new, patch_type)
        is_converted = patch_type == _STRATEGIC
        normalise_patched(context, new, options, context.request.body, is_converted=is_converted)
        ensure_namespace(context.resource, context.namespace, new["metadata"])
        ensure_name(context, new)
        context.resource.field_manager.update(live, new, context.manager, context.services.now())
        return new

    return transform


def _apply(context: Context, options: WriteOptions) -> Transform:
    resource = context.resource

    def transform(live: Object | None) -> Object:
        applied = decode_apply_patch(context.request.body)
        check_applied(applied, resource.api_version, resource.kind)
        new = resource.field_manager.apply(
            live, applied, context.manager, context.services.now(), force=options.is_forced
        )
        _complain_about_duplicates(context, options)
        new.setdefault("metadata", {})
        if resource.is_custom:
            # Neither pruned nor rid of what is empty: validation and the comparison with what is there see it.
            fill_defaults(resource.strategy, new)
        else:
            _convert(context, new, applied)
        if live is None:
            refuse_uid_without_object(context, new)
        ensure_namespace(resource, context.namespace, new["metadata"])
        ensure_name(context, new)
        return new

    return transform


def _convert(context: Context, new: Object, applied: Object) -> None:
    try:
        normalise(context, new)
    except Unreadable as error:
        kind = group_version_kind(applied)
        raise failure(
            f"failed to convert new object ({identified(applied)}) to proper version: "
            f"unable to convert unstructured object to {kind}: {error.when_converted}"
        ) from None


def _complain_about_duplicates(context: Context, options: WriteOptions) -> None:
    if options.field_validation == "Ignore" or not (problems := yaml_problems(context.request.body, options)):
        return
    if options.field_validation == "Strict":
        raise bad_request(f"error strict decoding YAML: {problems[0]}")
    context.warnings.extend(problems)


def _check_head(context: Context, new: Object, patch_type: str) -> None:
    """What becomes of an object that a patch turns into one of another kind."""
    resource = context.resource
    if patch_type == _STRATEGIC:
        # Not looked at.
        new["apiVersion"], new["kind"] = resource.api_version, resource.kind
    elif problem := head_problem(new):
        raise patch_refused(problem)
    api_version, kind = new.get("apiVersion"), new.get("kind")
    if resource.is_custom:
        if not kind:
            raise patch_refused("Object 'Kind' is missing in '...'")
        if not api_version:
            raise internal_error("Object 'apiVersion' is missing in 'object has no apiVersion field'")
        return
    if not api_version:
        raise nameless(context)
    new["kind"] = kind = kind or resource.kind
    if (api_version, kind) != (resource.api_version, resource.kind):
        raise patch_refused(not_registered(api_version, kind))
