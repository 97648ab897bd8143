"""From the bytes of a body to an object that its kind has pruned and defaulted."""

from collections.abc import Callable, Sequence
from typing import Any

from framework.apiserver.fields import FieldError, FieldProblem
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.patch import (
    decode_json,
    decode_yaml_or_json,
    duplicate_fields,
    duplicate_yaml_keys,
)
from framework.apiserver.protobuf import MEDIA_TYPE, decode_protobuf
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.options import WriteOptions
from framework.apiserver.rest.unrecognized import head_problem, not_an_object, other_kind, unreadable, unrecognized
from framework.apiserver.spelling import kind_of
from framework.apiserver.status import Unreadable, bad_request, invalid, unsupported_media_type
from framework.errors import ApiError, BadRequest

_YAML = "application/yaml"
# As the real server: of unknown fields so many are told at most.
_MOST_TOLD = 100
_DECODERS: dict[str, Callable[[bytes], Any]] = {
    "": decode_json,
    "application/json": decode_json,
    _YAML: decode_yaml_or_json,
}
# As the real server says it, for custom resources too, though they do not come as protobuf.
_ACCEPTED = ("application/json", _YAML, MEDIA_TYPE)


def media_type(content_type: str) -> str:
    """Without parameters; what is none at all is no type that anybody knows."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind or content_type


def decode_body(content_type: str, body: bytes, schema_name: str = "") -> Any:
    """The content of *body*; *schema_name* tells how to read it if it is protobuf."""
    kind = media_type(content_type)
    if kind == MEDIA_TYPE and schema_name:
        return decode_protobuf(body, schema_name)
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise unsupported_format(_ACCEPTED)
    return decoder(body)


def unsupported_format(accepted: Sequence[str]) -> ApiError:
    listed = ", ".join(accepted)
    return unsupported_media_type(
        f"the body of the request was in an unknown format - accepted media types include: {listed}"
    )


def decode_object(context: Context, options: WriteOptions) -> Object:
    """The object in the body of a create or update, in the version of the request."""
    body = context.request.body
    content_type = context.headers.get("content-type", "")
    content = _read(context, content_type)
    _check_type(context, content, options)
    problems = _duplicates(body, options, content_type)
    problems += normalise(context, content)
    _complain(context, options, problems)
    return content


def _read(context: Context, content_type: str) -> Object:
    resource, body = context.resource, context.request.body
    try:
        content = decode_body(content_type, body, resource.schema_name)
    except BadRequest as error:
        if media_type(content_type) == MEDIA_TYPE:
            raise unrecognized(resource, error.status.message, body) from None
        raise unreadable(resource, error, body) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise not_an_object(resource, content, body)
    if problem := head_problem(content):
        raise unrecognized(resource, problem, body)
    return content


def normalise(context: Context, obj: Object) -> list[str]:
    """Prune and default *obj*; what was pruned, in the words of strict decoding."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        if metadata is not None:
            raise _bad_metadata(context, metadata)
        obj["metadata"] = {}
        metadata = obj["metadata"]
    strategy = context.resource.strategy
    is_reset = not context.resource.is_custom and metadata.get("managedFields") == []
    unknown = [f'unknown field "{path}"' for path in strategy.prune(obj)[:_MOST_TOLD]]
    if is_reset:
        # Empty, and yet it says something.
        obj["metadata"]["managedFields"] = []
    strategy.default(obj)
    return unknown


def _bad_metadata(context: Context, metadata: Any) -> ApiError:
    resource = context.resource
    place = "value" if resource.is_custom else f"struct field {resource.kind}.metadata"
    why = f"json: cannot unmarshal {kind_of(metadata)} into Go {place} of type v1.ObjectMeta"
    return Unreadable(resource.kind, resource.version, why)


def normalise_patched(
    context: Context, obj: Object, options: WriteOptions, patch: bytes, *, is_converted: bool
) -> None:
    """As for a body; only that what is wrong is wrong with the patch."""
    try:
        problems = _duplicates(patch, options) + normalise(context, obj)
    except Unreadable as error:
        raise patch_refused(error.when_converted if is_converted else error.why) from None
    if problems and options.field_validation == "Strict":
        detail = f"strict decoding error: {', '.join(problems)}"
        raise patch_refused(detail)
    if options.field_validation == "Warn":
        context.warnings.extend(problems)


def patch_refused(detail: str) -> ApiError:
    """A patch that can be applied, but leaves no object of the kind."""
    # The value would be the whole object once more; the real server prints it, and nobody can read it.
    return invalid(GroupKind("", ""), "", [FieldError(FieldProblem.INVALID, "patch", "...", detail)])


def _duplicates(body: bytes, options: WriteOptions, content_type: str = "") -> list[str]:
    kind = media_type(content_type)
    if options.field_validation == "Ignore" or kind == MEDIA_TYPE:
        return []
    if kind == _YAML:
        return [text.removeprefix("error converting YAML to JSON: ") for text in yaml_problems(body, options)]
    return [f'duplicate field "{path}"' for path in duplicate_fields(body)]


def yaml_problems(body: bytes, options: WriteOptions) -> list[str]:
    """Keys that stand twice: all in one text for a refusal, each by itself for warnings."""
    if not (text := duplicate_yaml_keys(body)):
        return []
    if options.field_validation == "Strict":
        return [text]
    return [line.strip() for line in text.splitlines()[1:]]


def _complain(context: Context, options: WriteOptions, problems: list[str]) -> None:
    if not problems or options.field_validation == "Ignore":
        return
    if options.field_validation == "Strict":
        kind = context.resource.kind
        version = context.resource.version
        raise bad_request(
            f'{kind} in version "{version}" cannot be handled as a {kind}: strict decoding error: {", ".join(problems)}'
        )
    context.warnings.extend(problems)


def _check_type(context: Context, obj: Object, options: WriteOptions) -> None:
    resource = context.resource
    is_custom = resource.is_custom
    api_version, kind = obj.get("apiVersion") or "", obj.get("kind") or ""
    if is_custom and not kind:
        raise _without_kind(context, is_strict=options.field_validation != "Ignore")
    if is_custom and api_version != resource.api_version:
        raise bad_request(
            f"the API version in the data ({api_version}) does not match "
            f"the expected API version ({resource.api_version})"
        )
    obj["apiVersion"] = api_version = api_version or resource.api_version
    obj["kind"] = kind = kind or resource.kind
    if not is_custom and (api_version, kind) != (resource.api_version, resource.kind):
        raise other_kind(resource, api_version, kind)


def _without_kind(context: Context, *, is_strict: bool) -> ApiError:
    kind, text = context.resource.kind, context.request.body.decode(errors="replace")
    why = f"Object 'Kind' is missing in '{text}'"
    if not is_strict:
        return bad_request(f'{kind} in version "{context.resource.version}" cannot be handled as a {kind}: {why}')
    return unrecognized(context.resource, why, context.request.body)
