"""The form of every answer: Cloudflare's envelope around a result or an error."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from controllers.cfapi import failure
from controllers.cfapi.failure import CfError
from framework.errors import ApiError
from framework.http.exchange import Answer

JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-store"}
# What the front end turns down before a handler sees it.
_CODES = {
    HTTPStatus.UNAUTHORIZED: failure.AUTHENTICATION,
    HTTPStatus.FORBIDDEN: failure.AUTHENTICATION,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: failure.TOO_LARGE,
    HTTPStatus.NOT_FOUND: failure.NO_ROUTE,
}
_OK, _FIRST_SERVER_ERROR = 200, 500


class Reply(msgspec.Struct, frozen=True):
    """What an endpoint has to say; *messages* are for the person at the terminal."""

    result: Any
    messages: Sequence[str] = ()
    # Lists come in pages; there is always one, with everything on it.
    is_page: bool = False


def answer_of(reply: Reply) -> Answer:
    envelope: dict[str, Any] = {
        "result": reply.result,
        "success": True,
        "errors": [],
        "messages": _said(reply.messages),
    }
    if reply.is_page:
        count = len(reply.result)
        envelope["result_info"] = {
            "page": 1,
            "per_page": max(count, 20),
            "count": count,
            "total_count": count,
            "total_pages": 1,
        }
    return Answer(_OK, JSON_HEADERS, msgspec.json.encode(envelope))


def answer_of_error(error: CfError) -> Answer:
    errors = [{"code": error.code, "message": error.message}]
    envelope = {"result": None, "success": False, "errors": errors, "messages": []}
    return Answer(error.status, JSON_HEADERS, msgspec.json.encode(envelope))


def answer_of_refusal(refusal: ApiError) -> Answer:
    """What the HTTP server itself turned down."""
    if refusal.code in _CODES:
        code = _CODES[HTTPStatus(refusal.code)]
    else:
        code = failure.UNAVAILABLE if refusal.code >= _FIRST_SERVER_ERROR else failure.BAD_JSON
    return answer_of_error(CfError(refusal.code, code, str(refusal)))


def _said(messages: Sequence[str]) -> list[dict[str, Any]]:
    return [{"code": 0, "message": message} for message in messages]
