"""Why the front end itself turns a request down."""

from framework.errors import ApiError, Status, StatusCause, StatusDetails, api_error


def head_too_large(limit: int) -> ApiError:
    return _refusal(431, "RequestHeaderFieldsTooLarge", f"Request header fields too large: limit is {limit}")


def too_many_headers(limit: int) -> ApiError:
    return _refusal(431, "RequestHeaderFieldsTooLarge", f"Request header fields too large: limit is {limit} fields")


def body_too_large(limit: int) -> ApiError:
    return _refusal(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit}")


def malformed(why: str) -> ApiError:
    return _refusal(400, "BadRequest", f"malformed HTTP request: {why}")


def too_slow(seconds: float) -> ApiError:
    return _refusal(408, "Timeout", f"the request did not arrive within {seconds:g} seconds")


def unsupported_version(version: str) -> ApiError:
    return _refusal(505, "HTTPVersionNotSupported", f"HTTP/{version} is not supported, HTTP/1.1 is")


def unsupported_transfer_encoding(name: str) -> ApiError:
    return _refusal(501, "NotImplemented", f"transfer encoding {name!r} is not supported, chunked is")


def unsupported_upgrade(protocol: str) -> ApiError:
    return _refusal(501, "NotImplemented", f"a request with a body cannot change the protocol to {protocol!r}")


def unknown_expectation(what: str) -> ApiError:
    return _refusal(417, "ExpectationFailed", f"expectation {what!r} is not supported, 100-continue is")


def too_many_connections(limit: int) -> ApiError:
    message = f"too many open connections, the limit is {limit}; close some and try again"
    return api_error(Status(503, "ServiceUnavailable", message), retry_after_seconds=1)


def too_busy(limit: int) -> ApiError:
    message = f"the requests under way have more than {limit} bytes together; try again"
    return api_error(Status(503, "ServiceUnavailable", message), retry_after_seconds=1)


def unhandled() -> ApiError:
    message = "the request could not be handled; the log of the server says more"
    details = StatusDetails(causes=[StatusCause(message=message)])
    return api_error(Status(500, "InternalError", f"Internal error occurred: {message}", details))


def _refusal(code: int, reason: str, message: str) -> ApiError:
    return api_error(Status(code, reason, message))
