"""The errors of the server, with the messages, reasons and details of the real one."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.fields import MOST_PROBLEMS, FieldError, aggregate
from framework.apiserver.objects import GroupKind, GroupResource
from framework.apiserver.spelling import spelled_string
from framework.errors import ApiError, BadRequest, Expired, Status, StatusCause, StatusDetails, api_error
from framework.http.status_document import status_document as plain_document


def not_found(resource: GroupResource, name: str) -> ApiError:
    return _about(404, "NotFound", resource, name, f"{resource} {spelled_string(name)} not found")


def already_exists(resource: GroupResource, name: str) -> ApiError:
    return _about(409, "AlreadyExists", resource, name, f"{resource} {spelled_string(name)} already exists")


def conflict(resource: GroupResource, name: str, why: str) -> ApiError:
    message = f"Operation cannot be fulfilled on {resource} {spelled_string(name)}: {why}"
    return _about(409, "Conflict", resource, name, message)


def forbidden(resource: GroupResource, name: str, why: str, causes: Sequence[StatusCause] = ()) -> ApiError:
    if name:
        message = f"{resource} {spelled_string(name)} is forbidden: {why}"
    else:
        message = f"{resource} is forbidden: {why}" if resource.resource else f"forbidden: {why}"
    return _about(403, "Forbidden", resource, name, message, causes=causes)


def unauthorized() -> ApiError:
    return _plain(401, "Unauthorized", "Unauthorized")


def bad_request(message: str) -> ApiError:
    return _plain(400, "BadRequest", message)


def invalid(kind: GroupKind, name: str, errors: Sequence[FieldError]) -> ApiError:
    told = errors[:MOST_PROBLEMS]
    more = "" if len(errors) <= MOST_PROBLEMS else f" (only the first {MOST_PROBLEMS} problems are told)"
    message = f"{kind} {spelled_string(name)} is invalid: {aggregate(told)}{more}"
    causes = [error.cause() for error in told]
    details = StatusDetails(name=name, group=kind.group, kind=kind.kind, causes=causes)
    return api_error(Status(422, "Invalid", message, details))


def method_not_allowed(resource: GroupResource, action: str) -> ApiError:
    message = f'{action} is not supported on resources of kind "{resource}"'
    details = StatusDetails(group=resource.group, kind=resource.resource)
    return api_error(Status(405, "MethodNotAllowed", message, details))


def method_refused() -> ApiError:
    """A method that the router does not know at a path of built-in resources."""
    message = "the server does not allow this method on the requested resource"
    return api_error(Status(405, "MethodNotAllowed", message, StatusDetails()))


def media_type_refused() -> ApiError:
    """A content type that the router does not know at a path of built-in resources."""
    return api_error(Status(415, "UnsupportedMediaType", "415: Unsupported Media Type", StatusDetails()))


def path_unknown() -> ApiError:
    """A path that the router does not know among those of built-in resources."""
    message = "the server could not find the requested resource"
    return api_error(Status(404, "NotFound", message, StatusDetails()))


def expired(message: str) -> ApiError:
    return _plain(410, "Expired", message)


class Unreadable(BadRequest):
    """Content that is no object of its kind. *why* is in the words of the decoder.

    *when_converted* is the same in the words of the converter, which gets what strategic merges and applies make.
    """

    def __init__(self, kind: str, version: str, why: str, when_converted: str = "") -> None:
        super().__init__(
            Status(400, "BadRequest", f'{kind} in version "{version}" cannot be handled as a {kind}: {why}')
        )
        self.why = why
        self.when_converted = when_converted or why


class ContinueExpired(Expired):
    """A page whose snapshot is gone; *continue_token* leads on through what is there now."""

    def __init__(self, message: str, continue_token: str) -> None:
        super().__init__(Status(410, "Expired", message))
        self.continue_token = continue_token


def too_large(message: str) -> ApiError:
    return _plain(413, "RequestEntityTooLarge", message)


def not_acceptable(message: str) -> ApiError:
    return _plain(406, "NotAcceptable", message)


def unsupported_media_type(message: str) -> ApiError:
    return _plain(415, "UnsupportedMediaType", message)


def internal_error(message: str) -> ApiError:
    details = StatusDetails(causes=[StatusCause(message=message)])
    return api_error(Status(500, "InternalError", f"Internal error occurred: {message}", details))


def failure(message: str) -> ApiError:
    """What the real server did not foresee: it has no reason, and no details."""
    return _plain(500, "", message)


def not_implemented(what: str) -> ApiError:
    """Everything that the real server can and this one cannot."""
    return _plain(501, "NotImplemented", f"the embedded API server does not support {what}")


def timeout(message: str, *, causes: Sequence[StatusCause] = (), retry_after_seconds: int = 0) -> ApiError:
    details = StatusDetails(causes=list(causes) or None, retry_after_seconds=retry_after_seconds)
    retry_after = float(retry_after_seconds) if retry_after_seconds else None
    return api_error(Status(504, "Timeout", message, details), retry_after_seconds=retry_after)


def status_document(error: ApiError) -> dict[str, Any]:
    """*error* as the `Status` object that stands in an answer."""
    document = plain_document(error)
    if isinstance(error, ContinueExpired):
        document["metadata"] = {"continue": error.continue_token}
    return document


def _about(
    code: int, reason: str, resource: GroupResource, name: str, message: str, *, causes: Sequence[StatusCause] = ()
) -> ApiError:
    details = StatusDetails(name=name, group=resource.group, kind=resource.resource, causes=list(causes) or None)
    return api_error(Status(code, reason, message, details))


def _plain(code: int, reason: str, message: str) -> ApiError:
    return api_error(Status(code, reason, message))
