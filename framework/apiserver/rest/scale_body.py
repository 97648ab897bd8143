"""What clients send to a scale subresource, read as the kind that it is."""

from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import decode_body, patch_refused
from framework.apiserver.rest.options import WriteOptions
from framework.apiserver.status import Unreadable, bad_request
from framework.errors import ApiError
from framework.loading import LOADING

SCHEMA = "io.k8s.api.autoscaling.v1.Scale"
_UNKNOWN = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'


def put_body(context: Context, options: WriteOptions) -> Object:
    content = decode_body(context.headers.get("content-type", ""), context.request.body, SCHEMA)
    if not isinstance(content, dict):
        raise bad_request("the body is not a Scale")
    try:
        problems = _read(content)
    except Unreadable as error:
        raise _refused(context, error) from None
    if problems and options.field_validation == "Strict":
        raise _refused(context, Unreadable("Scale", "v1", f"strict decoding error: {', '.join(problems)}"))
    _warn(context, options, problems)
    return content


def _refused(context: Context, error: Unreadable) -> ApiError:
    # For custom resources, the real server does not know the kind in the words of which it wants to say what is wrong.
    return bad_request(_UNKNOWN) if context.resource.is_custom else error


def patched(context: Context, options: WriteOptions, scale: Any, *, is_converted: bool) -> Object:
    """*scale* as a patch left it, once it is known to be one."""
    if not isinstance(scale, dict):
        raise bad_request("the body is not a Scale")
    try:
        problems = _read(scale)
    except Unreadable as error:
        raise patch_refused(error.when_converted if is_converted else error.why) from None
    if problems and options.field_validation == "Strict":
        raise patch_refused(f"strict decoding error: {', '.join(problems)}")
    _warn(context, options, problems)
    return scale


def _read(scale: Object) -> list[str]:
    # The rules of built-in kinds are loaded when they are first needed.
    with LOADING:
        from framework.apiserver.builtin.reading import read_as

    return [f'unknown field "{path}"' for path in read_as(SCHEMA, scale, kind="Scale", version="v1")]


def _warn(context: Context, options: WriteOptions, problems: list[str]) -> None:
    if options.field_validation == "Warn":
        context.warnings.extend(problems)
