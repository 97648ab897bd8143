"""What the server says about a body that is no object of the kind that the path is about."""

from typing import Any

from framework.apiserver.builtin.resources import builtin_resources
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.spelling import kind_of
from framework.apiserver.status import Unreadable, bad_request
from framework.errors import ApiError

_SHOWN_LENGTH = 30
_HEAD = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
NO_HEAD = "couldn't get version/kind; json parse error: "
# Found only after the head has been read.
_BAD_NUMBER = "json: cannot unmarshal number"
_YAML_PREFIX = "error decoding YAML: error converting YAML to JSON: "


def unrecognized(resource: Resource, why: str, body: bytes) -> ApiError:
    return bad_request(
        f"the object provided is unrecognized (must be of type {resource.kind}): {why} ({_summary(body)})"
    )


def unreadable(resource: Resource, error: ApiError, body: bytes) -> ApiError:
    """*error* is the parser's."""
    why = error.status.message
    if why.startswith(_BAD_NUMBER):
        return Unreadable(resource.kind, resource.version, why)
    is_yaml = why.startswith(_YAML_PREFIX)
    return unrecognized(resource, why.removeprefix(_YAML_PREFIX) if is_yaml else NO_HEAD + why, body)


def not_an_object(resource: Resource, content: Any, body: bytes) -> ApiError:
    return unrecognized(resource, no_head(content), body)


def no_head(content: Any) -> str:
    """What is said about *content*, which is no object."""
    return f"{NO_HEAD}json: cannot unmarshal {kind_of(content)} into Go value of type {_HEAD}"


def head_problem(content: Object) -> str:
    """What keeps apiVersion and kind from being read; empty if nothing does."""
    for field in ("apiVersion", "kind"):
        value = content.get(field)
        if not isinstance(value, str | None):
            return f"{NO_HEAD}json: cannot unmarshal {kind_of(value)} into Go struct field .{field} of type string"
    api_version: str = content.get("apiVersion") or ""
    return f"unexpected GroupVersion string: {api_version}" if api_version.count("/") > 1 else ""


def other_kind(resource: Resource, api_version: str, kind: str) -> ApiError:
    """A built-in object, but not one of those that *resource* holds."""
    _, _, version = api_version.rpartition("/")
    why = not_registered(api_version, kind)
    if any(one.api_version == api_version and one.kind == kind for one in builtin_resources()):
        to = go_package(resource.group)
        why = f"converting ({version}.{kind}) to ({to}.{resource.kind}): unknown conversion"
    return bad_request(f'{kind} in version "{version}" cannot be handled as a {resource.kind}: {why}')


def not_registered(api_version: str, kind: str) -> str:
    return f'no kind "{kind}" is registered for version "{api_version}" in scheme "pkg/runtime/scheme.go:111"'


def go_package(group: str) -> str:
    """Where the real server has the types of *group*."""
    return "core" if group in {"", "events.k8s.io"} else group.partition(".")[0]


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    if body.startswith(b"{"):
        text = body.decode(errors="replace")
        return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]} ..."
    return body.hex() if len(body) <= _SHOWN_LENGTH else f"{body[:_SHOWN_LENGTH].hex()} ..."
