"""What the real server answers to a strategic merge patch that it cannot apply.

Only a few of these are errors of the client to it; the rest come out as 500 without a reason.
"""

from typing import Any

from framework.apiserver.go_text import go_text, go_type
from framework.apiserver.status import bad_request
from framework.errors import ApiError, Status, StatusDetails, api_error


def bad_primitive_list() -> ApiError:
    return bad_request("invalid patch format of primitive list")


def bad_retain_keys() -> ApiError:
    return bad_request("invalid patch format of retainKeys")


def bad_element_order() -> ApiError:
    return bad_request("invalid patch format of setElementOrder list")


def lists_of_lists() -> ApiError:
    message = "the server rejected our request due to an error in our request"
    return api_error(Status(422, "Invalid", message, StatusDetails()))


def unknown_directive(directive: Any, patch: dict[str, Any]) -> ApiError:
    text = directive if isinstance(directive, str) else f"%!s({go_type(directive)}={go_text(directive)})"
    return unexpected(f"unknown patch type: {text} in map: {go_text(patch)}")


def no_merge_key(element: dict[str, Any], merge_key: str) -> ApiError:
    return unexpected(f"map: {go_text(element)} does not contain declared merge key: {merge_key}")


def wrong_type(expected: Any, actual: Any) -> ApiError:
    """*expected* is any value of the type that should stand there."""
    return unexpected(f"expected a {go_type(expected)}, but received a {go_type(actual)}")


def unexpected(message: str) -> ApiError:
    return api_error(Status(500, "", message))
