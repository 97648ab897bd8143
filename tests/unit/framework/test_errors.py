import re

import pytest

from framework import errors
from framework.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Invalid,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    ServerError,
    Status,
    StatusCause,
    StatusDetails,
    TooLargeResourceVersion,
    TooManyRequests,
    Unauthorized,
    UnsupportedMediaType,
    WindlassError,
    api_error,
)

_BRANCH = re.compile(r"(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w+)")


def drawn_tree() -> dict[str, str]:
    """Each class of the drawing with the one above it."""
    parents: dict[str, str] = {}
    above = {0: "Exception"}
    for line in (errors.__doc__ or "").splitlines():
        found = _BRANCH.match(line)
        if found is None or not line.startswith(("WindlassError", "│", "├", "└", " ")):
            continue
        depth = len(found["indent"]) // 4
        parents[found["name"]] = above[depth]
        above[depth + 1] = found["name"]
    return parents


def test_the_drawn_tree_is_that_of_the_classes() -> None:
    classes = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, WindlassError)]

    assert drawn_tree() == {each.__name__: each.__bases__[0].__name__ for each in classes}


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (400, "BadRequest", BadRequest),
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (405, "MethodNotAllowed", MethodNotAllowed),
        (409, "Conflict", Conflict),
        (409, "AlreadyExists", AlreadyExists),
        (410, "Gone", Expired),
        (410, "Expired", Expired),
        (413, "RequestEntityTooLarge", RequestEntityTooLarge),
        (415, "UnsupportedMediaType", UnsupportedMediaType),
        (422, "Invalid", Invalid),
        (429, "TooManyRequests", TooManyRequests),
        (500, "InternalError", ServerError),
        (500, "ServerTimeout", ServerError),
        (503, "ServiceUnavailable", ServerError),
        (504, "Timeout", ServerError),
    ],
)
def test_reason_and_code_give_the_same_exception(code: int, reason: str, expected: type[ApiError]) -> None:
    whole, without_code = api_error(Status(code=code, reason=reason)), api_error(Status(reason=reason))

    assert type(whole) is expected
    assert type(without_code) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (400, BadRequest),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (405, MethodNotAllowed),
        (409, Conflict),
        (410, Expired),
        (413, RequestEntityTooLarge),
        (415, UnsupportedMediaType),
        (422, Invalid),
        (429, TooManyRequests),
        (500, ServerError),
        (502, ServerError),
        (599, ServerError),
        (418, ApiError),
    ],
)
def test_without_a_known_reason_the_code_counts(code: int, expected: type[ApiError]) -> None:
    assert type(api_error(Status(code=code))) is expected
    assert type(api_error(Status(code=code, reason="Novel"))) is expected


def test_the_reason_counts_before_the_code() -> None:
    assert type(api_error(Status(code=500, reason="NotFound"))) is NotFound


@pytest.mark.parametrize(
    "status",
    [
        Status(
            code=504, reason="Timeout", details=StatusDetails(causes=[StatusCause(reason="ResourceVersionTooLarge")])
        ),
        Status(code=504, reason="Timeout", message="Timeout: Too large resource version: 2, current: 1"),
    ],
)
def test_a_version_from_the_future_is_told_from_other_timeouts(status: Status) -> None:
    error = api_error(status, retry_after_seconds=1.0)

    assert type(error) is TooLargeResourceVersion
    assert error.retry_after_seconds == 1.0


def test_a_timeout_of_another_kind_is_a_server_error() -> None:
    assert type(api_error(Status(code=504, reason="Timeout", message="request timed out"))) is ServerError


def test_details_and_causes_are_at_hand() -> None:
    cause = StatusCause(reason="FieldManagerConflict", message='conflict with "kubectl"', field=".spec.replicas")

    error = api_error(Status(code=409, reason="Conflict", details=StatusDetails(name="a", causes=[cause])))

    assert (error.code, error.reason, error.details.name) == (409, "Conflict", "a")
    assert list(error.causes) == [cause]
    assert error.has_cause("FieldManagerConflict")
    assert not error.has_cause("NamespaceTerminating")


def test_an_error_without_details_has_no_causes() -> None:
    error = api_error(Status(code=404))

    assert list(error.causes) == []
    assert error.details == StatusDetails()


def test_the_text_is_one_line() -> None:
    message = 'Apply failed with 2 conflicts: conflicts with "x":\n- .data.a\n- .data.b'

    assert str(api_error(Status(code=409, message=message))) == message.replace("\n", " ")


def test_the_text_is_never_empty() -> None:
    assert str(api_error(Status(code=404, reason="NotFound"))) == "HTTP 404 NotFound"
    assert str(api_error(Status(code=418))) == "HTTP 418"
