"""What the status of an HTTP answer means for a deletion, in every cloud that says it by HTTP."""

from datetime import datetime
from http import HTTPStatus

from controllers.peerpod.provider import AuthFailed, Busy, Permanent, ProviderError, Throttled, Transient
from framework.client.retry import parse_retry_after

# How often a deletion that a cloud has begun is looked at.
LOOK_AGAIN_SECONDS = 15.0

_BUSY = (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED, HTTPStatus.LOCKED)


def error_of(status: int, text: str, retry_after: str | None, now: datetime) -> ProviderError:
    """*text* goes to the user, so it must be redacted; *retry_after* is the header of that name."""
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled(text, parse_retry_after(retry_after, now) or 0.0)
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return AuthFailed(text)
    if status in _BUSY:
        return Busy(text)
    # A success that is reported as an error had a body that nobody understands.
    is_refused = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
    if is_refused and status != HTTPStatus.REQUEST_TIMEOUT:
        return Permanent("DeletionRefused", text)
    return Transient(text)
