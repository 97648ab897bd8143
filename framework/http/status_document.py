"""An error as the `Status` object that stands in an answer."""

from typing import Any

from framework.errors import ApiError, StatusCause, StatusDetails


def status_document(error: ApiError) -> dict[str, Any]:
    status = error.status
    document: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": status.message,
    }
    if status.reason:
        document["reason"] = status.reason
    if status.details is not None:
        document["details"] = details_document(status.details)
    document["code"] = status.code
    return document


def details_document(details: StatusDetails) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name in ("name", "group", "kind", "uid"):
        if value := getattr(details, name):
            document[name] = value
    if details.causes:
        document["causes"] = [_cause(cause) for cause in details.causes]
    if details.retry_after_seconds:
        document["retryAfterSeconds"] = details.retry_after_seconds
    return document


def _cause(cause: StatusCause) -> dict[str, str]:
    named = {"reason": cause.reason, "message": cause.message, "field": cause.field}
    return {name: value for name, value in named.items() if value}
